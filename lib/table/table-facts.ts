import { is, Table } from 'drizzle-orm'
import { IndexBuilder, PgColumn, type PgTable, PrimaryKeyBuilder, UniqueConstraintBuilder } from 'drizzle-orm/pg-core'

/**
 * The symbols that `getTableConfig` of drizzle reads and its types hide. That function would bring drizzle's views, and
 * with them the builders of all statements, into every bundle.
 */
interface HiddenSymbols {
  readonly Name: symbol
  readonly OriginalName: symbol
  readonly Schema: symbol
  readonly ExtraConfigBuilder: symbol
  readonly ExtraConfigColumns: symbol
}

const { Name, OriginalName, Schema, ExtraConfigBuilder, ExtraConfigColumns } = (
  Table as unknown as { readonly Symbol: HiddenSymbols }
).Symbol

/** The table's name in the database, without its schema. */
export const tableName = (table: PgTable): string => String(Reflect.get(table, Name))

/** The table's name in the database, also where it has an alias. */
export const originalName = (table: PgTable): string => String(Reflect.get(table, OriginalName))

/** The schema that a table was declared in; `undefined` leaves it to the search path. */
export const schemaName = (table: PgTable): string | undefined => Reflect.get(table, Schema)

/**
 * The columns of every key and unique index that its table declares beside the columns; partial indexes do not count.
 */
export function uniqueKeys(table: PgTable): readonly (readonly string[])[] {
  const extra: unknown = Reflect.get(table, ExtraConfigBuilder)?.(Reflect.get(table, ExtraConfigColumns)) ?? []
  return Object.values(extra as object)
    .flat()
    .flatMap((constraint) => listKey(constraint, table) ?? [])
}

function listKey(constraint: unknown, table: PgTable): readonly (readonly string[])[] | undefined {
  if (is(constraint, IndexBuilder)) {
    const { unique, where, columns } = constraint.build(table).config
    const names = columns.map((column) => (is(column, PgColumn) || 'name' in column ? column.name : undefined))
    return unique && where === undefined && names.every((name) => name !== undefined) ? [names] : undefined
  }
  if (!is(constraint, PrimaryKeyBuilder) && !is(constraint, UniqueConstraintBuilder)) return undefined
  // Both builders keep their columns in a field that their types hide.
  const { columns } = constraint as unknown as { readonly columns: readonly PgColumn[] }
  return [columns.map(({ name }) => name)]
}
