import type { Writable } from 'node:stream'
import type { Database } from '../db/database.ts'
import { prepareReport } from './report.ts'
import { oneSnapshot, reportBatches } from './report-batches.ts'
import type { ReportOptions, ReportRequest } from './report-request.ts'
import { writeCsv } from './write-csv.ts'

/**
 * Writes a whole report from one snapshot of the database, a batch at a time, and ends `out`; memory does not grow with the
 * rows. Rejects with the first failure: of the database, of an author's function, of `out`, or of the signal. `out` is then
 * destroyed, and what it received is no complete file. Each batch has the deadline of one statement.
 */
export async function writeReport(
  database: Database,
  request: ReportRequest,
  out: Writable,
  options: ReportOptions = {},
): Promise<{ readonly rows: number }> {
  // Until there is something to write nobody else listens, and an error that nobody hears ends the process.
  let failure: Error | undefined
  const heard = (error: Error): void => {
    failure ??= error
  }
  out.on('error', heard)
  try {
    const report = await prepareReport(request)
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
    out.off('error', heard)
  }
}
