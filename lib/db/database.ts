import { plainValue, type StoredIdentity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { type Connection, createConnection, type StatementOptions } from './connection.ts'
import {
  databaseError,
  isOutcomeUnknown,
  isReadOnly,
  isServerError,
  mayRepeat,
  mayRetry,
  outcomeUnknown,
} from './database-error.ts'
import type { DatabaseSession, Execute } from './database-session.ts'
import { databaseTarget } from './database-target.ts'
import type { DriverRows } from './driver-client.ts'
import { createCircuitBreaker, createPool, type Pool, type ReservedConnection } from './pool.ts'
import { type ParameterValue, parameterTexts } from './statement.ts'
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
 * The database of one process. Nothing is connected before the first statement. Every failure that is not a mistake of
 * the statement itself is a RequestError: `unavailable` (no connection, no response by the deadline, a plan that a
 * migration has outdated), `timed_out` (the server's statement timeout), `validation_failed` (a value that the server
 * cannot take). See `databaseError`.
 */
export interface Database {
  /**
   * Runs one statement that only reads; rows as arrays in select order. Integers up to 4 bytes and floats are numbers,
   * json is parsed, booleans are booleans, all else is text. Statements of one tick share a round trip. After a lost
   * connection or `PLAN_OUTDATED` it is run once more, so it must not write.
   */
  read(text: string, parameters: readonly ParameterValue[]): Promise<readonly (readonly unknown[])[]>
  /**
   * Like `read`, but the server stops the statement after `maxMs`. Returns `undefined` for one that was stopped;
   * the connection stays usable. It takes one round trip, shared with the other statements of its tick.
   */
  readWithin(
    maxMs: number,
    text: string,
    parameters: readonly ParameterValue[],
  ): Promise<readonly (readonly unknown[])[] | undefined>
  /**
   * Runs one statement that may write, without a caller's name and in the round trip of statements of the same tick. It
   * is not repeated, and what is sent beside it goes on if the server refuses it.
   */
  attempt(text: string, parameters: readonly ParameterValue[]): Promise<readonly (readonly unknown[])[]>
  /**
   * drizzle, for reading and for single writes. After a lost connection a select is run once more, where it can write
   * nothing; no other statement is repeated that may have taken effect.
   */
  session(): Promise<DatabaseSession>
  /**
   * Runs `work` in a transaction, alone on its connection. Statements not run through `transaction` are not part of it,
   * and with one connection in all they wait for its end. A statement that is not awaited rolls it back. `mode` is what
   * stands behind `begin`, such as `isolation level serializable`.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>, mode?: string): Promise<T>
  /**
   * The same connections, in the name of a caller: policies of row-level security find who that is in
   * `table_control.subject` and `table_control.claims`. Where `DATABASE_ROW_SECURITY` is off, this very database.
   * Throws for claims that JSON cannot hold.
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
    config.DATABASE_ROW_SECURITY === 'on' ? createPoolDatabase(pool, config, as, callerTexts(identity)) : database
  const database = createPoolDatabase(pool, config, as)
  return database
}

function createPoolDatabase(
  pool: Pool,
  { DATABASE_DEADLINE_MS: deadlineMs }: DatabaseConfig,
  as: Database['as'],
  caller?: CallerTexts,
): Database {
  const run = createStatementRunner(caller)
  const read = createReader(pool, deadlineMs, run)

  const readWithin: Database['readWithin'] = async (maxMs, text, parameters) => {
    try {
      return await createReader(pool, deadlineMs, createStatementRunner(caller, { maxMs }))(text, parameters)
    } catch (error) {
      if (error instanceof RequestError && error.code === 'timed_out') return undefined
      throw error
    }
  }

  const transaction: Database['transaction'] = async (work, mode) => {
    try {
      const { createTransactionSession } = await sessions()
      const { connection, release } = await beginTransaction(pool, deadlineMs, { caller, mode })
      const options = { deadlineMs, createSession: createTransactionSession, mode }
      return await runTransaction(connection, options, work).finally(release)
    } catch (error) {
      throw databaseError(error)
    }
  }

  // `readOnly`: if the server refuses the write, the connection stays open for the statements that share it.
  const attempt: Database['attempt'] = async (text, parameters) => {
    const options: StatementOptions = { shape: 'arrays', expires: performance.now() + deadlineMs, readOnly: true }
    const send = (connection: Connection) => connection.run(text, parameterTexts(parameters), options)
    try {
      return takeRows(await pool.share(options.expires, send))
    } catch (error) {
      throw databaseError(error)
    }
  }

  let session: DatabaseSession | undefined
  return {
    read,
    readWithin,
    attempt,
    session: async () => {
      const { createDatabaseSession } = await sessions()
      const execute = createExecute({
        pool,
        deadlineMs,
        read,
        run,
        reread: createStatementRunner(caller, { readOnly: true }),
      })
      session ??= createDatabaseSession(execute, (work, mode) => transaction(({ drizzle }) => work(drizzle), mode))
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
    bytea_output: 'hex',
    extra_float_digits: '1',
    statement_timeout: String(config.DATABASE_STATEMENT_TIMEOUT_MS),
    lock_timeout: '2s',
    idle_in_transaction_session_timeout: '15s',
    // A frozen function cannot close its connection. Longer than the minute between two sweeps, which share one.
    idle_session_timeout: '90s',
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

type Rows = readonly (readonly unknown[])[]
type Read = (text: string, parameters: readonly ParameterValue[]) => Promise<Rows>

/** For statements that only read: sent once more after a lost connection or a refused plan. */
function createReader(pool: Pool, deadlineMs: number, run: RunStatement): Read {
  return async (text, parameters) => {
    const expires = performance.now() + deadlineMs
    const once = (): Promise<DriverRows> => {
      const values = parameterTexts(parameters)
      return pool.share(expires, (connection) => run(connection, text, values, { shape: 'arrays', expires }))
    }
    try {
      return takeRows(await once())
    } catch (error) {
      if (!mayRetry(error)) throw databaseError(error)
    }
    try {
      return takeRows(await once())
    } catch (error) {
      throw databaseError(error)
    }
  }
}

/**
 * Moves the rows out of the driver's result. The engine keeps the driver's promises, and all that they hold, until the
 * next full garbage collection; until then it would copy the rows around.
 */
function takeRows(result: DriverRows): Rows {
  // The driver declares its rows as readonly, but nothing else refers to them.
  const driverRows = result as unknown as (readonly unknown[])[]
  // `splice` takes many times as long on an array of the driver's class.
  const rows = [...driverRows]
  driverRows.length = 0
  return rows
}

const staleAfterMs = 10_000

interface Execution {
  readonly pool: Pool
  readonly deadlineMs: number
  readonly read: Read
  readonly run: RunStatement
  /** Runs a statement where the server refuses every write. */
  readonly reread: RunStatement
}

/**
 * For statements that may write: repeated once, and only where the first try surely did nothing or the second one can
 * write nothing. A connection that was idle for long is tried with a read first. Throws `outcome_unknown` for a write
 * whose response did not arrive.
 */
function createExecute({ pool, deadlineMs, read, run, reread }: Execution): Execute {
  return async (text, parameters, shape) => {
    const expires = performance.now() + deadlineMs
    const once = (send: RunStatement): Promise<DriverRows> => {
      const values = parameterTexts(parameters)
      const use = (connection: Connection): Promise<DriverRows> => send(connection, text, values, { shape, expires })
      return pool.share(expires, (connection) =>
        connection.idleMs() > staleAfterMs
          ? read('select 1', []).then(() => pool.share(expires, use))
          : use(connection),
      )
    }
    const retry = (error: unknown): Promise<DriverRows> => {
      if (mayRepeat(error)) return once(run)
      if (!mayRetry(error) || !isSelect.test(text)) return Promise.reject(error)
      return once(reread).catch((refusal) =>
        Promise.reject(isServerError(refusal) && isReadOnly(refusal) ? error : refusal),
      )
    }
    try {
      return await once(run).catch(retry)
    } catch (error) {
      throw isOutcomeUnknown(error) && !isSelect.test(text) ? outcomeUnknown(error) : error
    }
  }
}

/** A `with` that names no write is a select, too: drizzle's `$with` begins so. */
const isSelect = /^\s*(select\b|with\b(?![\s\S]*\b(insert|update|delete|merge)\b))/i

const maxAliveIdleMs = 1_000
const usedForTransactions = new WeakSet<Connection>()

/**
 * Begins a transaction on a reserved connection. `begin` has no effect alone, so it may be repeated once.
 * On a connection that was used a moment ago it is sent together with the next statement, which saves a round trip.
 */
async function beginTransaction(pool: Pool, deadlineMs: number, beginning: Beginning): Promise<ReservedConnection> {
  const expires = performance.now() + deadlineMs
  const once = async (): Promise<ReservedConnection> => {
    const lease = await pool.reserve(expires)
    const { connection } = lease
    const alive = usedForTransactions.has(connection) && connection.idleMs() < maxAliveIdleMs
    const begun = sendBegin(connection, expires, beginning)
    try {
      // It can only fail together with its connection, and then every statement after it fails as well.
      if (alive) begun.catch(() => {})
      else await begun
      usedForTransactions.add(connection)
      return lease
    } catch (error) {
      lease.release()
      throw error
    }
  }
  return once().catch((error) => (mayRetry(error) ? once() : Promise.reject(error)))
}

/** The caller as policies of row-level security read it: the subject, and the claims as JSON text. */
type CallerTexts = readonly [subject: string, claims: string]

const callerTexts = ({ subject, claims }: StoredIdentity): CallerTexts => [subject, JSON.stringify(claims, plainValue)]

/** Sends a statement together with what it needs around it. Takes `parameters` over, as a connection does. */
type RunStatement = (
  connection: Connection,
  ...statement: Parameters<Connection['run']>
) => ReturnType<Connection['run']>

// For the transaction alone: the next transaction on this connection is not this caller's.
const nameCallerText = `select set_config('table_control.subject', $1, true), set_config('table_control.claims', $2, true)`

const nameCaller = (connection: Connection, caller: CallerTexts, options: StatementOptions): Promise<DriverRows> =>
  connection.run(nameCallerText, [...caller], options)

// For the transaction alone, as the caller is: the next statement of the connection has the session's own limit.
const limitTimeText = `select set_config('statement_timeout', $1, true)`

interface StatementBounds {
  /** When the server stops the statement. */
  readonly maxMs?: number
  readonly readOnly?: boolean
}

/**
 * Creates a function that runs statements outside of transactions. With a caller, a time limit or `readOnly`, each
 * statement has a transaction of its own, in one round trip.
 */
function createStatementRunner(
  caller: CallerTexts | undefined,
  { maxMs, readOnly = false }: StatementBounds = {},
): RunStatement {
  if (caller === undefined && maxMs === undefined && !readOnly) return (connection, ...sent) => connection.run(...sent)
  return async (connection, text, parameters, options) => {
    const around: StatementOptions = { shape: 'arrays', expires: options.expires }
    // One tick, so that nothing else gets in between. After a statement that has failed, the commit is a rollback.
    const prepared = [
      connection.run(readOnly ? 'begin read only' : 'begin', [], around),
      ...(maxMs === undefined ? [] : [connection.run(limitTimeText, [String(maxMs)], around)]),
      ...(caller === undefined ? [] : [nameCaller(connection, caller, around)]),
    ]
    const answered = connection.run(text, parameters, { ...options, readOnly })
    const [rows] = await Promise.all([answered, ...prepared, connection.run('commit', [], around)])
    return rows
  }
}

/** How a transaction begins. */
interface Beginning {
  readonly caller: CallerTexts | undefined
  /** The text after `begin`, such as `isolation level serializable`. It cannot change once the caller is named. */
  readonly mode: string | undefined
}

/**
 * Sends the begin of a transaction, and right behind it who is calling. Should the server not take that, it refuses
 * every further statement of the transaction.
 */
function sendBegin(connection: Connection, expires: number, { caller, mode }: Beginning): Promise<DriverRows> {
  const options: StatementOptions = { shape: 'arrays', expires }
  const begun = connection.run(mode === undefined ? 'begin' : `begin ${mode}`, [], options)
  if (caller !== undefined) nameCaller(connection, caller, options).catch(() => {})
  return begun
}
