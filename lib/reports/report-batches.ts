import { hash } from 'node:crypto'
import type { Transaction } from '../db/transaction.ts'
import type { Query } from '../query/page-statement.ts'

export type ReportRow = readonly unknown[]

/** Rows of one fetch: fewer cost more statements, more wait in memory. */
const batchSize = 1_000

/** How the transaction of a report begins. */
export const oneSnapshot = 'isolation level repeatable read, read only'

const opening = [
  // Otherwise the planner expects that most of the rows are never asked for.
  'set local cursor_tuple_fraction = 1',
  // A slow receiver holds up the report, not the server, which must not take it for dead.
  "set local idle_in_transaction_session_timeout = '5min'",
]

/**
 * The rows of a query in batches, from one snapshot. While a batch is worked on, the next two are on their way: with one the
 * server would rest until it is asked again, which happens only after the work. Its transaction must have
 * begun by `oneSnapshot`; it is to be read to its end or to a failure.
 */
export async function* reportBatches(
  run: Transaction['run'],
  query: Query,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ReportRow[]> {
  signal?.throwIfAborted()
  const opened = opening.map((text) => run(text, []))
  // The driver keeps what it learns of a statement's columns by its text, so no two queries may share that of a fetch.
  const cursor = `report_${hash('sha256', query.text).slice(0, 24)}`
  const fetchBatch = () => run(`fetch ${batchSize} from ${cursor}`, [])
  opened.push(run(`declare ${cursor} no scroll cursor for ${query.text}`, query.parameters))
  let next = fetchBatch()
  let following = fetchBatch()
  // Sent together; the first to fail is the cause of the others' failures.
  for (const statement of opened) await statement
  for (;;) {
    const rows = await next
    signal?.throwIfAborted()
    const isLast = rows.length < batchSize
    next = following
    if (!isLast) following = fetchBatch()
    yield rows
    if (isLast) break
  }
  // It was asked for before anybody knew that nothing is left, and a transaction ends with all of its statements answered.
  await next
}
