import type { Config } from '../config.ts'
import { type CallerTexts, callerTexts, statementRunner } from './caller-statements.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createConnection } from './connection.ts'
import { databaseError } from './database-error.ts'
import type { DatabaseSession } from './database-session.ts'
import { begin, createExecute, createReader } from './database-statements.ts'
import { databaseTarget } from './database-target.ts'
import type { ParameterValue } from './parameter-text.ts'
import { createPool, type Pool } from './pool.ts'
import type { StoredIdentity } from './stored-identity.ts'
import { runTransaction, type Transaction } from './transaction.ts'

export type { DatabaseSession } from './database-session.ts'
export type { Transaction } from './transaction.ts'

export type DatabaseConfig = Pick<
  Config,
  | 'DATABASE_URL'
  | 'DATABASE_CONNECTIONS'
  | 'DATABASE_CONNECT_TIMEOUT_MS'
  | 'DATABASE_STATEMENT_TIMEOUT_MS'
  | 'DATABASE_DEADLINE_MS'
  | 'DATABASE_TLS'
  | 'DATABASE_TLS_CA'
> &
  Partial<Pick<Config, 'DATABASE_ROW_SECURITY' | 'DATABASE_TIMEOUTS'>> & { readonly applicationName?: string }

/**
 * The database of one process. Nothing is connected before the first statement. Every failure that is not a mistake of the
 * statement itself is a RequestError: `unavailable` (no connection, or no answer by the deadline), `timed_out` (the
 * server's statement timeout), `validation_failed` (a value that the server cannot take). See `databaseError`.
 */
export interface Database {
  /**
   * Runs one statement that only reads; rows as arrays in select order. Integers up to 4 bytes and floats are numbers,
   * json is parsed, booleans are booleans, all else is text. Statements of one tick share a round trip. After a lost
   * connection it is run once more, so it must not write.
   */
  read(text: string, parameters: readonly ParameterValue[]): Promise<readonly (readonly unknown[])[]>
  /** drizzle, for reading and for single writes. Nothing run through it is ever repeated. */
  session(): Promise<DatabaseSession>
  /**
   * Runs `work` in a transaction, alone on its connection. Statements not run through `transaction` are not part of it, and
   * with one connection in all they wait for its end. A statement that is not awaited rolls it back. `mode` is what stands
   * behind `begin`, such as `isolation level serializable`.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, mode?: string): Promise<T>
  /**
   * The same connections, in the name of a caller: policies of row-level security find who that is in
   * `table_control.subject` and `table_control.claims`. Where `DATABASE_ROW_SECURITY` is off, this very database. Throws
   * for claims that JSON cannot hold.
   */
  as(identity: StoredIdentity): Database
  /** Lets running statements finish for up to two seconds; refuses new ones. */
  close(): Promise<void>
}

const closeGraceMs = 2_000

/** Throws when the URL or the certificate authority cannot be read. */
export function createDatabase(config: DatabaseConfig): Database {
  const pool = createDatabasePool(config)
  const as = (identity: StoredIdentity): Database =>
    config.DATABASE_ROW_SECURITY === 'on' ? overPool(pool, config, as, callerTexts(identity)) : database
  const database = overPool(pool, config, as)
  return database
}

function overPool(
  pool: Pool,
  { DATABASE_DEADLINE_MS: deadlineMs }: DatabaseConfig,
  as: Database['as'],
  caller?: CallerTexts,
): Database {
  const run = statementRunner(caller)
  const read = createReader(pool, deadlineMs, run)

  const transaction: Database['transaction'] = async (work, mode) => {
    try {
      const { createTransactionSession } = await sessions()
      const { connection, release } = await begin(pool, deadlineMs, { caller, mode })
      const options = { deadlineMs, createSession: createTransactionSession, mode }
      return await runTransaction(connection, options, work).finally(release)
    } catch (error) {
      throw databaseError(error)
    }
  }

  let session: DatabaseSession | undefined
  return {
    read,
    session: async () => {
      const { createDatabaseSession } = await sessions()
      session ??= createDatabaseSession(createExecute(pool, deadlineMs, read, run), (work, mode) =>
        transaction(({ drizzle }) => work(drizzle), mode),
      )
      return session
    },
    transaction,
    as,
    close: () => pool.close(closeGraceMs),
  }
}

// Not loaded by what only reads: drizzle's builders are a large part of its bundle.
let loaded: Promise<typeof import('./database-session.ts')> | undefined
const sessions = () => {
  loaded ??= import('./database-session.ts')
  return loaded
}

/** The run-time parameters for the log-in. Poolers take those alone that the server reports to its clients. */
function sessionParameters(config: DatabaseConfig): Readonly<Record<string, string>> {
  const reported = {
    application_name: config.applicationName ?? 'table-control',
    DateStyle: 'ISO, YMD',
    TimeZone: 'UTC',
  }
  if (config.DATABASE_TIMEOUTS === 'role') return reported
  return {
    ...reported,
    IntervalStyle: 'postgres',
    statement_timeout: String(config.DATABASE_STATEMENT_TIMEOUT_MS),
    lock_timeout: '2s',
    idle_in_transaction_session_timeout: '15s',
  }
}

function createDatabasePool(config: DatabaseConfig): Pool {
  const target = databaseTarget(config)
  const session = sessionParameters(config)
  const connectTimeoutMs = config.DATABASE_CONNECT_TIMEOUT_MS
  return createPool({
    size: config.DATABASE_CONNECTIONS,
    breaker: createCircuitBreaker(),
    connect: (events) => createConnection({ target, session, connectTimeoutMs, ...events }),
  })
}
