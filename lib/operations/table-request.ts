import type { Identity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Language } from '../i18n/language.ts'
import type { Warning } from '../query/plan.ts'
import type { SavedViewRevision } from '../query/selection-token.ts'
import type { EndpointName } from '../routes.ts'
import type { PlannedRows } from '../storage/plans.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { OpenedTable } from '../table/open-table.ts'
import type { UnknownBody } from '../table/unknown-body.ts'
import type { Invocation } from '../telemetry/invocation.ts'
import type { Reply } from './reply.ts'

export { ownValue, type UnknownBody } from '../table/unknown-body.ts'

/** A request whose caller is known. */
export interface CallerRequest {
  readonly identity: Identity
  readonly guard: string
  readonly language: Language
  /** Prefix of every URL in the response: scheme and host without a final slash, or empty for relative URLs. */
  readonly baseUrl: string
  readonly requestId: string
  readonly method: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly config: Config
  readonly database: Database
  /** The path's parameters, decoded once by the gateway. */
  readonly path: Readonly<Record<string, string | undefined>>
  readonly query: string
  readonly body: UnknownBody
  /** Collects facts about the request for the log. */
  readonly invocation?: Invocation
}

/** A request to a table that passed access control, with everything that its operation may touch. */
export interface TableRequest extends CallerRequest, OpenedTable {
  readonly table: CompiledTable
  /** Asks the table's middlewares whether the caller may use another endpoint. Throws what they throw. */
  readonly assertAdmitted: (endpoint: EndpointName) => Promise<void>
  /** Names the group of callers with whom the caller may share views; `undefined` where there is none. */
  readonly tenant: () => string | undefined
  /** Headers of the response to the request, beside those that every response has. */
  readonly responseHeaders?: Record<string, string>
  /**
   * The body as it was sent, if the service has changed `body`: for a saved view, a plan, former names or the keys of
   * effects.
   */
  readonly sentBody?: UnknownBody
  /** The former key of the action, if the path has that. */
  readonly sentAction?: string
  /** The part of a sent body that describes the page of the caller, where the body is that of a plan. */
  readonly pageBody?: UnknownBody
  /** The parts of the selection of an action that were ignored, which its response names. */
  readonly warnings?: readonly Warning[]
  /** The saved view that has filled in the body. */
  readonly savedView?: SavedViewRevision
  /** Set where the request only plans the action. */
  readonly isPlanning?: true
  /** The plan that the request applies. */
  readonly plan?: AppliedPlan
  /** Asks a worker to notify the watchers of the table. Never rejects. */
  readonly wakeWatchers?: () => Promise<void>
  /** Set while the request builds a file under its `Idempotency-Key`. */
  readonly mark?: string
}

/** A plan while it is applied. */
export interface AppliedPlan {
  readonly id: string
  readonly rows: PlannedRows
}

/** The keys of a response beside `success: true`; a value may be `JsonText`. */
export type Payload = Readonly<Record<string, unknown>>

export type Operation = (request: TableRequest) => Promise<Payload | Reply>

/** A bulk action as a request named it. */
export interface RequestedAction {
  readonly tableName: string
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
}

/** A request that is about the caller and not about a table. */
export interface OwnRequest extends CallerRequest {
  /**
   * Checks whether the caller may run a bulk action now. Throws `table_not_found`, `action_not_defined`, or what the
   * table's middlewares throw.
   */
  readonly assertMayRun: (asked: RequestedAction) => Promise<void>
}

export type CallerOperation = (request: OwnRequest) => Promise<Payload | Reply>

/** An endpoint without a token: the path itself must prove what it may show. */
export type PublicOperation = (request: Omit<CallerRequest, 'identity'>) => Promise<Payload | Reply>
