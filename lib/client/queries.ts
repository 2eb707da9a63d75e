import type { KeyOf, TableTypes } from './table-types.ts'
import type { BulkAction, Choice, Column, Filter, Operator, Pagination, RowAction, RowId } from './wire.ts'

export interface FilterOf<T extends TableTypes> {
  readonly field: T['filter']
  /** Left out: the first of the filter's `props.operators`. */
  readonly operator?: Operator
  readonly value:
    | RowId
    | boolean
    | readonly RowId[]
    | { readonly from?: string | number; readonly to?: string | number }
}

export interface SortOf<T extends TableTypes> {
  readonly field: T['sort']
  readonly direction: 'asc' | 'desc'
}

/** Which rows, in which order. */
export interface Query<T extends TableTypes> {
  readonly filters?: readonly FilterOf<T>[]
  readonly sorts?: readonly SortOf<T>[]
  /** Counted from 1; left out: 1. */
  readonly page?: number
  /** Left out: 20. */
  readonly perPage?: number
  /** The `next_cursor` of the page before; `page` then says nothing. */
  readonly cursor?: string
  readonly params?: T['params']
}

interface RowOf<T extends TableTypes> {
  /** Where an item has its actions is a setting of the service: `row.actions`, `actions` or both. */
  readonly row?: {
    readonly actions: { readonly [Key in KeyOf<T['rowActions']>]?: RowAction }
    /** What names the row in the path of a URL. */
    readonly path_id?: string
  }
  readonly actions?: { readonly [Key in KeyOf<T['rowActions']>]?: RowAction }
  /** Never present: it carries the table's types to the actions of the item. */
  readonly types?: T
}

/** A row as it is shown: a cell for each column under its `data_src`, and the actions that apply to it. */
export type Item<T extends TableTypes> = T['item'] & RowOf<T>

export interface Page<T extends TableTypes> {
  readonly items: readonly Item<T>[]
  readonly pagination: Pagination
  /** Choices that depend on the other filters, by filter name: they replace the filter's own. */
  readonly bindings: Readonly<Record<string, readonly Choice[]>>
  readonly warnings?: readonly {
    readonly code: 'unknown_filter' | 'unknown_sort' | 'unknown_key' | 'unknown_param' | 'empty_range'
    readonly field: string
    readonly meant?: string
  }[]
}

/** What a table looks like to this caller. */
export interface Structure<T extends TableTypes> {
  readonly tableName: string
  readonly label: string
  readonly columns: readonly Column[]
  readonly filters: readonly Filter<T['filter']>[]
  readonly advancedFilters: readonly Filter<T['filter']>[]
  readonly rowActions: { readonly [Key in KeyOf<T['rowActions']>]?: RowAction }
  readonly bulkActions: readonly BulkAction[]
  readonly sortables: readonly T['sort'][]
  readonly defSortCol: string
  readonly defSortDir: 'asc' | 'desc'
  /** Never present: it carries the table's types to its actions. */
  readonly types?: T
}

/** The structure with the first page, as `withData` asks for. */
export interface StructureWithData<T extends TableTypes>
  extends Structure<T>,
    Pick<Page<T>, 'pagination' | 'bindings'> {
  readonly data: Page<T>['items']
}
