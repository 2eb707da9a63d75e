import postgres, { type Sql } from 'postgres'
import type { DatabaseTarget } from './database-target.ts'
import { openSocket } from './open-socket.ts'

/**
 * One connection for work that a person would do, such as migrations: it waits as long as that takes. Closed after `use`, or
 * when `overdue` says so: then it rejects with the signal's reason, whatever `use` still waits for.
 */
export async function withConnection<T>(
  { host, port, user, password, database, tls }: DatabaseTarget,
  use: (sql: Sql) => Promise<T>,
  overdue?: AbortSignal,
): Promise<T> {
  const options = {
    ...{ host, port, user, pass: password, database, max: 1, ssl: false, fetch_types: false },
    connection: { application_name: 'table-control-migrate', TimeZone: 'UTC' },
    connect_timeout: 15,
    // Verifies the server as the functions do.
    socket: () => openSocket({ host, port, user, password, database, tls }, () => {}),
    onnotice: () => {},
  }
  const sql = postgres(options)
  try {
    return await Promise.race([use(sql), ...(overdue === undefined ? [] : [rejectionOf(overdue)])])
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const rejectionOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
