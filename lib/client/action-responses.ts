import type { ActionPlan } from './action-plan.ts'
import type { Job, Notification } from './job.ts'
import type { Item, Page, Query } from './queries.ts'
import type { TableTypes } from './table-types.ts'
import type { Counts, Link, ResponseOnSuccess, RowBulkOnSuccess, RowId, RowResult } from './wire.ts'

/** The rows of a page that an action has changed; for `include: ['effects']` in its body. */
export interface Effects<T extends TableTypes> {
  /** The changed rows that the page still shows. */
  readonly rows: readonly Item<T>[]
  /** Changed rows that it shows no more. */
  readonly removed: readonly RowId[]
  /** The parts of the page to ask again; with `rows`, the page itself. */
  readonly refetch: readonly ('rows' | 'aggregates' | 'facets' | 'bindings')[]
  /** The parts of the described page that were ignored. */
  readonly warnings?: Page<T>['warnings']
}

/** Takes a change back until it expires. */
export interface Undo<T extends TableTypes> {
  readonly url: string
  readonly expires_at: string
  /** Never present: it carries the table's types to the rows of the undo. */
  readonly types?: T
}

/**
 * The response of a row action. `onSuccess` says what the page does next: replace the row by `data.row`, use `items`,
 * open the link in `data`, or show fields. If there is a `payload`, it says what the page does after the second step.
 */
export interface RowActionResponse<T extends TableTypes> {
  readonly onSuccess: ResponseOnSuccess
  readonly message: string
  readonly data?: { readonly row?: Item<T>; readonly url?: string; readonly [key: string]: unknown }
  readonly items?: readonly Item<T>[]
  /**
   * The form to draw and its initial values, in the first step of an `OpenModalForm` action. `submit` posts it to
   * `url`.
   */
  readonly payload?: { readonly schema: object; readonly values: Readonly<Record<string, unknown>> }
  readonly url?: string
  /** For `undo` of the client of changes. Absent if nothing has changed, or the action cannot be undone. */
  readonly undo?: Undo<T>
  readonly effects?: Effects<T>
  readonly [key: string]: unknown
}

export interface RowBulkActionResponse<T extends TableTypes> {
  /** For `plan: true`, and then alone. */
  readonly plan?: ActionPlan
  /** The plan was applied before: this is its first response. */
  readonly replayed?: true
  readonly onSuccess: RowBulkOnSuccess
  readonly message: string
  /** The rows that were changed and are still in the caller's scope. */
  readonly items: readonly Item<T>[]
  /** The ids of changed rows that are no longer in the caller's scope. */
  readonly removed?: readonly RowId[]
  readonly results: readonly RowResult[]
  readonly counts: Counts
  readonly undo?: Undo<T>
  readonly effects?: Effects<T>
}

/** The rows that a bulk action is for. Without `selected_ids`: every row that the filters select. */
export interface Selection<T extends TableTypes>
  extends Pick<
    Query<T>,
    'filters' | 'filter_groups' | 'time_zone' | 'search' | 'group' | 'sorts' | 'params' | 'view' | 'view_revision'
  > {
  /** The `token` of a group of `group_by`: its rows only. */
  readonly group?: string
  readonly selected_ids?: readonly RowId[]
  /** All rows that the filters select, without `excluded_ids`; not beside `selected_ids`. */
  readonly select_all?: boolean
  readonly excluded_ids?: readonly RowId[]
  /**
   * The token of a page: the action fails with `selection_moved` if more rows than `tolerance` have come, gone or
   * changed since.
   */
  readonly selection_token?: string
  /** 0 to 100; default 0. */
  readonly tolerance?: number
  /** The action fails with `unexpected_count`, and changes nothing, if it selects any other number of rows. */
  readonly expected_count?: number
  /** Returns a `plan` and changes nothing. */
  readonly plan?: boolean
  /** Runs the action as it was planned; only `include`, `columns` and `row_actions` may stand beside it. */
  readonly plan_id?: string
  /** Only counts the rows; changes nothing. */
  readonly dry_run?: boolean
  /** With `effects`: the response says what has become of the rows of the page, with further parts of its items. */
  readonly include?: readonly ('effects' | 'raw' | 'version' | 'matches')[]
  readonly row_actions?: 'keys'
  /** Exports: the columns of the file, in this order. */
  readonly columns?: readonly string[]
  /** Excel exports: makes a workbook that can be edited and sent back, where the action has `round_trip`. */
  readonly round_trip?: boolean
  /** CSV exports. Default: what spreadsheets of the caller's language expect. */
  readonly csv_separator?: ',' | ';' | null
  /** CSV exports: leaves texts that look like formulas as they are, for programs. */
  readonly csv_raw?: boolean | null
  /** E-mail exports: up to 10 addresses; default: the caller's own. */
  readonly emails?: readonly string[]
}

/** The page whose rows the `effects` of a response tell of. */
export type EffectsPage<T extends TableTypes> = Pick<
  Selection<T>,
  | 'include'
  | 'columns'
  | 'row_actions'
  | 'filters'
  | 'filter_groups'
  | 'time_zone'
  | 'search'
  | 'group'
  | 'view'
  | 'view_revision'
>

/** The keys that may stand beside the fields of a row action's form. */
export type RowConditions<T extends TableTypes> = EffectsPage<T> & Pick<Selection<T>, 'expected_count' | 'dry_run'>

/** The response of a bulk action. Its fields depend on the action's `action_response`. */
export interface BulkActionResponse {
  /** For `plan: true`, and then alone. Of many rows, it is `result.plan` of the `job`. */
  readonly plan?: ActionPlan
  /** The plan was applied before: this is its first response. */
  readonly replayed?: true
  readonly message?: string
  readonly onSuccess?: ResponseOnSuccess
  /** `instant`: a link to a file, which works without a token for some minutes. */
  readonly data?: Link
  readonly file_name?: string
  readonly rows?: number
  readonly job?: Pick<Job, 'id' | 'status'>
  readonly notification?: Notification
  readonly broadcast?: { readonly event: string; readonly channel: string }
  readonly counts?: Counts
  readonly results?: readonly RowResult[]
  /** Selected ids that do not exist or that the caller may not see. */
  readonly not_found?: readonly RowId[]
  /** The parts of the selection that were ignored, such as a sort that the table does not have. */
  readonly warnings?: Page<TableTypes>['warnings']
  readonly effects?: Effects<TableTypes>
  readonly [key: string]: unknown
}
