import { RequestError } from '../errors/request-error.ts'
import { log } from '../telemetry/log.ts'
import { causesOf, codeOf, errorFacts } from './error-facts.ts'

interface FailedRequest {
  readonly requestId: string
  readonly route: string
  /** The table that the request named, where it named one. */
  readonly table?: string
  /** The action's key, of a request for one. */
  readonly action?: string
}

/** A failure of a job's work. */
interface FailedJob extends FailedRequest {
  readonly job: string
  readonly attempt?: number
  /** Left out where the job is over. */
  readonly againAfterSeconds?: number
}

/**
 * What the log tells of a failure that is not the client's: class, database code and the places in the code say what happened.
 * Messages are told in full with LOG_MESSAGES=all alone, which is for a developer's own machine.
 */
export const failureFacts = (thrown: unknown): { readonly errors?: readonly object[] } =>
  isOfClient(thrown) ? {} : { errors: causesOf(thrown).map(errorFacts) }

/** Logs a failure that is not the client's, of work that goes on or has no line of its own. */
export function logFailure(thrown: unknown, request: FailedRequest): void {
  if (!isOfClient(thrown)) log('error', 'failed', { ...requestFacts(request), ...failureFacts(thrown) })
}

/**
 * Logs in one line what has stopped the work on a job: a warning where it is tried again, and where its owner could have known
 * better; else an error. `code` is that of the first cause, such as a service of AWS or the database.
 */
export function logJobFailure(thrown: unknown, { job, attempt, againAfterSeconds, ...request }: FailedJob): void {
  const level = againAfterSeconds !== undefined || isOfClient(thrown) ? 'warn' : 'error'
  const facts = {
    ...{ job, ...requestFacts(request), attempt, code: codeOf(causesOf(thrown).at(-1)) },
    ...(againAfterSeconds !== undefined && { again_after_seconds: againAfterSeconds }),
  }
  const message = againAfterSeconds === undefined ? 'a job has failed' : 'a job is tried again'
  log(level, message, { ...facts, errors: causesOf(thrown).map(errorFacts) })
}

/** Whether whoever asked could have known better. */
export const isOfClient = (thrown: unknown): boolean => thrown instanceof RequestError && thrown.status < 500

const requestFacts = ({ requestId, route, table, action }: FailedRequest) => ({
  ...{ request_id: requestId, route },
  ...(table !== undefined && { table }),
  ...(action !== undefined && { action }),
})
