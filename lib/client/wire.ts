import type {
  AggregateFunction,
  BulkResponse,
  CellValue,
  WireColumnType as ColumnType,
  FilterType,
  GroupUnit,
  OnSuccess,
  Operator,
  ResponseOnSuccess,
  RowBulkOnSuccess,
  ValueStyle,
  ValueType,
} from '../wire/vocabulary.ts'

export type {
  AggregateFunction,
  BulkResponse,
  CellValue,
  ColumnType,
  FilterType,
  GroupUnit,
  OnSuccess,
  Operator,
  ResponseOnSuccess,
  RowBulkOnSuccess,
  ValueType,
}

export type RowId = string | number

export interface Choice {
  readonly value: RowId
  readonly label: string
  /** The rows that have it, for options that were asked for. */
  readonly count?: number
}

/**
 * A former name of a part of the structure, the day since when it is deprecated, and the day from which it may be gone.
 */
export interface Formerly {
  readonly name: string
  readonly since: string
  readonly sunset: string
}

/** A column of the structure; beyond these keys each type has its own. */
export interface Column {
  /** Decides how the client draws a cell. */
  readonly type: ColumnType
  /** The kind of a cell's value. */
  readonly value_type: ValueType
  readonly label: string
  readonly name: string | null
  readonly data_src: string
  readonly sortable: boolean
  /** Whether `search` looks for words in it. */
  readonly searchable?: true
  readonly showable: boolean
  readonly minWidth: string
  readonly values_formating?: Readonly<
    Record<string, { readonly showValue: string; readonly style?: ValueStyle } | string>
  >
  readonly decimals?: number | null
  readonly format?: string
  /** The order of its texts: `natural` or a locale. Default: that of the database. */
  readonly collation?: string
  /** JSON Schema of the values that its cells take; absent where the caller cannot edit them. */
  readonly editable?: object
  readonly formerly?: Formerly
  readonly [key: string]: unknown
}

/** A filter of the structure. A date filter is two of them, the first of which names the other in `pair_with`. */
export interface Filter<Name extends string = string> {
  readonly type: FilterType
  readonly filter_name: Name
  readonly label: string
  readonly pair_with?: Name
  /** In `filters`: also listed in `advancedFilters`. */
  readonly advanced?: true
  readonly group_src?: string
  readonly formerly?: Formerly
  readonly min?: number
  readonly max?: number
  readonly props: {
    readonly operators: readonly [Operator, ...Operator[]]
    /** Texts are compared without case, diacritics and tashkeel, as searches compare. */
    readonly fold?: true
    readonly options?: readonly Choice[]
    readonly select_options?: Readonly<Record<string, string>>
    readonly default_selected?: string
    readonly is_from?: boolean
    /** The options are not listed: a query asks for them by its `options`. */
    readonly searchable?: true
  }
}

/** The URLs of an endpoint under each guard; `web` only while that guard is on. */
export interface Urls {
  readonly api: string
  readonly web?: string
}

interface Action {
  readonly action_key: string
  readonly label: string
  readonly button: { readonly label: string; readonly btnClasses: readonly string[] }
  readonly action: Urls
  readonly onSuccess: OnSuccess
  readonly need_confirmation: boolean
  readonly confirmation?: string
  readonly payload_keys: readonly string[]
  /** JSON Schema of the fields to ask for; only in the structure. */
  readonly form?: object
  /** Only in the structure. */
  readonly formerly?: Formerly
}

/** A row action, of the structure or of an item; an item's has the row in its URLs and no template. */
export interface RowAction extends Action {
  readonly action_type: 'normal' | 'toggle' | 'redirect' | 'external_redirect' | 'copy' | 'custom_control'
  /** The URL of any row: an item's `row.path_id` takes the place of `{id}`. */
  readonly url_template?: Urls
  readonly applicableAsBulkAction: boolean
  readonly onBulkSuccess?: RowBulkOnSuccess
  readonly bulk_actions_url?: Urls
  readonly toggle_current_value?: boolean
  readonly redirect_routes?: Urls
  readonly copy_value?: string
  /** An item's action that its row does not allow now; absent where it does. */
  readonly enabled?: false
  /** Says why `enabled` is false, in the caller's language. */
  readonly reason?: string
}

export interface BulkAction extends Action {
  readonly action_response: BulkResponse
  /** With `round_trip: true` in the body, its file can be edited and sent back. */
  readonly round_trip?: true
}

export interface Pagination {
  readonly current_page: number
  readonly per_page: number
  /** Exact only if `total_kind` is `exact`. */
  readonly total: number
  /** With an inexact total: the last page that is known to exist. */
  readonly last_page: number
  readonly from: number | null
  readonly to: number | null
  /**
   * `capped`: there are more than `total` rows. `estimated`: about `total` rows. `at_least`: the rows seen so far.
   */
  readonly total_kind: 'exact' | 'capped' | 'estimated' | 'at_least'
  /** The `cursor` of the next page; null on the last page. */
  readonly next_cursor: string | null
}

export interface RowResult {
  readonly id: RowId
  readonly success: boolean
  readonly code?: string
  readonly errors?: readonly string[]
  /** The row as it is now, of `row_version_conflict`. */
  readonly current?: Readonly<Record<string, unknown>>
  /** The cells that differ from the expected version, of `row_version_conflict`. */
  readonly changed?: readonly { readonly field: string; readonly label: string; readonly now: unknown }[]
}

export interface Counts {
  readonly selected?: number
  readonly succeeded?: number
  readonly failed?: number
}

export interface Link {
  readonly url: string
  readonly filename: string
  readonly expires_at?: string
  /** The id with which the caller extends or revokes the link. */
  readonly download_id?: string
}
