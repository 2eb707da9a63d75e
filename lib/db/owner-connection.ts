import postgres, { type Sql } from 'postgres'
import type { DatabaseTarget } from './database-target.ts'
import { openSocket } from './open-socket.ts'

/** One connection for work that a person would do, such as migrations: it waits as long as that takes. Closed after `use`. */
export async function withConnection<T>(
  { host, port, user, password, database, tls }: DatabaseTarget,
  use: (sql: Sql) => Promise<T>,
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
    return await use(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
