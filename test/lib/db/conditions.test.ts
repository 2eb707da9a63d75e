import { eq, type SQL, sql } from 'drizzle-orm'
import { integer, PgDialect, pgTable } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { and, or } from '../../../lib/db/conditions.ts'

const numbers = pgTable('numbers', { n: integer() })
const one = eq(numbers.n, 1)
const two = eq(numbers.n, 2)
const text = (condition: SQL): string => new PgDialect().sqlToQuery(condition).sql

describe.each([
  ['and', and],
  ['or', or],
])('%s', (word, join) => {
  it.each([
    ['no condition', []],
    ['nothing but undefined', [undefined, undefined]],
  ])('lets nothing through when it is given %s', (_, conditions) => {
    expect(text(join(...conditions))).toBe('false')
  })

  it('joins what it is given and leaves undefined out', () => {
    expect(text(join(one, undefined, two))).toBe(`(("numbers"."n" = $1) ${word} ("numbers"."n" = $2))`)
    expect(text(join(undefined, one))).toBe('(("numbers"."n" = $1))')
  })

  it('keeps a raw condition together', () => {
    expect(text(join(sql`a or b`, sql`c`))).toBe(`((a or b) ${word} (c))`)
  })
})
