import type { TransactionSession } from '../db/database-session.ts'
import type { Bilingual, Label } from '../i18n/language.ts'
import type { ResponseOnSuccess } from '../wire/vocabulary.ts'

/** What an action's own code gets beside rows. */
export type Work<Scope, Input> = Scope & {
  /** drizzle inside the action's transaction: what is done through it happens together with the rest, or not at all. */
  readonly db: TransactionSession
  /** What the form's schema made of the body; `undefined` without a form. */
  readonly input: Input
  readonly requestId: string
}

/** What an action on one row adds to its answer; every other key is sent as it is, at the top level. */
export type ActionAnswer = void | {
  readonly message?: Label
  readonly onSuccess?: ResponseOnSuccess
  readonly [key: string]: unknown
}

/** What an action's own code returns: its answer, or the outcome of a statement, which says nothing to the client. */
export type Returned<Answer> = Answer | PromiseLike<Answer | readonly unknown[]>

/** A row that an action did not change, and why. */
export interface Refusal {
  readonly id: string | number | bigint
  readonly text: Bilingual
  readonly code?: string
}

/** What came of one chunk: the rows that were refused, and whatever the action's conclusion is to know. */
export type ChunkAnswer = void | {
  readonly refused?: readonly Refusal[]
  /** Kept as JSON until the conclusion. */
  readonly data?: unknown
}

/** What came of a whole run. */
export interface BulkOutcome {
  readonly selected: number
  readonly succeeded: number
  readonly failed: number
  /** The `data` of each chunk, in order. */
  readonly data: readonly unknown[]
}

/** What is told of a run, whichever way: as the answer, as a mail, as a notification or over the WebSocket. */
export interface BulkConclusion {
  /** The subject of a mail, the title of a notification. */
  readonly title?: Bilingual
  readonly message?: Bilingual
  readonly level?: 'info' | 'success' | 'warning' | 'danger'
  /** JSON of the author's own. */
  readonly data?: Readonly<Record<string, unknown>>
  readonly file?: { readonly name: string; readonly contentType: string; readonly content: Uint8Array }
}
