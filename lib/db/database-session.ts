import { PgDatabase, PgDialect, type PgTransaction, type PgTransactionConfig } from 'drizzle-orm/pg-core'
import {
  type PostgresJsQueryResultHKT,
  PostgresJsSession,
  PostgresJsTransaction,
} from 'drizzle-orm/postgres-js/session'
import type { Sql } from 'postgres'
import { assertContained } from './assert-contained.ts'
import { changeError } from './change-error.ts'
import { StatementMisuse } from './database-error.ts'
import type { DriverRows, RowShape } from './driver-client.ts'
import { readLists, withMissingEntries } from './list-values.ts'
import { declaredNames } from './statement.ts'

/** drizzle over the database layer: prepared statements, one deadline, one mapping of errors. */
export type DatabaseSession = PgDatabase<PostgresJsQueryResultHKT>

/** drizzle inside one transaction. */
export type TransactionSession = PgTransaction<PostgresJsQueryResultHKT>

/** Runs one statement, somewhere. */
export type Execute = (text: string, parameters: readonly unknown[], shape: RowShape) => Promise<DriverRows>

/** `mode` stands behind `begin`. */
export type BeginTransaction = <T>(work: (session: TransactionSession) => Promise<T>, mode?: string) => Promise<T>

const dialect = Object.assign(new PgDialect(), { casing: declaredNames })

/** A drizzle database whose statements go through `execute` and whose transactions through `begin`. */
export function createDatabaseSession(execute: Execute, begin: BeginTransaction): DatabaseSession {
  const session = createSession(execute)
  session.transaction = (work, config) =>
    begin(
      (transaction) => work(transaction as PostgresJsTransaction<NoRelations, NoRelations>),
      config && transactionMode(config),
    )
  return new PgDatabase(dialect, session, undefined)
}

function transactionMode({ isolationLevel, accessMode, deferrable }: PgTransactionConfig): string {
  const isolation = isolationLevel && `isolation level ${isolationLevel}`
  const isDeferrable = deferrable === undefined ? undefined : deferrable ? 'deferrable' : 'not deferrable'
  return [isolation, accessMode, isDeferrable].filter((part) => part !== undefined).join(' ')
}

/**
 * The drizzle side of a transaction that `execute` keeps its statements in. Throws for a statement that is run beside a
 * transaction inside it: it would be undone with that one, although it has succeeded.
 */
export function createTransactionSession(execute: Execute, depth = 0): TransactionSession {
  let isNesting = false
  const assertAlone = (): void => {
    if (isNesting)
      throw new StatementMisuse('a statement was run beside a transaction inside its own, which was not awaited')
  }
  const executeAlone: Execute = async (...statement) => {
    assertAlone()
    return execute(...statement)
  }
  // The types of drizzle's transaction name its own driver and relations; statements go through `executeAlone`.
  const session = new PostgresJsTransaction(
    dialect,
    createSession(executeAlone) as unknown as ConstructorParameters<typeof PostgresJsTransaction>[1],
    undefined,
    depth,
  ) as unknown as TransactionSession
  const nest = async <T>(work: (transaction: TransactionSession) => Promise<T>): Promise<T> => {
    assertAlone()
    isNesting = true
    return savepoint(execute, depth + 1, work).finally(() => {
      isNesting = false
    })
  }
  session.transaction = (work) => {
    const nested = nest(work)
    // One that is not awaited is refused with its transaction, and must not end the process.
    nested.catch(() => {})
    return nested
  }
  return session
}

// Named by depth, not by number: each distinct text stays prepared on the server.
async function savepoint<T>(
  execute: Execute,
  depth: number,
  work: (transaction: TransactionSession) => Promise<T>,
): Promise<T> {
  const name = `nested_${depth}`
  let begun: Promise<unknown> | undefined
  let isOver = false
  let unanswered = 0
  // Sent with the work's first statement, so that work without any waits for nothing.
  const within: Execute = async (text, parameters, shape) => {
    if (isOver) throw new StatementMisuse('a statement was run after the work that it belongs to')
    begun ??= execute(`savepoint ${name}`, [], 'arrays')
    begun.catch(() => {})
    unanswered += 1
    try {
      return await execute(text, parameters, shape)
    } finally {
      unanswered -= 1
    }
  }
  try {
    const result = await work(createTransactionSession(within, depth)).finally(() => (isOver = true))
    // A statement that is not awaited could fail unseen, or take effect after the savepoint.
    if (unanswered > 0) throw new StatementMisuse('a statement of the transaction was not awaited')
    if (begun !== undefined) await execute(`release savepoint ${name}`, [], 'arrays')
    return result
  } catch (error) {
    if (begun !== undefined) {
      await execute(`rollback to savepoint ${name}`, [], 'arrays')
      await execute(`release savepoint ${name}`, [], 'arrays')
    }
    throw changeError(error)
  }
}

type NoRelations = Record<string, never>
type Session = PostgresJsSession<Sql, NoRelations, NoRelations>

function createSession(execute: Execute): Session {
  // drizzle calls only the few methods that `createDriver` has.
  const session: Session = new PostgresJsSession(createDriver(execute) as unknown as Sql, dialect, undefined)
  const prepareQuery = session.prepareQuery.bind(session)
  session.prepareQuery = (statement, fields, ...options) => {
    const read = fields?.map((one) => ({ ...one, field: withMissingEntries(one.field) }))
    const query = prepareQuery(statement, read, ...options)
    const run = query.execute.bind(query)
    query.execute = (values) => unwrapError(run(values))
    return query
  }
  return session
}

/** Takes off drizzle's wrapper, and keeps a failed statement that was not awaited from ending the process. */
function unwrapError<T>(result: Promise<T>): Promise<T> {
  const plain = result.catch((error) => Promise.reject(changeError(error)))
  plain.catch(() => {})
  return plain
}

/** Creates the part of a postgres.js client that drizzle's session uses. */
function createDriver(execute: Execute) {
  return {
    unsafe(text: string, parameters: readonly unknown[] = []) {
      let shape: RowShape = 'objects'
      // drizzle calls `values()` on the returned promise, so the statement starts one microtask later.
      const rows = Promise.resolve().then(() => {
        assertContained(text)
        return execute(text, parameters, shape).then(readLists)
      })
      const values = (): Promise<DriverRows> => {
        shape = 'arrays'
        return rows
      }
      return Object.assign(rows, { values })
    },
  }
}
