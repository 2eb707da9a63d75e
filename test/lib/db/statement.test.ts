import { sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { createStatement, renderSql } from '../../../lib/db/statement.ts'

it('a table of the database that is defined twice has the columns of both definitions', () => {
  const narrow = pgTable('parcels', { id: integer() })
  const wide = pgTable('parcels', { id: integer(), depot: text(), sentAt: text('sent_at') })
  const render = (column: (typeof wide)[keyof typeof wide.$inferSelect]) => renderSql(createStatement(), sql`${column}`)
  expect(renderSql(createStatement(), sql`${narrow.id}`)).toBe('"parcels"."id"')
  expect([wide.id, wide.depot, wide.sentAt].map(render)).toEqual([
    '"parcels"."id"',
    '"parcels"."depot"',
    '"parcels"."sent_at"',
  ])
})
