import type { Identity, StoredIdentity } from '../auth/identity.ts'
import type { Bilingual, Language } from '../i18n/language.ts'
import type { Reached } from './reached.ts'

/** A job as whoever works on it knows it: what was asked for, and how far it is. */
export interface Job {
  readonly id: string
  readonly identity: Identity
  readonly guard: string
  readonly language: Language
  readonly tableName: string
  readonly action: string
  readonly kind: 'report' | 'bulk'
  readonly response: 'email' | 'notification' | 'websocket'
  /** The body of the request. */
  readonly body: Readonly<Record<string, unknown>>
  readonly requestId: string
  readonly baseUrl: string
  readonly requestedAt: Date
  /** How often it was begun since it last got anywhere, this time included. */
  readonly attempts: number
  readonly done: number
  readonly total: number | undefined
  readonly cancelRequested: boolean
  /** Whether its owner's sockets have heard of it. */
  readonly announced: boolean
}

/** A job in the hands of the one worker that may change it. */
export interface HeldJob extends Job {
  readonly leaseToken: string
}

/** Why a job ended without doing what it was asked. */
export interface JobFailure extends Bilingual {
  readonly code: string
  /** What came of the rows of an action until then, where it had met any: that is not undone. */
  readonly counts?: Reached['counts']
}

/** By what a job is found in the log. */
export const jobFacts = ({ id, tableName, action, attempts, requestId }: Job): Readonly<Record<string, unknown>> => ({
  ...{ job: id, table: tableName, action, attempt: attempts, request_id: requestId },
})

/** What to select of the table for `jobOf`. */
export const jobFields = `id, identity, guard, language, table_name, action, kind, response, request, request_id, base_url,
  extract(epoch from created_at)::float8, attempts, done, total, cancel_requested, seq`

/** A row of `jobFields`. */
export function jobOf(row: readonly unknown[]): Job {
  const [id, identity, guard, language, tableName, action, kind, response, body, requestId, baseUrl, ...state] = row
  const [createdAt, attempts, done, total, cancelRequested, seq] = state
  const { subject, claims, email } = identity as StoredIdentity
  const stored = { id, guard, language, tableName, action, kind, response, body, requestId, baseUrl }
  return {
    // The table's own columns say what they hold.
    ...(stored as Pick<Job, keyof typeof stored>),
    identity: { subject, claims, ...(email !== undefined && { email }) },
    requestedAt: new Date(Number(createdAt) * 1_000),
    attempts: Number(attempts),
    done: Number(done),
    total: typeof total === 'number' ? total : undefined,
    cancelRequested: cancelRequested === true,
    announced: Number(seq) > 0,
  }
}
