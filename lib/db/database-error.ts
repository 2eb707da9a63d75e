import { DrizzleQueryError } from 'drizzle-orm/errors'
import postgres from 'postgres'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError } from '../errors/request-error.ts'

type ConnectionErrorCode =
  /** The connection ended after the log-in: whether the server ran the statement is not known. */
  | 'CONNECTION_LOST'
  /** No socket, no TLS or no log-in: nothing was sent. */
  | 'CONNECT_FAILED'
  | 'CONNECT_TIMEOUT'
  /** The server or a pooler in front of it does not take a run-time parameter at log-in. */
  | 'PARAMETER_REFUSED'
  /** The server said at log-in that it is a standby: nothing was sent. */
  | 'STANDBY'
  /** The server refused to write (25006): the statement did nothing. */
  | 'READ_ONLY'
  /**
   * The server refused to run a prepared statement, whose types have changed or which it has forgotten: it did nothing.
   */
  | 'PLAN_OUTDATED'
  /** Our own deadline, for a server that says nothing at all: whether it ran the statement is not known. */
  | 'DEADLINE'
  /** No connection became free in time: nothing was sent. */
  | 'NONE_FREE'
  /** Too many connections failed in a row; none is tried for a moment. */
  | 'CIRCUIT_OPEN'
  | 'DATABASE_CLOSED'

/** A connection that could not be had or was lost; it says nothing of the statement itself. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly code: ConnectionErrorCode

  constructor(code: ConnectionErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options)
    this.code = code
  }
}

const withoutEffect: ReadonlySet<ConnectionErrorCode> = new Set([
  'CONNECT_FAILED',
  'STANDBY',
  'READ_ONLY',
  'PLAN_OUTDATED',
])
const withUnknownEffect: ReadonlySet<ConnectionErrorCode> = new Set(['CONNECTION_LOST', 'DEADLINE'])

/** Whether the statement surely did nothing and may succeed if it is sent again. */
export function mayRepeat(error: unknown): boolean {
  return error instanceof ConnectionError && withoutEffect.has(error.code)
}

/** Whether the same statement may succeed if it is sent again, if it is harmless to run it twice. */
export function mayRetry(error: unknown): boolean {
  return mayRepeat(error) || (error instanceof ConnectionError && error.code === 'CONNECTION_LOST')
}

/** Whether the server refused to run what was prepared on this connection; the session goes on. */
export const isPlanOutdated = (error: unknown): boolean =>
  error instanceof ConnectionError && error.code === 'PLAN_OUTDATED'

/** Whether the server may have run the statement although its response did not arrive. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof ConnectionError && withUnknownEffect.has(error.code)
}

/** The failure of a write that may have been committed. */
export const outcomeUnknown = (cause: unknown): RequestError => new RequestError('outcome_unknown', {}, { cause })

/** A statement that the code of an author must not run, or not at this time. Its message holds no values. */
export class StatementMisuse extends Error {
  override readonly name = 'StatementMisuse'
}

/** An error that the server reported for a statement. */
export interface ServerError {
  readonly code: string
  readonly severity: string
  readonly message: string
  /** The context of the error; names a parameter that the server cannot read. */
  readonly where?: string
  /** The place in the server's source that reported the error. */
  readonly routine?: string
}

export function isServerError(error: unknown): error is ServerError {
  return error instanceof postgres.PostgresError
}

// 08 connection, 57P shutdown, 40003 completion unknown: poolers report these as a plain ERROR.
const endsSession = /^(08...|57P..|40003)$/

/** Whether the session goes on after this error. */
export const isSessionUsable = ({ severity, code }: ServerError): boolean =>
  severity === 'ERROR' && !endsSession.test(code)

/** Whether the server refused a write because it, the session or the transaction is read-only. */
export const isReadOnly = ({ code }: ServerError): boolean => code === '25006'

/** A value that its type cannot hold: not text, out of range, no date, no number, no character, no pattern. */
const unfitValues: ReadonlySet<string> = new Set([
  '22001',
  '22003',
  '22007',
  '22008',
  '22009',
  '22015',
  '22019',
  '22021',
  '22025',
  '22P02',
  '22P03',
  '22P05',
])

/**
 * Returns the server's error if it could not compute a value for one of the rows, as by a division by zero. A parameter
 * that does not fit is no such error.
 */
export function findComputeError(error: unknown): ServerError | undefined {
  const cause = error instanceof RequestError ? error.cause : error
  if (!isServerError(cause) || !/^(22...|21000)$/.test(cause.code)) return undefined
  return /\$\d/.test(cause.where ?? '') ? undefined : cause
}

/**
 * Returns the error to throw in place of one from the driver or drizzle: a RequestError for a fault of the client or of
 * the connection, any other unchanged. drizzle's wrapper is removed, because its message holds the parameters.
 */
export function databaseError(thrown: unknown): unknown {
  const error = thrown instanceof DrizzleQueryError && thrown.cause !== undefined ? thrown.cause : thrown
  if (error instanceof ConnectionError) return new RequestError('unavailable', {}, { cause: error })
  if (!isServerError(error)) return error
  if (error.code === '57014') return new RequestError('timed_out', {}, { cause: error })
  if (error.code === '55P03') return new RequestError('row_busy', {}, { cause: error })
  if (isBusy(error.code)) return new RequestError('unavailable', {}, { cause: error })
  if (error.code.startsWith('23')) return new RequestError('conflicting_data', {}, { cause: error })
  if (!unfitValues.has(error.code)) return error
  const fields = { body: [fieldFault('not_valid')] }
  return new RequestError('validation_failed', { field: 'body' }, { cause: error, fields })
}

/**
 * 08 connection, 53 resources, 57P shutdown, 28 log-in, 25P03 idle in transaction; then two that got in each other's
 * way.
 */
function isBusy(code: string): boolean {
  return /^(08...|53...|57P..|28...|25P03|40001|40P01)$/.test(code)
}
