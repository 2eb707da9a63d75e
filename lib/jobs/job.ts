import type { ActionTarget } from '../actions/action-rows.ts'
import type { RefusalGroup } from '../actions/plan-refusals.ts'
import type { Counts, RowResult } from '../actions/row-outcome.ts'
import type { Identity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { type Bilingual, type Language, translate } from '../i18n/language.ts'
import type { NotificationLevel } from '../push/notification.ts'
import type { FileLink, ReportFile } from '../storage/store-file.ts'
import { labelFromKey } from '../table/action-key.ts'
import type { BulkAction } from '../table/compiled-table.ts'
import type { Registry } from '../table/registry.ts'
import type { Invocation } from '../telemetry/invocation.ts'

/** A stored job: what was requested, and its progress. */
export interface Job {
  readonly id: string
  readonly identity: Identity
  readonly guard: string
  readonly language: Language
  readonly tableName: string
  readonly action: string
  readonly kind: 'report' | 'bulk' | 'import' | 'plan'
  readonly response: 'email' | 'notification' | 'websocket'
  /** The body of the request. */
  readonly body: Readonly<Record<string, unknown>>
  readonly requestId: string
  readonly baseUrl: string
  readonly requestedAt: Date
  /** The number of attempts since the job last made progress, this one included. */
  readonly attempts: number
  readonly done: number
  readonly total: number | undefined
  readonly cancelRequested: boolean
  /** True if an event of the job was stored, even if no socket was open. */
  readonly announced: boolean
}

/**
 * Returns whether sockets get the events of a job. An import is followed at its own endpoint: no client knows the id of
 * its job.
 */
export const hasEvents = ({ kind, response }: Job): boolean => response === 'websocket' && kind !== 'import'

/** A job under the lease of one worker, which alone may change it. */
export interface LeasedJob extends Job {
  readonly leaseToken: string
}

/** The progress of a job, counted from committed changes only. */
export interface JobProgress {
  /** The number of rows that were changed, or written to a file. */
  readonly rows: number
  /** The number of processed rows, refused ones included. */
  readonly done: number
  /** Absent if the rows were not counted. */
  readonly total?: number
  /** Present for an action that has processed rows. */
  readonly counts?: Counts & { readonly selected: number }
}

/** The reason why a job ended without doing all that was requested. */
export interface JobFailure extends Bilingual {
  readonly code: string
  /** The rows of an action that were processed before: their changes stay. */
  readonly counts?: JobProgress['counts']
}

/** The outcome of a job's work, before its owner is notified. */
export interface JobOutcome {
  /** The title of the mail or notification. Default: the label of the action. */
  readonly title?: Bilingual
  readonly message: Bilingual
  readonly level: NotificationLevel
  /** The number of rows that were written or changed. */
  readonly rows: number
  readonly counts?: JobProgress['counts']
  /** The first rows that failed. */
  readonly results?: readonly RowResult[]
  /** The rows of a plan that failed, by their reason. */
  readonly refused?: readonly RefusalGroup[]
  /** JSON of the action's author. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly file?: ReportFile
}

/** The stored result of a job, as `GET jobs/{id}` and the WebSocket show it. */
export type JobResult = Readonly<Record<string, unknown>>

/** The mail of a job to one address. */
export interface Recipient {
  readonly address: string
  readonly state: 'pending' | 'sending' | 'sent' | 'failed' | 'unknown'
  /** The reason of `failed` and `unknown`, and of a `pending` mail that SES asked to send later. */
  readonly code: string | undefined
}

/** The part of a service that stores and ends jobs. */
export interface JobService {
  readonly config: Config
  readonly database: Database
  readonly invocation?: Invocation
}

/** The service of the function that runs jobs. */
export interface JobWorker extends JobService {
  readonly registry: Registry
  /** For transactions of minutes, so that `database` stays free for the job's own rows. */
  readonly work: Database
}

/** The table and action of a job, opened with its owner's present rights. */
export interface JobTarget extends ActionTarget {
  readonly action: BulkAction
}

/** Ends the work on a job and takes its progress. */
export interface JobControl {
  readonly signal: AbortSignal
  /** Aborted half a minute after `signal`, with the same reason: work that has not ended by then hangs. */
  readonly abandoned: AbortSignal
  readonly progress: (done: number, total: number | undefined) => void
}

/**
 * `lost`: another worker may hold the lease, so nothing more may be written or sent. `cancelled`: the owner cancelled
 * the job. `deadline`: the time of the function is nearly over.
 */
type StopReason = 'lost' | 'cancelled' | 'deadline'

/** Ends the work on a job. It is no failure of the job. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
  readonly reason: StopReason

  constructor(reason: StopReason) {
    super(`the work on a job was stopped: ${reason}`)
    this.reason = reason
  }
}

/**
 * Waits for code of an author, which may never end. Rejects with the reason of `abandoned` if that is aborted before.
 */
export function untilAbandoned<T>({ abandoned }: Pick<JobControl, 'abandoned'>, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (abandoned.aborted) reject(abandoned.reason)
  abandoned.addEventListener('abort', () => reject(abandoned.reason))
  return Promise.race([work, promise])
}

/** Ends an attempt whose mails SES asks to send later. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater'
  readonly afterSeconds: number
  /** The failure of the job if no attempt is left. */
  readonly failure: JobFailure
  /** The code of SES, for the log. */
  readonly code: string
  /** The link to the report file for the job's owner, if no attempt is left. */
  readonly link: FileLink | undefined

  constructor(afterSeconds: number, failure: JobFailure, code: string, link: FileLink | undefined) {
    super(`a job must wait: ${failure.code}`)
    this.afterSeconds = afterSeconds
    this.failure = failure
    this.code = code
    this.link = link
  }
}

/** Returns the fields by which the log refers to a job. */
export const jobLogFields = ({ id, tableName, action, attempts, requestId }: Job) => ({
  job: id,
  table: tableName,
  action,
  attempt: attempts,
  request_id: requestId,
})

/** Returns the label of an action in both languages, made of the key if the action is no longer registered. */
export function actionLabel({ key, definition }: Pick<BulkAction, 'key'> & Partial<BulkAction>): Bilingual {
  const label = definition?.label ?? labelFromKey(key)
  return { en: translate(label, 'en'), ar: translate(label, 'ar') }
}
