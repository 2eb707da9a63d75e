import type * as z from 'zod/v4/core'
import type { DefaultActionKey } from './action-definition.ts'

/** Keys that an author has written down; a record of any keys has none. */
type Written<R> = { readonly [N in keyof R as string extends N ? never : N]: R[N] }

type WithDefault<R, Key extends DefaultActionKey> = Written<R> & { readonly [N in Key]: unknown }

/** The keys whose column says `sortable: true`. */
export type SortableKey<Flags> = { readonly [Key in keyof Flags]: Flags[Key] extends true ? Key : never }[keyof Flags]

/** The shape of a table from the type parameters of its definition. A date filter is asked for by its ends. */
export interface ShapeOf<Name, Column, Filter extends string, Sort, Params extends z.$ZodType, RowInput, BulkInput> {
  readonly name: Name & string
  readonly column: Column & string
  readonly filter: Filter | `${Filter}_from` | `${Filter}_to`
  readonly sort: Sort & string
  readonly params: z.input<Params>
  readonly rowActions: WithDefault<RowInput, 'show_details'>
  readonly bulkActions: WithDefault<BulkInput, 'export_excel'>
}
