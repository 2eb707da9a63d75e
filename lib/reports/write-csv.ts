import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type CsvText, csvStart, csvText, defaultCsv } from './csv-text.ts'
import type { Report } from './report.ts'
import type { ReportRow } from './report-batches.ts'
import type { ReportCell } from './report-column.ts'
import type { ReportOptions } from './report-request.ts'

/** Writes the batches as CSV: UTF-8 with a byte order mark, a line of labels, lines that end in CR LF. Ends `out`. */
export async function writeCsv(
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
      if (rows.length > 0) yield await linesOf(report, csv, rows)
      done += rows.length
      await onProgress?.(done)
    }
  }
  await pipeline(texts, out, signal === undefined ? {} : { signal })
  return done
}

async function linesOf(
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
