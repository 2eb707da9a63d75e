/**
 * The parts of a response's time, in their order: who is calling, the operation with its database, what is made of the
 * outcome.
 */
export type Stage = 'access' | 'work' | 'format'

/** The counters beside requests. Each is a metric of the same name. */
export type Count =
  | 'Rows'
  | 'Exports'
  | 'ReportRows'
  | 'MailsSent'
  | 'MailsFailed'
  | 'MailsDelayed'
  | 'MailsUnknown'
  | 'Pushes'
  | 'PushesGone'
  | 'PushesFailed'
  | 'JobsFailed'
  | 'JobsRetried'
  | 'JobsResent'
  | 'JobsOverdue'
  | 'FailureMailsResent'
  | 'FilesRemoved'
  | 'RowsRemoved'
  | 'SocketsClosed'
  | 'WatchersWoken'
  | 'Sweeps'

/**
 * The facts of one invocation, collected while it runs for its line in the log: names of the deployment and numbers,
 * but no value of a caller.
 */
export interface Invocation {
  readonly endpoint: string
  readonly requestId: string
  readonly coldStart: boolean
  readonly facts: Facts
  /** In milliseconds. */
  readonly stages: { [Key in Stage]?: number }
  readonly counts: { [Key in Count]?: number }
  readonly begunAt: number
  stageBegunAt: number
  /** Set when the deadline has passed and the client was answered: from now on nothing may be committed for it. */
  isOverdue: boolean
  /** Set when an action's commit is about to be sent: from now on its changes may be saved. */
  mayHaveCommitted: boolean
}

interface Facts {
  /** `{service}.{guard}.{endpoint}` */
  route?: string
  table?: string
  action?: string
  /** The key of a column whose value cannot be computed for a row. */
  column?: string
  /** The result of `identityHash`. */
  identity?: string
  language?: string
  /** The job that was worked on; `request_id` is then that of the request for it. */
  job?: string
  request_id?: string
  /** How long the job of a message had waited, in milliseconds. */
  queueAge?: number
}

let isCold = true

/** Begins to measure. The first invocation of a process is its cold start. */
export function beginInvocation(endpoint: string, requestId: string): Invocation {
  const begunAt = performance.now()
  const coldStart = isCold
  isCold = false
  const deadline = { isOverdue: false, mayHaveCommitted: false }
  return {
    endpoint,
    requestId,
    coldStart,
    facts: {},
    stages: {},
    counts: {},
    begunAt,
    stageBegunAt: begunAt,
    ...deadline,
  }
}

/** Adds what is known by now; without an invocation, nothing. */
export function addFacts(invocation: Invocation | undefined, facts: Facts): void {
  if (invocation !== undefined) Object.assign(invocation.facts, facts)
}

/** Ends a stage, which began where the one before it ended. A stage that ends twice has both its times. */
export function endStage(invocation: Invocation | undefined, stage: Stage): void {
  if (invocation === undefined) return
  const now = performance.now()
  invocation.stages[stage] = (invocation.stages[stage] ?? 0) + now - invocation.stageBegunAt
  invocation.stageBegunAt = now
}

/** Counts what has happened; without an invocation, nothing. */
export function count(invocation: Invocation | undefined, what: Count, by = 1): void {
  if (invocation !== undefined) invocation.counts[what] = (invocation.counts[what] ?? 0) + by
}
