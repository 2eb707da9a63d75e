import type { Query } from '../query/page-statement.ts'
import { reportStatement } from '../query/report-statement.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import { authoredColumns } from './authored-cells.ts'
import { defaultCsv } from './csv-text.ts'
import type { ReportRow } from './report-batches.ts'
import { isAuthored, type ReportColumn, reportColumn } from './report-column.ts'
import type { ReportRequest } from './report-request.ts'

/** A request for a report, made ready: what to ask the database, and where each column's value is in what it answers. */
export interface Report {
  readonly request: ReportRequest
  readonly columns: readonly ReportColumn[]
  /** The place of each column's value in a completed row. */
  readonly places: readonly number[]
  /** Whether each row comes as one text, as `reportStatement` writes records. */
  readonly asRecords: boolean
  readonly query: Query
  /** Adds what the author's functions make of the rows; absent where the columns have none. */
  readonly complete: ((rows: readonly ReportRow[]) => Promise<readonly ReportRow[]>) | undefined
}

/** Throws for a column key that the view does not have. */
export async function prepareReport(request: ReportRequest): Promise<Report> {
  const { view, plan, format, context } = request
  const chosen = chosenColumns(request)
  const plain = chosen.some(({ type }) => type === 'html') ? (await import('./plain-html.ts')).plainHtml : String
  const columns = chosen.map((column) => reportColumn(column, format, context, plain, column.source === view.table.key))
  const sent = columns.flatMap(({ field }) => field ?? [])
  const authored = authoredColumns(chosen.filter(isAuthored), view, context)
  const fields = [...sent, ...authored.fields]
  // A record of one missing value would be an empty line.
  const asRecords =
    format === 'csv' &&
    (request.csv ?? defaultCsv).separator === ',' &&
    columns.length > 1 &&
    columns.every(({ field, read }) => field && !read)
  return {
    request,
    columns,
    places: columns.map(({ column, field }) =>
      field === undefined ? fields.length + authored.columns.indexOf(column) : sent.indexOf(field),
    ),
    asRecords,
    query: reportStatement(request, plan, fields, asRecords ? 'record' : 'values'),
    complete:
      authored.columns.length === 0
        ? undefined
        : async (rows) => {
            const cells = await authored.cellsOf(rows, sent.length)
            return rows.map((values, row) => [...values, ...cells.map((column) => column[row] ?? null)])
          },
  }
}

function chosenColumns({ view, columns }: ReportRequest): readonly CompiledColumn[] {
  const shown = view.columns.filter(({ type }) => type !== 'actions')
  if (columns === undefined) return shown.filter(({ definition }) => definition.showable !== false)
  return columns.map((key) => {
    const column = shown.find((candidate) => candidate.key === key)
    if (column === undefined) throw new Error(`a report asks for the column "${key}", which its table does not show`)
    return column
  })
}
