import { hash } from 'node:crypto'
import type { Transaction } from '../db/transaction.ts'
import type { Query } from '../query/page-statement.ts'

export type ReportRow = readonly unknown[]

/** Rows of one round trip: fewer wait for the network, more wait in memory. */
const batchSize = 2_000

const opening = [
  'set transaction isolation level repeatable read, read only',
  // Otherwise the planner expects that most of the rows are never asked for.
  'set local cursor_tuple_fraction = 1',
  // A slow receiver holds up the report, not the server, which must not take it for dead.
  "set local idle_in_transaction_session_timeout = '5min'",
]

/**
 * The rows of a query in batches, from one snapshot. While a batch is worked on, the next one is on its way. It must be the
 * first thing that its transaction does.
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
  const fetchBatch = `fetch ${batchSize} from ${cursor}`
  opened.push(run(`declare ${cursor} no scroll cursor for ${query.text}`, query.parameters))
  let next = run(fetchBatch, [])
  // Sent together; the first to fail is the cause of the others' failures.
  for (const statement of opened) await statement
  for (;;) {
    const rows = await next
    signal?.throwIfAborted()
    const isLast = rows.length < batchSize
    if (!isLast) next = run(fetchBatch, [])
    yield rows
    if (isLast) return
  }
}
