import type { KeyOf, TableTypes } from './table-types.ts'
import type {
  AggregateFunction,
  BulkAction,
  Choice,
  Column,
  Filter,
  GroupUnit,
  Operator,
  Pagination,
  RowAction,
  RowId,
  Urls,
} from './wire.ts'

export interface FilterOf<T extends TableTypes> {
  readonly field: T['filter']
  /** Default: the first of the filter's `props.operators`. */
  readonly operator?: Operator
  /** The value to compare with; absent only with `is null` and `is not null`. */
  readonly value?:
    | RowId
    | boolean
    | readonly RowId[]
    | { readonly from?: string | number; readonly to?: string | number }
    | undefined
}

/** Filters of which all, any or none hold: at most 5 groups deep and 100 filters in all. */
export type FilterGroup<T extends TableTypes> =
  | { readonly all: readonly FilterPart<T>[] }
  | { readonly any: readonly FilterPart<T>[] }
  | { readonly none: readonly FilterPart<T>[] }

export type FilterPart<T extends TableTypes> = FilterGroup<T> | FilterOf<T>

export interface SortOf<T extends TableTypes> {
  readonly field: T['sort']
  readonly direction: 'asc' | 'desc'
  /** The place of missing values. Default: `last`. */
  readonly nulls?: 'first' | 'last'
}

/** Words and "quoted phrases", which must all occur in the searchable columns, or in the named ones. */
export type Search<T extends TableTypes> =
  | string
  | { readonly q: string; readonly columns?: readonly KeyOf<T['item']>[] }

/** Selects rows and their order. */
export interface Query<T extends TableTypes> {
  readonly filters?: readonly FilterOf<T>[]
  /** Holds beside `filters`. Write it with `all`, `any` and `none`; an empty list clears that of the view. */
  readonly filter_groups?: FilterGroup<T> | readonly []
  /** The IANA time zone in which periods such as `today` begin; default that of the table. */
  readonly time_zone?: string
  /** An empty list clears that of the view. */
  readonly search?: Search<T> | readonly []
  /** The `token` of a group of `group_by`: selects its rows only. */
  readonly group?: string | null
  readonly sorts?: readonly SortOf<T>[]
  /** Totals of columns over all selected rows, at most 20. */
  readonly aggregates?: readonly { readonly field: KeyOf<T['item']>; readonly fn: AggregateFunction }[]
  /** Filters whose values are counted, at most 10; no text filters. */
  readonly facets?: readonly T['filter'][]
  /** Counts the selected rows by the values of at most 3 columns; `aggregates` are then of each group as well. */
  readonly group_by?: readonly GroupBy<T>[]
  /** At most `limit` groups, default 100 and at most 1000; `after` is the `groups_next` of the page before. */
  readonly groups_page?: { readonly limit?: number; readonly after?: string | null }
  /**
   * Asks for options of a filter whose `props.searchable` is true, in `bindings`, instead of rows; at most `limit`,
   * default 50.
   */
  readonly options?: {
    readonly field: T['filter']
    readonly search?: string
    readonly page?: number
    readonly limit?: number
  }
  /** Asks which restrictions exclude rows: always, only if no row is selected, or for one row. */
  readonly explain?: boolean | 'auto' | { readonly row_id: RowId }
  /** Counted from 1; default 1. */
  readonly page?: number
  /** Default 20. */
  readonly perPage?: number
  /** The `next_cursor` of the page before; replaces `page`. Null, that of the last page, stands for none. */
  readonly cursor?: string | null
  /** How the total is found; default: as the table says. `auto` never delays the page, `none` counts nothing. */
  readonly count?: 'exact' | 'auto' | 'none'
  /** A whole number that the page repeats, together with `query_hash`. */
  readonly request_seq?: number
  /** Further members of items. */
  readonly include?: readonly ('raw' | 'version' | 'matches' | 'selection')[]
  /**
   * Items have their `id` and these columns alone; `NA`, the `data_src` of the column of actions, stands for their
   * actions.
   */
  readonly columns?: readonly (KeyOf<T['item']> | 'NA')[]
  /** The id of a saved view, whose keys hold where this query has none. An empty list clears that of the view. */
  readonly view?: string
  /** The revision of that view; required in actions. */
  readonly view_revision?: number
  readonly params?: T['params']
}

/**
 * A column by which rows are grouped, and what its values are joined to: a unit of the calendar, or ranges of numbers.
 */
export interface GroupBy<T extends TableTypes> {
  readonly field: KeyOf<T['item']>
  readonly bucket?: GroupUnit | { readonly width: number | string }
}

