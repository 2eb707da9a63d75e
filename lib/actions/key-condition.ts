import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { arrayText } from '../query/compare.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import { listColumns } from '../table/source.ts'

/** Returns the attribute that is the key of a table. */
export function keyAttribute({ definition: { from, key } }: CompiledTable): PgColumn {
  const column = listColumns(from)[key]
  if (column === undefined) throw new Error(`the key "${key}" is not an attribute`)
  return column
}

/**
 * Writes a key from its text. The value of the row may be another one: drizzle's modes `number` and `date` round it.
 */
export const keyValue = ({ key }: CompiledTable, text: string): SQL => sql`${text}::${sql.raw(key.sqlType)}`

/** Writes the text of a row's key, as its id has it: the cast of an inet adds a mask. */
export const keyAsText = (table: CompiledTable): SQL =>
  table.key.kind === 'other' ? sql`format('%s', ${keyAttribute(table)})` : sql`${keyAttribute(table)}::text`

/** Selects exactly the rows with these keys, by the texts that Postgres has written for them. */
export function keyCondition(table: CompiledTable, keys: readonly string[]): SQL {
  const column = keyAttribute(table)
  const [only] = keys
  if (only !== undefined && keys.length === 1) return sql`${column} = ${keyValue(table, only)}`
  return sql`${column} = any(${arrayText(keys)}::${sql.raw(table.key.sqlType)}[])`
}
