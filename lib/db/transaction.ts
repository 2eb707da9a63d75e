import type { Connection } from './connection.ts'
import { databaseError, isOutcomeUnknown, isServerError, outcomeUnknown, StatementMisuse } from './database-error.ts'
import type { Execute, TransactionSession } from './database-session.ts'
import type { DriverRows } from './driver-client.ts'
import { type ParameterValue, parameterTexts } from './statement.ts'

/** A transaction under way. What is run through it lands in it or fails; after its end everything is refused. */
export interface Transaction {
  /** One statement; rows as arrays in select order. */
  run(text: string, parameters: readonly ParameterValue[]): Promise<readonly (readonly unknown[])[]>
  /** drizzle inside this transaction; its own `transaction()` makes savepoints. */
  readonly drizzle: TransactionSession
  /**
   * Calls the listener with each statement run through drizzle as soon as it is sent: what it sends comes right after.
   */
  onStatement(listener: StatementListener): void
  /** Ends drizzle's part, and the listener's: further statements are refused. Throws where one is still under way. */
  endDrizzle(): void
}

/** Runs one statement of a transaction; see `Transaction`. */
export type Run = Transaction['run']

export type StatementListener = (text: string, response: Promise<unknown>) => void

interface TransactionOptions {
  readonly deadlineMs: number
  /** Makes drizzle's side. */
  readonly createSession: CreateSession
  /** The text that was sent after `begin`. */
  readonly mode: string | undefined
}

/**
 * Runs `work` between begin and commit on a reserved connection, on which `begin` was sent. Rejects with the error of
 * `work`, or with the loss of the connection even if `work` never settles. Rejects with `outcome_unknown` if no
 * response to the commit arrives.
 */
export async function runTransaction<T>(
  connection: Connection,
  options: TransactionOptions,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const scope = controlTransaction(connection, options)
  const lost = Promise.withResolvers<never>()
  const forget = connection.whenLost(lost.reject)
  try {
    const result = await Promise.race([work(scope.transaction), lost.promise])
    scope.finish()
    const { command } = await scope.commit()
    // The server rolls back if a statement has failed, even if `work` has caught its error.
    if (command !== 'COMMIT') throw scope.failure() ?? new Error('the server rolled the transaction back')
    return result
  } catch (error) {
    scope.close()
    await scope.rollback().catch((cause) => connection.discard(cause))
    throw error
  } finally {
    forget()
  }
}

type CreateSession = (execute: Execute) => TransactionSession

interface TransactionControl {
  readonly transaction: Transaction
  /** Refuses all further statements, and throws if one of them is still under way. */
  readonly finish: () => void
  readonly close: () => void
  readonly commit: () => Promise<DriverRows>
  readonly rollback: () => Promise<DriverRows>
  /** The failure after which the server refuses all statements. */
  readonly failure: () => unknown
}

const unawaited = 'a statement of the transaction was not awaited'

function controlTransaction(
  connection: Connection,
  { deadlineMs, createSession, mode = '' }: TransactionOptions,
): TransactionControl {
  const readOnly = /\bread\s+only\b/i.test(mode)
  let open = true
  let unanswered = 0
  let failure: unknown

  const run: Execute = (text, parameters, shape) =>
    connection.run(text, parameterTexts(parameters), { shape, expires: performance.now() + deadlineMs, readOnly })

  const execute: Execute = async (text, parameters, shape) => {
    if (!open) throw new StatementMisuse('a statement was run after its transaction had ended')
    unanswered += 1
    try {
      return await run(text, parameters, shape)
    } catch (error) {
      // It tells only that an earlier statement has failed, perhaps one whose error the work has caught.
      if (isServerError(error) && error.code === '25P02') throw failure ?? error
      failure = error
      throw error
    } finally {
      unanswered -= 1
    }
  }

  const close = (): void => {
    open = false
  }

  return {
    transaction: createTransaction(execute, createSession),
    close,
    finish: () => {
      close()
      if (unanswered > 0) throw new StatementMisuse(unawaited)
    },
    commit: async () => {
      // A connection that was lost before has committed nothing.
      const loss = connection.loss()
      if (loss !== undefined) throw loss
      return run('commit', [], 'arrays').catch((error) =>
        Promise.reject(isOutcomeUnknown(error) && !readOnly ? outcomeUnknown(error) : error),
      )
    },
    rollback: () => run('rollback', [], 'arrays'),
    failure: () => failure,
  }
}

function createTransaction(execute: Execute, createSession: CreateSession): Transaction {
  let session: TransactionSession | undefined
  let heard: StatementListener | undefined
  let isEnded = false
  let unanswered = 0
  const executeDrizzle: Execute = async (text, parameters, shape) => {
    if (isEnded) throw new StatementMisuse('a statement was run after the work that it belongs to')
    unanswered += 1
    try {
      const response = execute(text, parameters, shape)
      heard?.(text, response)
      return await response
    } finally {
      unanswered -= 1
    }
  }
  return {
    run: (text, parameters) => {
      const rows = execute(text, parameters, 'arrays').catch((error) => Promise.reject(databaseError(error)))
      // A statement that is not awaited is refused at the end of the transaction and must not end the process earlier.
      rows.catch(() => {})
      return rows as Promise<readonly (readonly unknown[])[]>
    },
    get drizzle() {
      session ??= createSession(executeDrizzle)
      return session
    },
    onStatement: (listener) => {
      heard = listener
    },
    endDrizzle: () => {
      isEnded = true
      heard = undefined
      if (unanswered > 0) throw new StatementMisuse(unawaited)
    },
  }
}