interface RowOf<T extends TableTypes> {
  /** A setting of the service decides whether an item has `row.actions`, `actions` or both. */
  readonly row?: {
    readonly actions: { readonly [Key in KeyOf<T['rowActions']>]?: RowAction }
    /** The row's id as it stands in the path of a URL. */
    readonly path_id?: string
  }
  readonly actions?: { readonly [Key in KeyOf<T['rowActions']>]?: RowAction }
  /** With `include: ['raw']`: the values behind the cells, dates in ISO 8601. */
  readonly _raw?: { readonly [Key in KeyOf<T['item']>]?: unknown }
  /** With `include: ['version']`: another text after every change of the row. */
  readonly _version?: string
  /** With `include: ['matches']`: the columns that `search` was found in. */
  readonly _matches?: readonly KeyOf<T['item']>[]
  /** Never present: it carries the table's types to the actions of the item. */
  readonly types?: T
}

/**
 * A row: the cell of each column under its `data_src`, and the actions that apply to it. With `columns` only the named
 * ones.
 */
export type Item<T extends TableTypes> = T['item'] & RowOf<T>

/** A value of a filter, or a range whose `to` is exclusive, and how many rows have it. */
export interface FacetOption {
  readonly value: RowId | { readonly from: RowId; readonly to: RowId }
  readonly label: string
  readonly count: number
}

/** Totals by column and function. `text` is written for people. */
export type Aggregates<T extends TableTypes> = {
  readonly [Field in KeyOf<T['item']>]?: {
    readonly [Fn in AggregateFunction]?: { readonly value: number | string | null; readonly text: string }
  }
}

/**
 * The selected rows whose keys are equal. `token` opens them as `group`; it is null where too many groups are open
 * already.
 */
export interface Group<T extends TableTypes> {
  /** One for each column of `group_by`, in that order. The value of a bucket is its start. */
  readonly keys: readonly { readonly value: RowId | boolean | null; readonly text: string }[]
  readonly count: number
  readonly aggregates: Aggregates<T>
  readonly token: string | null
}

/** The total without each restriction, and the restriction without which it would be the highest. */
export interface Explanation {
  readonly total: number
  /** `filter` is the name of a filter, `filter_groups`, `search` or `group`. */
  readonly without: readonly { readonly filter: string; readonly total: number }[]
  readonly most: string | null
}

/** The restrictions that keep a row out; none where it is selected. */
export interface RowExplanation {
  readonly row_id: RowId
  readonly excluded_by: readonly string[]
}

export interface Page<T extends TableTypes> {
  readonly items: readonly Item<T>[]
  readonly pagination: Pagination
  /** Choices that depend on the other filters, by filter name: they replace the filter's own. */
  readonly bindings: Readonly<Record<string, readonly Choice[]>>
  /** The requested totals. */
  readonly aggregates?: Aggregates<T>
  /** In the order of their keys, missing values last. */
  readonly groups?: readonly Group<T>[]
  /** The `after` of the next groups; null where these are the last. */
  readonly groups_next?: string | null
  readonly explain?: Explanation | RowExplanation
  /** The parts of the request that took too long and are left out. */
  readonly partial?: readonly ('aggregates' | 'facets' | 'groups' | 'explain' | 'selection')[]
  /** The most frequent values first; ranges of numbers and dates in their order. */
  readonly facets?: {
    readonly [Name in T['filter']]?: { readonly options: readonly FacetOption[]; readonly more: boolean }
  }
  /** The periods of the request; `to` is exclusive. */
  readonly resolved?: readonly {
    readonly field: T['filter']
    readonly operator: 'within'
    readonly value: string
    readonly from: string
    readonly to: string
  }[]
  readonly request_seq?: number
  /** Names the selected rows: equal for all pages of the same filters and params. */
  readonly query_hash?: string
  /** With `include: ['selection']`: lets an action run on these rows only as they are now. */
  readonly selection_token?: string
  /** The saved view that filled in the query. */
  readonly view?: { readonly id: string; readonly revision: number }
  readonly warnings?: readonly {
    readonly code: 'unknown_filter' | 'unknown_sort' | 'unknown_key' | 'unknown_param' | 'empty_range' | 'short_word'
    readonly field: string
    readonly meant?: string
  }[]
}

/** An allowance: at most `max` at once, refilled evenly by `max` in each `seconds`. */
interface UsageLimit {
  readonly max: number
  readonly seconds: number
}

/** The limits of a caller; one that is off is absent. Beyond a limit, a request fails with 422 or 429. */
export interface Limits {
  readonly page_size: number
  readonly filters: number
  readonly sorts: number
  readonly selected_rows: number
  readonly instant_rows: number
  readonly requests?: UsageLimit
  readonly exports?: UsageLimit
  readonly mails?: UsageLimit
  readonly jobs: { readonly unfinished: number; readonly running?: number }
  readonly sockets?: number
}

/** The columns, filters, actions and sorts that the caller may use. */
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
  readonly limits: Limits
  /** The URLs of the action that writes cells; present where the caller can edit any. */
  readonly editing?: {
    readonly url_template: Urls
    readonly bulk_url: Urls
  }
  /** Never present: it carries the table's types to its actions. */
  readonly types?: T
}

/** The structure together with the first page. */
export interface StructureWithData<T extends TableTypes>
  extends Structure<T>,
    Pick<Page<T>, 'pagination' | 'bindings' | 'warnings'> {
  readonly data: Page<T>['items']
}
