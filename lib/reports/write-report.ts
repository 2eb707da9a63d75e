import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Database } from '../db/database.ts'
import type { Run } from '../db/transaction.ts'
import type { Query } from '../query/page-statement.ts'
import { hasVersions } from '../rows/row-version.ts'
import { type CsvText, csvStart, csvText, defaultCsv } from './csv-text.ts'
import { prepareReport, type Report, type ReportRow } from './report.ts'
import type { ReportCell } from './report-column.ts'
import type { ReportOptions, ReportPlan } from './report-plan.ts'

/**
 * Writes a whole report from one snapshot of the database, a batch at a time, and ends `out`; memory does not grow with
 * the rows. Rejects with the first failure: of the database, of an author's function, of `out`, or of the signal. `out`
 * is then destroyed, and what it received is no complete file. Each batch has the deadline of one statement.
 */
export async function writeReport(
  database: Database,
  request: ReportPlan,
  out: Writable,
  options: ReportOptions = {},
): Promise<{ readonly rows: number }> {
  // An error without a listener ends the process, and this is the only one before the first write.
  let failure: Error | undefined
  const keepFailure = (error: Error): void => {
    failure ??= error
  }
  out.on('error', keepFailure)
  try {
    const wantsVersions = request.roundTrip !== undefined && (await hasVersions(database, request.view.table))
    const report = await prepareReport(request, wantsVersions)
    // Loaded only for those who ask for a spreadsheet: it is most of the code of this service.
    const write = request.format === 'csv' ? writeCsv : (await import('./write-excel.ts')).writeExcel
    return await database.transaction(async ({ run }) => {
      const rows = await write(report, reportBatches(run, report.query, options.signal), out, options)
      return { rows }
    }, oneSnapshot)
  } catch (error) {
    options.signal?.throwIfAborted()
    throw failure ?? error
  } finally {
    out.off('error', keepFailure)
  }
}

/** Writes the batches as CSV: UTF-8 with a byte order mark, a line of labels, lines that end in CR LF. Ends `out`. */
async function writeCsv(
  report: Report,
  batches: AsyncIterable<readonly ReportRow[]>,
  out: Writable,
  { onProgress, signal }: ReportOptions,
): Promise<number> {
  const csv = csvText(report.request.csv ?? defaultCsv)
  let done = 0
  async function* texts() {
    yield csvStart + csv.line(report.columns.map(({ label }) => label))
    for await (const rows of batches) {
      if (rows.length > 0) yield await formatLines(report, csv, rows)
      done += rows.length
      await onProgress?.(done)
    }
  }
  await pipeline(texts, out, signal === undefined ? {} : { signal })
  return done
}

async function formatLines(
  { asRecords, complete, columns, places }: Report,
  csv: CsvText,
  rows: readonly ReportRow[],
): Promise<string> {
  if (asRecords) return csv.linesOfRecords(rows)
  const readers = columns.map(({ read }) => read ?? asText)
  const whole = complete === undefined ? rows : await complete(rows)
  let lines = ''
  for (const values of whole) {
    lines += csv.line(readers.map((read, index) => plainText(read(values[places[index] ?? -1]))))
  }
  return lines
}

const asText = (value: unknown): ReportCell => value as string | null

const plainText = (cell: ReportCell): string | number | null => (typeof cell === 'object' ? (cell?.text ?? null) : cell)

/** Bounds of one fetch: fewer rows cost more statements, more wait in memory. */
const maxBatchRows = 1_000
const maxBatchCharacters = 8_000_000
/** How many batches the server works on while one is processed. */
const batchesAhead = 2
/** Rows of the first fetch, when their width is not known yet. */
const firstBatchRows = 100

/** How the transaction of a report begins. */
const oneSnapshot = 'isolation level repeatable read, read only'

const opening = [
  // Otherwise the planner expects that most of the rows are never asked for.
  'set local cursor_tuple_fraction = 1',
  // A slow receiver holds up the report, not the server, which must not take it for dead.
  "set local idle_in_transaction_session_timeout = '5min'",
]

/**
 * Yields the rows of a query in batches, from one snapshot. Two batches are fetched ahead, each with as many rows as
 * fit by the width of those before. The transaction must have begun by `oneSnapshot`. Read all batches, unless one
 * fails.
 */
async function* reportBatches(
  run: Run,
  query: Query,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly ReportRow[]> {
  signal?.throwIfAborted()
  const opened = opening.map((text) => run(text, []))
  opened.push(run(`declare report no scroll cursor for ${query.text}`, query.parameters))
  const fetchBatch = (size: number) => ({ size, fetched: run(`fetch ${size} from report`, []) })
  const batches = [fetchBatch(firstBatchRows)]
  // Sent together; the first to fail is the cause of the others' failures.
  for (const statement of opened) await statement
  let isEnded = false
  // Batches that were fetched ahead are awaited even after the end: a transaction ends only after all of its statements
  // are answered.
  for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
    const rows = await batch.fetched
    signal?.throwIfAborted()
    if (isEnded) continue
    isEnded = rows.length < batch.size
    while (!isEnded && batches.length < batchesAhead) batches.push(fetchBatch(fittingRows(rows)))
    yield rows
  }
}

/** Returns how many rows as wide as these fit into a batch. */
function fittingRows(rows: readonly ReportRow[]): number {
  const characters = rows.reduce(
    (sum, values) => sum + values.reduce<number>((length, value) => length + valueLength(value), 0),
    0,
  )
  return Math.max(1, Math.min(maxBatchRows, Math.floor((maxBatchCharacters * rows.length) / Math.max(1, characters))))
}

const valueLength = (value: unknown): number =>
  typeof value === 'string' ? value.length : typeof value === 'object' ? JSON.stringify(value).length : 8
