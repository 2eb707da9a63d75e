import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { $ZodType } from 'zod/v4/core'
import type { Label } from '../i18n/language.ts'
import { createCellSchema } from './cell-schema.ts'
import type { AnyContext, AnyRow } from './context.ts'
import { listColumns, type Source } from './source.ts'
import type { TableView } from './view.ts'

/** A column whose cells a caller may change. */
export interface EditableColumn {
  readonly key: string
  readonly label: Label
  readonly attribute: PgColumn
  readonly source: Source
  readonly isSensitive: boolean
  /** The values that a client may write. */
  readonly form: $ZodType
  readonly isOpen: (row: AnyRow, context: AnyContext) => boolean
  /** The expression that writes a value which the schema has let through. Local times are those of `timeZone`. */
  readonly toSql: (value: unknown, timeZone: string) => SQL
}

const known = new WeakMap<TableView, ReadonlyMap<string, EditableColumn>>()

/** Returns the columns that a caller may edit, by their keys. Columns that the caller does not see are not among them. */
export function listEditableColumns(view: TableView): ReadonlyMap<string, EditableColumn> {
  const columns = known.get(view) ?? createEditableColumns(view)
  known.set(view, columns)
  return columns
}

function createEditableColumns({ table, columns }: TableView): ReadonlyMap<string, EditableColumn> {
  const attributes = listColumns(table.definition.from)
  return new Map(
    columns.flatMap(({ key, source, definition }): (readonly [string, EditableColumn])[] => {
      const { editable, label, sensitive } = definition
      const attribute = attributes[key]
      if (editable === undefined || source === undefined || attribute === undefined) return []
      const { schema = undefined, when = undefined } = editable === true ? {} : editable
      return [
        [
          key,
          {
            ...{ key, label, attribute, source },
            isSensitive: sensitive === true,
            form: schema ?? createCellSchema(source),
            isOpen: (row, context) => when === undefined || when(row, context) === true,
            toSql: (value, timeZone) => {
              if (value === null) return sql`null`
              return schema === undefined ? wireValue(source, value, timeZone) : sql`${sql.param(value, attribute)}`
            },
          },
        ],
      ]
    }),
  )
}

/** Postgres infers the type of a parameter from the column that it is written to, and checks its length and digits. */
function wireValue({ kind }: Source, value: unknown, timeZone: string): SQL {
  const text = String(value)
  if (kind !== 'timestamp' && kind !== 'instant') return sql`${text}`
  const isLocal = !/(z|[+-]\d\d(:?\d\d)?)$/i.test(text)
  if (isLocal === (kind === 'timestamp'))
    return kind === 'instant' ? sql`${text}::timestamptz` : sql`${text}::timestamp`
  return isLocal
    ? sql`(${text}::timestamp at time zone ${timeZone}::text)`
    : sql`(${text}::timestamptz at time zone ${timeZone}::text)`
}
