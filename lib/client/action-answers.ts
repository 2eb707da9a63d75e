import type { Job, Notification } from './job.ts'
import type { Item, Query } from './queries.ts'
import type { TableTypes } from './table-types.ts'
import type { Counts, Link, ResponseOnSuccess, RowBulkOnSuccess, RowId, RowResult } from './wire.ts'

/**
 * `onSuccess` says what follows: `data.row` to put in place, `items`, a link as `data`, or fields to show. Of a response that has
 * `payload` it says what follows the second step.
 */
export interface RowAnswer<T extends TableTypes> {
  readonly onSuccess: ResponseOnSuccess
  readonly message: string
  readonly data?: { readonly row?: Item<T>; readonly url?: string; readonly [key: string]: unknown }
  readonly items?: readonly Item<T>[]
  /** First step of an action whose entry says `OpenModalForm`: the form to draw and its first values. `submit` posts it to `url`. */
  readonly payload?: { readonly schema: object; readonly values: Readonly<Record<string, unknown>> }
  readonly url?: string
  readonly [key: string]: unknown
}

export interface RowBulkAnswer<T extends TableTypes> {
  readonly onSuccess: RowBulkOnSuccess
  readonly message: string
  /** The rows that were changed and are still in the caller's scope. */
  readonly items: readonly Item<T>[]
  /** The rows that were changed and left it. */
  readonly removed?: readonly RowId[]
  readonly results: readonly RowResult[]
  readonly counts: Counts
}

/** The rows that a bulk action is for. Without `selected_ids`: every row that the filters select. */
export interface Selection<T extends TableTypes> extends Pick<Query<T>, 'filters' | 'sorts' | 'params'> {
  readonly selected_ids?: readonly RowId[]
  /** On any other number of rows nothing happens (`unexpected_count`). */
  readonly expected_count?: number
  /** Nothing happens but counting. */
  readonly dry_run?: boolean
  /** Exports: the columns of the file, in this order. */
  readonly columns?: readonly string[]
  /** CSV exports. Default: what spreadsheets of the caller's language expect. */
  readonly csv_separator?: ',' | ';'
  /** CSV exports: leaves texts that look like formulas as they are, for programs. */
  readonly csv_raw?: boolean
  /** E-mails: up to 10 addresses; left out: the caller's own. */
  readonly emails?: readonly string[]
}

/** What is there depends on the action's `action_response`. */
export interface BulkAnswer {
  readonly message?: string
  readonly onSuccess?: ResponseOnSuccess
  /** `instant`: a link to a file, which works for minutes and without a token. */
  readonly data?: Link
  readonly file_name?: string
  readonly rows?: number
  readonly job?: Pick<Job, 'id' | 'status'>
  readonly notification?: Notification
  readonly broadcast?: { readonly event: string; readonly channel: string }
  readonly counts?: Counts
  readonly results?: readonly RowResult[]
  /** Picked rows that are gone, never were or are nothing to this caller. */
  readonly not_found?: readonly RowId[]
  readonly [key: string]: unknown
}
