import type { ActionPlan } from './action-plan.ts'
import type { BulkResponse, Counts, RowResult } from './wire.ts'

/** A job as its owner sees it. `succeeded`, `failed`, `cancelled` and `unknown` are final. */
export interface Job {
  readonly id: string
  readonly status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'unknown'
  readonly action: string
  readonly table: string
  readonly response: BulkResponse
  readonly done: number
  readonly total: number | null
  readonly created_at: string
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly result?: JobResult
  readonly code?: string
  readonly errors?: readonly [english: string, arabic: string]
  readonly counts?: Counts
  readonly cancel_requested?: boolean
  readonly recipients?: readonly { readonly address: string; readonly status: string; readonly code?: string }[]
}

/** A job that has failed, or whose mails were not all sent, may lack any key. */
export interface JobResult {
  readonly message?: string
  readonly rows?: number
  readonly counts?: Counts
  readonly results?: readonly RowResult[]
  /** Failed rows of an applied plan, by their reason. */
  readonly refused?: ActionPlan['refused']
  /** The plan that the job has made for `plan: true`. */
  readonly plan?: ActionPlan
  readonly url?: string
  readonly file_name?: string
  readonly data?: unknown
}

/** Returns whether the job's status is final. */
export const isFinished = ({ status }: Job): boolean => status !== 'queued' && status !== 'running'

export interface Notification {
  readonly id: number
  readonly title: string
  readonly body: string
  readonly level: 'info' | 'success' | 'warning' | 'danger'
  readonly created_at: string
  readonly read_at: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** A message of the WebSocket, or one that was missed and fetched afterwards. */
export interface Message {
  readonly event: string
  readonly channel: string
  readonly id: string | number
  /** Absent in messages that were fetched afterwards. */
  readonly seq?: number
  readonly data: Readonly<Record<string, unknown>>
}
