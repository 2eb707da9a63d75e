import { is, sql, Table } from 'drizzle-orm'
import {
  getTableConfig,
  index,
  integer,
  type PgTable,
  pgSchema,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import * as serviceTables from '../../../lib/db/service-tables.ts'
import { schemaName, tableName, uniqueKeys } from '../../../lib/table/table-facts.ts'
import * as airports from '../../../tables/schema/airports.ts'
import * as birdStrikes from '../../../tables/schema/bird-strikes.ts'

const everyConstraint = pgSchema('warehouse').table(
  'parts',
  { a: integer(), b: integer('bee'), c: text() },
  (table) => [
    primaryKey({ columns: [table.a, table.b] }),
    unique().on(table.c),
    index().on(table.a),
    uniqueIndex().on(table.b, table.c),
    uniqueIndex().on(table.c).where(sql`a > 1`),
    uniqueIndex().on(sql`lower(${table.c})`),
  ],
)
const asObject = pgTable('old_style', { a: integer() }, (table) => ({ only: unique().on(table.a) }))

const declared: Readonly<Record<string, unknown>> = {
  ...serviceTables,
  ...airports,
  ...birdStrikes,
  everyConstraint,
  asObject,
}
const tables = Object.values(declared).filter((value): value is PgTable => is(value, Table))

/** The same by drizzle's own reader, for tables without unique indexes. */
const keysByDrizzle = (table: PgTable) => {
  const { primaryKeys, uniqueConstraints } = getTableConfig(table)
  return [...primaryKeys, ...uniqueConstraints].map(({ columns }) => columns.map(({ name }) => name))
}

it.each(tables.map((table) => [getTableConfig(table).name, table] as const))(
  'reads of %s what drizzle tells of it',
  (name, table) => {
    expect(tableName(table)).toBe(name)
    expect(schemaName(table)).toBe(getTableConfig(table).schema)
    expect(uniqueKeys(table)).toEqual(expect.arrayContaining(keysByDrizzle(table)))
  },
)

it('counts neither a partial index as a key, nor one of expressions, nor one that is not unique', () => {
  expect(uniqueKeys(everyConstraint)).toEqual([['a', 'bee'], ['c'], ['bee', 'c']])
})
