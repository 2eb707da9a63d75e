import type { Plan } from '../query/plan.ts'
import type { OpenedTable } from '../table/open-table.ts'
import type { CsvFormat } from './csv-text.ts'

export type ReportFormat = 'excel' | 'csv'

/** An export: the rows of a plan inside a scope, as the table shows them to this caller. */
export interface ReportPlan extends OpenedTable {
  readonly plan: Plan
  readonly format: ReportFormat
  /** Default: commas, and no text that a spreadsheet would run. */
  readonly csv?: CsvFormat
  /** Keys of columns of the view in the order of the file. Default: the columns that the table shows at first. */
  readonly columns?: readonly string[]
  /** Makes a workbook that can be sent back, with tokens sealed by this secret. */
  readonly roundTrip?: { readonly secret: string }
  /** How many rows the caller picked by hand, where the plan is bound to those. */
  readonly selected?: number
  /** How many rows the caller left out of all. */
  readonly excluded?: number
  readonly requestedAt: Date
  /** Shown to the reader of the report. */
  readonly requestedBy: string
}

export interface ReportOptions {
  /** Called after each batch with the rows written so far; the next batch waits for it. */
  readonly onProgress?: (done: number) => void | Promise<void>
  /** Ends the report early: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Rows of a sheet, its header included. Default: as many as a spreadsheet can have. */
  readonly rowsPerSheet?: number
  /** Bytes of XML after which a new sheet begins. Default: 2 GB, because programs fail at sheets of 4 GB. */
  readonly bytesPerSheet?: number
}
