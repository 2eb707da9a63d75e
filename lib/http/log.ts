import { isServerError } from '../db/database-error.ts'
import { RequestError } from '../errors/request-error.ts'
import { log, logSettings } from '../telemetry/log.ts'

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
 * A message is told only where it speaks of the code and never of values, as a driver's or a parser's would; with
 * LOG_MESSAGES=all, which is for a developer's own machine, every message.
 */
export const failureFacts = (thrown: unknown): { readonly errors?: readonly object[] } =>
  isOfClient(thrown) ? {} : { errors: errorsOf(thrown) }

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
  log(level, message, { ...facts, errors: errorsOf(thrown) })
}

/** Whether whoever asked could have known better. */
export const isOfClient = (thrown: unknown): boolean => thrown instanceof RequestError && thrown.status < 500

const requestFacts = ({ requestId, route, table, action }: FailedRequest) => ({
  ...{ request_id: requestId, route },
  ...(table !== undefined && { table }),
  ...(action !== undefined && { action }),
})

const causesOf = (thrown: unknown): readonly Error[] =>
  [thrown, thrown instanceof Error ? thrown.cause : undefined].filter((error) => error instanceof Error)

const errorsOf = (thrown: unknown) =>
  causesOf(thrown).map((error) => ({
    name: error.name,
    code: Reflect.get(error, 'code'),
    ...((logSettings().LOG_MESSAGES === 'all' || speaksOfCode(error)) && { message: error.message }),
    at: framesOf(error),
  }))

/** The SDK of AWS has its services' codes as names, and of an answer that names none at least the status. */
function codeOf(error: Error | undefined): string | undefined {
  if (error === undefined) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error.name !== 'Error' || !('$metadata' in error)) return error.name
  const status: unknown = Object(error.$metadata).httpStatusCode
  return typeof status === 'number' ? `HTTP ${status}` : error.name
}

/** SQLSTATE 42 is wrong SQL: syntax and undefined names. Node's own TypeErrors have a code and quote the argument. */
function speaksOfCode(error: Error): boolean {
  if (isServerError(error)) return error.code.startsWith('42')
  if (error instanceof TypeError || error instanceof ReferenceError) return !('code' in error)
  return (
    error.name === 'Error' &&
    /^The (scope of the table ".*" did not return SQL|setting [A-Z_]+ is missing|message is not one of this service|environment is not complete:.*)$/s.test(
      error.message,
    )
  )
}

const mostFrames = 8

const framesOf = (error: Error): readonly string[] =>
  (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, mostFrames)
    .map((line) => line.trim())
