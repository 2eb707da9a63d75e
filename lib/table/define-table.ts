import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type * as z from 'zod/v4/core'
import type { DefaultActionKey, DefaultBulkActionKey, DefaultRowActionKey } from './action-definition.ts'
import type { AnyTableDefinition, Table, TableDefinition } from './definition.ts'
import type { ComputedSources, Relations, SourceKey } from './sources.ts'

const allRows = sql`true`

/** The scope of a table in which every authenticated caller may see every row. Written on purpose, never assumed. */
export const everyRow = (): SQL => allRows

/** Whether a scope sets no restriction at all; such a scope costs no SQL. */
export const isEveryRow = (scope: SQL): boolean => scope === allRows

/**
 * Makes the `defineTable` of an installation whose token claims have the shape `Claims`.
 *
 * @example
 * export const defineTable = tableDefiner<z.output<typeof claims>>()
 */
export const tableDefiner =
  <Claims>() =>
  /**
   * Declares one table. The compiler refuses names that are neither attributes, `<relation>__<attribute>` nor computed;
   * what types cannot see is checked when the registry is built.
   */
  <
    const T extends PgTable,
    const R extends Relations = Record<never, never>,
    const C extends ComputedSources = Record<never, never>,
    K extends string = never,
    F extends string = never,
    A extends string = never,
    P extends z.$ZodType = z.$ZodUndefined,
    RI extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
    BI extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
    const N extends string = string,
    S extends K & SourceKey<T, R, C> = never,
    const Q extends Readonly<Record<string, unknown>> = Readonly<Record<never, never>>,
    E extends Readonly<Record<string, unknown>> = Readonly<Record<never, never>>,
  >(
    definition: TableDefinition<Claims, T, R, C, K, F, A, P, RI, BI, N, S, Q, E>,
  ): Table<Claims, ShapeOf<N, K, F | A, S | SortableKey<Q>, P, RI, BI, WrittenCells<T, E>>> => ({
    // The type parameters have done their work; from here on keys are strings and rows are records.
    definition: definition as unknown as AnyTableDefinition,
  })

/** Keys that an author has written down; a record of any keys has none. */
type WrittenKeys<R> = { readonly [N in keyof R as string extends N ? never : N]: R[N] }

type WithDefault<R, Key extends DefaultActionKey> = WrittenKeys<R> & { readonly [N in Key]: unknown }

/** The keys whose column says `sortable: true`. */
type SortableKey<Flags> = { readonly [Key in keyof Flags]: Flags[Key] extends true ? Key : never }[keyof Flags]

/** The values that clients may write, by the key of each editable column. */
type WrittenCells<T extends PgTable, Editable> = {
  readonly [Key in keyof Editable as Editable[Key] extends true | object ? Key : never]: Editable[Key] extends {
    readonly schema: infer Schema extends z.$ZodType
  }
    ? z.input<Schema>
    : Key extends keyof T['_']['columns']
      ? WrittenValue<T['_']['columns'][Key]['_']>
      : never
}

/** The JSON values of a type of the database: a decimal is a text, and so is a date. */
type WrittenValue<Column extends { readonly columnType: string; readonly data: unknown; readonly notNull: boolean }> =
  | (Column['columnType'] extends `PgNumeric${string}`
      ? string
      : Column['columnType'] extends `PgBigInt${string}`
        ? number | string
        : Column['data'] extends Date
          ? string
          : Column['data'])
  | (Column['notNull'] extends true ? never : null)

/** The shape of a table from the type parameters of its definition. A date filter is asked for by its ends. */
interface ShapeOf<Name, Column, Filter extends string, Sort, Params extends z.$ZodType, RowInput, BulkInput, Cells> {
  readonly name: Name & string
  readonly column: Column & string
  readonly filter: Filter | `${Filter}_from` | `${Filter}_to`
  readonly sort: Sort & string
  readonly params: z.input<Params>
  readonly cells: Cells & object
  readonly rowActions: WithDefault<RowInput, DefaultRowActionKey>
  readonly bulkActions: WithDefault<BulkInput, DefaultBulkActionKey>
}
