import { ConnectionError, isServerError, StatementMisuse } from '../db/database-error.ts'
import { RequestError } from '../errors/request-error.ts'
import { log, logSettings } from './log.ts'

interface FailedRequest {
  readonly requestId: string
  readonly route: string
  /** The table that the request named, where it named one. */
  readonly table?: string
  /** The action's key, of a request for one. */
  readonly action?: string
  /** The metric of the sweep's step. */
  readonly step?: string
}

/** A failure of a job's work. */
interface FailedJob extends FailedRequest {
  readonly job: string
  readonly attempt?: number
  /** Absent if the job has ended. */
  readonly againAfterSeconds?: number
}

/**
 * Returns the log facts of a failure that is not the client's: class, database code and places in the code. Messages
 * are complete only with LOG_MESSAGES=all, which is for a developer's own machine.
 */
export const failureFacts = (thrown: unknown): { readonly errors?: readonly object[] } =>
  isClientFailure(thrown) ? {} : { errors: describeCauses(thrown) }

/** Logs a failure that is not the client's, of work that goes on or has no line of its own. */
export function logFailure(thrown: unknown, request: FailedRequest): void {
  if (!isClientFailure(thrown))
    log('error', 'a part of an invocation failed, and the rest goes on', {
      ...requestFacts(request),
      ...failureFacts(thrown),
    })
}

/**
 * Logs in one line what has stopped the work on a job: a warning if it is tried again or its owner caused the failure,
 * else an error. `code` is that of the error's cause if it has one, such as a service of AWS or the database.
 */
export function logJobFailure(thrown: unknown, { job, attempt, againAfterSeconds, ...request }: FailedJob): void {
  const level = againAfterSeconds !== undefined || isClientFailure(thrown) ? 'warn' : 'error'
  const [error, cause = error] = listCauses(thrown)
  const facts = {
    job,
    ...requestFacts(request),
    attempt,
    code: findCode(cause),
    ...(againAfterSeconds !== undefined && { again_after_seconds: againAfterSeconds }),
  }
  const message = againAfterSeconds === undefined ? 'a job has failed' : 'a job is tried again'
  log(level, message, { ...facts, errors: describeCauses(thrown) })
}

/** Returns whether the client caused the failure. */
export const isClientFailure = (thrown: unknown): boolean => thrown instanceof RequestError && thrown.status < 500

const requestFacts = ({ requestId, route, table, action, step }: FailedRequest) => ({
  request_id: requestId,
  route,
  ...(table !== undefined && { table }),
  ...(action !== undefined && { action }),
  ...(step !== undefined && { step }),
})

/** A log-in that a server refused is three deep: the response, the lost connection and what the server said. */
const maxCauses = 4

/** Returns the thrown error, its cause, the cause of that, and so on; an empty list for a thrown value that is no error. */
function listCauses(thrown: unknown): readonly Error[] {
  const errors: Error[] = []
  for (let error = thrown; error instanceof Error && errors.length < maxCauses; error = property(error, 'cause'))
    errors.push(error)
  return errors
}

/** Describes an error and its causes. A thrown value that is no error may hold anything: only its type is logged. */
const describeCauses = (thrown: unknown): readonly object[] =>
  thrown instanceof Error ? listCauses(thrown).map(describeError) : [{ name: typeof thrown }]

/**
 * Returns the log facts of one error: class, code and places in the code. Its message is reduced to words about the
 * code, without values, unless LOG_MESSAGES=all.
 */
export const describeError = (error: Error) => ({
  name: errorName(error) ?? 'Error',
  code: shortText(error, 'code'),
  message: logSettings().LOG_MESSAGES === 'all' ? errorText(error, 'message') : safeMessage(error),
  at: stackFrames(error),
})

/**
 * Returns the code of an error: its own `code`, else its name, as errors of AWS have it, or its HTTP status if it has
 * no name.
 */
function findCode(error: Error | undefined): string | undefined {
  if (error === undefined) return undefined
  const code = shortText(error, 'code')
  const name = errorName(error)
  if (typeof code === 'string') return code
  const status = name === 'Error' ? property(Object(property(error, '$metadata')), 'httpStatusCode') : undefined
  return typeof status === 'number' ? `HTTP ${status}` : name
}

const errorName = (error: Error): string | undefined => {
  const name = shortText(error, 'name')
  return typeof name === 'string' ? name : undefined
}

/** Errors of authors and of their libraries may have getters, and these may throw. */
function property(error: object, key: string): unknown {
  try {
    return Reflect.get(error, key)
  } catch {
    return undefined
  }
}

function errorText(error: Error, key: 'message' | 'stack'): string {
  const text = property(error, key)
  return typeof text === 'string' ? text : ''
}

/**
 * Returns a name or code that is a number or one short word; `undefined` for any other, which may be a caller's value.
 */
function shortText(error: Error, key: 'name' | 'code'): string | number | undefined {
  const text = property(error, key)
  if (typeof text === 'number') return text
  return typeof text === 'string' && /^[\w.:-]{1,64}$/.test(text) ? text : undefined
}

const ownMessage =
  /^(Settings are missing or wrong:.*|The (scope of the table ".*" did not return SQL|setting [A-Z_]+ is missing|message is not one of this service))$/s

/** Engines quote keys, arguments and what was not iterable: beyond these words, what they say may be a value. */
const ofEngine =
  /^(Cannot (read|set) properties of (undefined|null)|([\w$.]|\(\.\.\.\)|\(intermediate value\))+ is not (a function|defined)$)/

function safeMessage(error: Error): string | undefined {
  const message = errorText(error, 'message')
  if (isServerError(error)) return hasSafeMessage(error) ? message : undefined
  if (error instanceof TypeError || error instanceof ReferenceError) return ofEngine.exec(message)?.[0]
  if (error instanceof ConnectionError || error instanceof StatementMisuse) return message
  return errorName(error) === 'Error' && ownMessage.test(message) ? message : undefined
}

/**
 * Returns whether the server's message holds no values, so that it may be logged. SQLSTATE 42 is wrong SQL: undefined
 * names, types that do not fit, missing rights. A syntax error (42601) quotes the text near it. An error without a
 * position in the statement names a value, such as one cast to regclass.
 */
function hasSafeMessage(error: Error): boolean {
  const code = String(shortText(error, 'code'))
  if (code === '42501') return true
  return code.startsWith('42') && code !== '42601' && property(error, 'position') !== undefined
}

const maxFrames = 8

const place = String.raw`(?:(?:file:|node:|[/\\]|[A-Za-z]:)[^()]*:\d+:\d+|<anonymous>|native|index \d+)`
const frame = new RegExp(String.raw`^\s+at (?:${place}|(?:async )?[\w$.<>#[\] ]*(?:\(${place}\)|${place}))$`)

/** A stack begins with the message, whose own lines may look like places in the code. */
function stackFrames(error: Error): readonly string[] {
  const stack = errorText(error, 'stack')
  const message = errorText(error, 'message')
  const begin = stack.indexOf(message)
  const lines = (begin < 0 ? stack : stack.slice(begin + message.length)).split('\n')
  return lines
    .slice(lines.findLastIndex((line) => !/^\s+at /.test(line)) + 1)
    .filter((line) => frame.test(line))
    .slice(0, maxFrames)
    .map((line) => line.trim())
}
