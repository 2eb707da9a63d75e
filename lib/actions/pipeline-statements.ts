import type { Transaction } from '../db/transaction.ts'

/** Definitions of the work whose last run was one statement. */
const singleStatements = new WeakSet<object>()

/** Statements that an entry of the audit may follow: a savepoint's rollback must not undo the entry. */
const plainStatement = /^\s*(update|insert|delete|merge|with|select)\b/i

export interface PipelinedWork<T, S> {
  readonly result: T
  /** The result of `send`; undefined if it was not called. */
  readonly sent: S | undefined
  /** Whether the work did nothing after `send`, so that a read in it shows all that the work has changed. */
  readonly isLast: boolean
}

/**
 * Runs an author's work and calls `send` behind its first statement, so that what `send` sends costs no round trip of
 * its own. This is only tried if the last run of the same `definition` was one statement; `isLast` says whether this
 * run was one, too. Rejects if the work has not awaited one of its statements, and refuses statements that come after
 * its end.
 */
export async function pipelineStatements<T, S>(
  transaction: Transaction,
  definition: object,
  send: () => S,
  work: () => Promise<T>,
): Promise<PipelinedWork<T, S>> {
  const isExpected = singleStatements.has(definition)
  let statements = 0
  let isOver = false
  let sent: S | undefined
  // Work that waited for something else after its statement may have changed what a read saw.
  const endSoon = () => setImmediate(() => (isOver = true))
  transaction.onStatement((text, rows) => {
    statements += 1
    if (statements > 1) return
    rows.then(endSoon, endSoon)
    if (isExpected && plainStatement.test(text)) sent = send()
  })
  const result = await work()
  // The result and the failure of a statement that the work did not await would be lost.
  transaction.endDrizzle()
  const isLast = statements === 1 && !isOver
  if (isLast) singleStatements.add(definition)
  else singleStatements.delete(definition)
  return { result, sent, isLast }
}
