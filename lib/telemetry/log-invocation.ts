import { catalogue } from '../errors/catalogue.ts'
import type { Invocation } from './invocation.ts'
import { isLogged, log, logSettings } from './log.ts'
import { embeddedMetrics } from './metrics.ts'
import type { Level } from './powertools.ts'

/** The end of an invocation that has a response. */
export interface InvocationOutcome {
  readonly status: number
  /** The code of the error in the response. */
  readonly code?: string
  /**
   * Set if the keys were unavailable, so that the token could not be checked. Any token with an unknown key can cause
   * it.
   */
  readonly isUndecided?: boolean
  /** The facts for the log. */
  readonly failure?: object
}

/** Writes the one line of an invocation that was a request, which is also what its metrics are made of. */
export function logRequest(invocation: Invocation, outcome: InvocationOutcome): void {
  const { status, code, isUndecided = false, failure } = outcome
  const level = status < 500 ? 'info' : isUndecided ? 'warn' : 'error'
  if (!isLogged(level)) return
  // Authors have codes of their own, as many as they like, and each dimension of a metric is billed.
  const isKnown = code !== undefined && Object.hasOwn(catalogue, code)
  const codes = status < 400 ? {} : isKnown ? { code } : { code: 'other', own_code: ownCode(code) }
  write(level, invocation, { Requests: 1, ...requestMetrics(status, isUndecided) }, { status, ...codes, ...failure })
}

/** Only a word in snake_case passes, which no value of a caller is. */
const ownCode = (code: unknown) => (typeof code === 'string' && /^[a-z0-9_]{1,64}$/.test(code) ? code : undefined)

/** Writes the one line of an invocation without a response. */
export function logWork(invocation: Invocation): void {
  if (isLogged('info')) write('info', invocation, {}, {})
}

function requestMetrics(status: number, isUndecided: boolean) {
  if (status < 400) return undefined
  if (isUndecided) return { AuthUnavailable: 1 }
  return status < 500 ? { Refusals: 1 } : { Errors: 1 }
}

function write(level: Level, invocation: Invocation, own: object, outcome: object): void {
  const { endpoint, requestId, coldStart, facts, stages, counts, begunAt } = invocation
  const { queueAge, ...known } = facts
  const Duration = roundMs(performance.now() - begunAt)
  const metrics = { ...own, Duration, ...counts, ...(queueAge !== undefined && { QueueAge: queueAge }) }
  log(level, endpoint, {
    request_id: requestId,
    endpoint,
    ...known,
    ...outcome,
    cold_start: coldStart,
    access_ms: roundMs(stages.access),
    work_ms: roundMs(stages.work),
    format_ms: roundMs(stages.format),
    ...metrics,
    _aws: embeddedMetrics(logSettings().METRICS_NAMESPACE, Object.keys(metrics) as (keyof typeof metrics)[]),
  })
}

/** To hundredths of a millisecond, beyond which clocks say nothing. */
function roundMs(ms: number): number
function roundMs(ms: number | undefined): number | undefined
function roundMs(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 100) / 100
}
