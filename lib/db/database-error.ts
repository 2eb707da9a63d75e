import { DrizzleQueryError } from 'drizzle-orm/errors'
import postgres from 'postgres'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError } from '../errors/request-error.ts'

type ConnectionErrorCode =
  /** The connection ended while the statement was under way. */
  | 'CONNECTION_LOST'
  /** No socket, no TLS or no log-in. */
  | 'CONNECT_FAILED'
  | 'CONNECT_TIMEOUT'
  /** Our own deadline, for a server that says nothing at all. */
  | 'DEADLINE'
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

const worthRetrying: ReadonlySet<ConnectionErrorCode> = new Set(['CONNECTION_LOST', 'CONNECT_FAILED'])

/** Whether the same statement may well succeed on a new connection. Asks nothing about its effects. */
export function mayRetry(error: unknown): boolean {
  return error instanceof ConnectionError && worthRetrying.has(error.code)
}

/** An error that the server reported for a statement. Its session goes on, unless `severity` is FATAL or PANIC. */
export interface ServerError {
  readonly code: string
  readonly severity: string
}

export function isServerError(error: unknown): error is ServerError {
  return error instanceof postgres.PostgresError
}

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
 * What a caller of the database layer gets to see for whatever was thrown below it: a RequestError for what is nobody's
 * mistake or the client's, anything else unchanged. The drizzle wrapper, whose message holds the parameters, is taken off.
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

/** 08 connection, 53 resources, 57P shutdown, 28 log-in, 25P03 idle in transaction; then two that got in each other's way. */
function isBusy(code: string): boolean {
  return /^(08...|53...|57P..|28...|25P03|40001|40P01)$/.test(code)
}
