import { onTestFinished } from 'vitest'
import { createDatabase, type Database, type DatabaseConfig } from '../../../lib/db/database.ts'

/** A database layer over `url` that is closed after the test. Without settings: one connection, no TLS. */
export function openDatabase(url: string, settings: Partial<DatabaseConfig> = {}): Database {
  const database = createDatabase({
    DATABASE_URL: url,
    DATABASE_CONNECTIONS: 1,
    DATABASE_CONNECT_TIMEOUT_MS: 5_000,
    DATABASE_STATEMENT_TIMEOUT_MS: 8_000,
    DATABASE_DEADLINE_MS: 10_000,
    DATABASE_TLS: 'off',
    ...settings,
  })
  onTestFinished(() => database.close())
  return database
}
