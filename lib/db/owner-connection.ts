import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { isServerError } from './database-error.ts'
import { type DatabaseTarget, openSocket } from './database-target.ts'

/**
 * Opens one connection without time limits for statements, for work such as migrations, and closes it after `use`. If
 * `overdue` is aborted, rejects with the signal's reason without waiting for `use`.
 */
export async function withConnection<T>(
  { host, port, user, password, database, tls }: DatabaseTarget,
  use: (sql: Sql) => Promise<T>,
  overdue?: AbortSignal,
): Promise<T> {
  const options = {
    host,
    port,
    user,
    pass: password,
    database,
    max: 1,
    ssl: false,
    fetch_types: false,
    connection: { application_name: 'table-control-migrate', TimeZone: 'UTC' },
    connect_timeout: 15,
    // Verifies the server as the functions do.
    socket: () => openSocket({ host, port, user, password, database, tls }, () => {}),
    onnotice: () => {},
  }
  const sql = postgres(options)
  try {
    return await Promise.race([use(sql), ...(overdue === undefined ? [] : [findRejection(overdue)])])
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const findRejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

export interface Patience {
  /** When to give up; a reading of `performance.now()`. */
  readonly until: number
  /** Ends a connection that does not answer. */
  readonly overdue: AbortSignal
}

const pauseMs = 1_000

/** Codes of Node and of the driver for a server that does not listen yet, or whose name does not resolve yet. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
])

/**
 * Waits until a server accepts logins: a new server is announced before its host name resolves and its port is open.
 * Rejects with the last error when the time is over, and at once where waiting does not help, as for a wrong password.
 */
export async function awaitServer(target: DatabaseTarget, { until, overdue }: Patience): Promise<void> {
  for (;;) {
    try {
      return await withConnection(target, (sql) => sql`select 1`.then(() => undefined), overdue)
    } catch (error) {
      if (!isStarting(error) || performance.now() + pauseMs > until || overdue.aborted) throw error
    }
    await sleep(pauseMs)
  }
}

function isStarting(error: unknown): boolean {
  if (isServerError(error)) return error.code === '57P03'
  return error instanceof Error && 'code' in error && unreachable.has(String(error.code))
}
