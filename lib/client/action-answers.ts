import type { Job, Notification } from './job.ts'
import type { Item, Query } from './queries.ts'
import type { TableTypes } from './table-types.ts'
import type { Counts, Link, OnSuccess, RowId, RowResult } from './wire.ts'

/** What follows is told by `onSuccess`: `data.row` to put in place, `items`, a link as `data`, fields to show, or a second step. */
export interface RowAnswer<T extends TableTypes> {
  readonly onSuccess: OnSuccess
  readonly message: string
  readonly data?: { readonly row?: Item<T>; readonly url?: string; readonly [key: string]: unknown }
  readonly items?: readonly Item<T>[]
  /** `OpenModalForm`: the form to draw, what it begins with, and where `submit` posts it. */
  readonly payload?: { readonly schema: object; readonly values: Readonly<Record<string, unknown>> }
  readonly url?: string
  readonly onSubmitSuccess?: OnSuccess
  readonly [key: string]: unknown
}

export interface RowBulkAnswer<T extends TableTypes> {
  readonly onSuccess: OnSuccess
  readonly message: string
  readonly items: readonly Item<T>[]
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
  /** E-mails: up to 10 addresses; left out: the caller's own. */
  readonly emails?: readonly string[]
}

/** What is there depends on the action's `action_response`. */
export interface BulkAnswer {
  readonly message?: string
  readonly onSuccess?: OnSuccess
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
