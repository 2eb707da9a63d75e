import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type * as z from 'zod/v4/core'
import type { DefaultActionKey } from './action-definition.ts'
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
  >(
    definition: TableDefinition<Claims, T, R, C, K, F, A, P, RI, BI, N, S, Q>,
  ): Table<Claims, ShapeOf<N, K, F | A, S | SortableKey<Q>, P, RI, BI>> => ({
    // The type parameters have done their work; from here on keys are strings and rows are records.
    definition: definition as unknown as AnyTableDefinition,
  })

/** Keys that an author has written down; a record of any keys has none. */
type WrittenKeys<R> = { readonly [N in keyof R as string extends N ? never : N]: R[N] }

type WithDefault<R, Key extends DefaultActionKey> = WrittenKeys<R> & { readonly [N in Key]: unknown }

/** The keys whose column says `sortable: true`. */
type SortableKey<Flags> = { readonly [Key in keyof Flags]: Flags[Key] extends true ? Key : never }[keyof Flags]

/** The shape of a table from the type parameters of its definition. A date filter is asked for by its ends. */
interface ShapeOf<Name, Column, Filter extends string, Sort, Params extends z.$ZodType, RowInput, BulkInput> {
  readonly name: Name & string
  readonly column: Column & string
  readonly filter: Filter | `${Filter}_from` | `${Filter}_to`
  readonly sort: Sort & string
  readonly params: z.input<Params>
  readonly rowActions: WithDefault<RowInput, 'show_details'>
  readonly bulkActions: WithDefault<BulkInput, 'export_excel'>
}
