import type { Statement } from '../db/statement.ts'
import { sourceText } from '../query/compare.ts'
import { fieldText, type Query } from '../query/page-statement.ts'
import { type ReportField, reportStatement } from '../query/report-statement.ts'
import { createVersionWriter, versionSource } from '../rows/row-version.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { AnyRow, ResponseContext } from '../table/context.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import type { Source } from '../table/source.ts'
import { rowSources, type TableView } from '../table/view.ts'
import { defaultCsv } from './csv-text.ts'
import { exportedText } from './exported-value.ts'
import { isAuthored, type ReportColumn, reportColumn } from './report-column.ts'
import type { ReportFormat, ReportPlan } from './report-plan.ts'
import { type ExportedValue, nameFile, type ShownCell, shownDigest, writeManifest, writeRowToken } from './row-token.ts'

/** The values of one row, as the server sent them. */
export type ReportRow = readonly unknown[]

/**
 * A request for a report, made ready: what to ask the database, and where each column's value is in what it answers.
 */
export interface Report {
  readonly request: ReportPlan
  readonly columns: readonly ReportColumn[]
  /** The place of each column's value in a completed row. */
  readonly places: readonly number[]
  /** Whether each row comes as one text, as `reportStatement` writes records. */
  readonly asRecords: boolean
  readonly query: Query
  /** Adds what the author's functions make of the rows; absent where the columns have none. */
  readonly complete: ((rows: readonly ReportRow[]) => Promise<readonly ReportRow[]>) | undefined
  /** Present for a workbook that can be sent back. */
  readonly roundTrip: SealedRows | undefined
}

/** The sealed parts of a workbook that can be sent back. */
export interface SealedRows {
  readonly manifest: string
  /** Seals a row with its cells as the workbook shows them. */
  readonly token: (values: ReportRow, cells: readonly ShownCell[]) => string
}

/**
 * Prepares the statement and the columns of a report. Throws for a column key that the view does not have.
 * `hasVersions` says whether rows have versions.
 */
export async function prepareReport(request: ReportPlan, hasVersions = false): Promise<Report> {
  const { view, plan, format, context } = request
  const chosen = selectColumns(request)
  const columns = await createReportColumns(chosen, format, context, view.table.key)
  const sent = columns.flatMap(({ field }) => field ?? [])
  const authored = createAuthoredColumns(chosen.filter(isAuthored), view, context)
  const trip = openRoundTrip(request, columns, hasVersions)
  const first = sent.length + authored.fields.length
  const fields = [...sent, ...authored.fields, ...(trip?.fields ?? [])]
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
    roundTrip: trip && { manifest: trip.manifest, token: (values, cells) => trip.token(values, first, cells) },
    complete:
      authored.columns.length === 0
        ? undefined
        : async (rows) => {
            const cells = await authored.makeCells(rows, sent.length)
            return rows.map((values, row) => [...values, ...cells.map((column) => column[row] ?? null)])
          },
  }
}

/** Creates the columns of a file of this format; `key` is the source of the table's key. */
export async function createReportColumns(
  columns: readonly CompiledColumn[],
  format: ReportFormat,
  context: ResponseContext,
  key: Source,
): Promise<readonly ReportColumn[]> {
  const plain = columns.some(({ type }) => type === 'html') ? (await import('./plain-html.ts')).plainHtml : String
  return columns.map((column) => reportColumn(column, format, context, plain, column.source === key))
}

function openRoundTrip(
  request: ReportPlan,
  columns: readonly ReportColumn[],
  hasVersions: boolean,
): RoundTrip | undefined {
  const { roundTrip } = request
  return roundTrip && createRoundTrip(request, columns, { ...roundTrip, hasVersions })
}

function selectColumns({ view, columns }: ReportPlan): readonly CompiledColumn[] {
  const shown = view.columns.filter(({ type }) => type !== 'actions')
  if (columns === undefined) return shown.filter(({ definition }) => definition.showable !== false)
  return columns.map((key) => {
    const column = shown.find((candidate) => candidate.key === key)
    if (column === undefined) throw new Error(`a report asks for the column "${key}", which its table does not show`)
    return column
  })
}

/** The columns of a report that an author's functions fill, and what those functions want to know of each row. */
export interface AuthoredColumns {
  readonly columns: readonly CompiledColumn[]
  readonly fields: readonly ReportField[]
  /**
   * The cells that the functions make of these rows, by column and row. `first` is the place of the fields in a row.
   */
  readonly makeCells: (rows: readonly ReportRow[], first: number) => Promise<readonly (readonly unknown[])[]>
}

function createAuthoredColumns(
  columns: readonly CompiledColumn[],
  view: TableView,
  context: ResponseContext,
): AuthoredColumns {
  const sources = columns.some(wantsRow)
    ? rowSources(view.table, view.columns)
    : [...new Set(columns.flatMap(({ source }) => source ?? []))]
  const fields = sources.map((source) => ({
    source,
    text: (statement: Statement) => fieldText(statement, { source, datePattern: undefined }, context.timeZone),
  }))
  const makeCells: AuthoredColumns['makeCells'] = (rows, first) => {
    const whole: readonly AnyRow[] = rows.map((values) =>
      Object.fromEntries(sources.map(({ key, decode }, index) => [key, decode(values[first + index])])),
    )
    return Promise.all(columns.map((column) => columnCells(column, whole, context)))
  }
  return { columns, fields, makeCells }
}

/** A format that declares no second parameter wants its value only. */
const wantsRow = ({ definition }: CompiledColumn): boolean =>
  !('format' in definition) || definition.format === undefined || definition.format.length > 1

async function columnCells(
  { key, definition }: CompiledColumn,
  rows: readonly AnyRow[],
  context: ResponseContext,
): Promise<readonly unknown[]> {
  if ('load' in definition) return definition.load([...rows], context)
  if ('value' in definition) return rows.map((row) => definition.value(row, context))
  const { format } = definition as {
    readonly format?: (value: unknown, row: AnyRow, context: ResponseContext) => unknown
  }
  return rows.map((row) => format?.(row[key], row, context) ?? null)
}

/** The parts of a report by which its workbook can be sent back. */
interface RoundTrip {
  /** The values that the tokens hold, read for each row. */
  readonly fields: readonly ReportField[]
  readonly manifest: string
  /** Returns the token of a row whose fields begin at the place `first`. */
  readonly token: (values: readonly unknown[], first: number, cells: readonly ShownCell[]) => string
}

/** Creates the round trip of a report; rows have no versions in views. */
function createRoundTrip(
  { view, context }: ReportPlan,
  columns: readonly ReportColumn[],
  { secret, hasVersions }: { readonly secret: string; readonly hasVersions: boolean },
): RoundTrip {
  const editable = listEditableColumns(view)
  const { table } = view
  const manifest = writeManifest(secret, {
    table: table.name,
    subject: context.identity.subject,
    guard: context.guard,
    language: context.language,
    timeZone: context.timeZone,
    columns: columns.map(({ column: { key }, label }) => ({ key, label, isEditable: editable.has(key) })),
  })
  const file = nameFile(manifest)
  const version = versionSource(table)
  const writeVersion = createVersionWriter(secret, table, [])
  const sources = columns.flatMap(({ column: { key, source } }) =>
    editable.has(key) && source !== undefined ? [source] : [],
  )
  return {
    fields: [
      { source: table.key, text: (statement) => sourceText(table.key, statement) },
      ...(hasVersions ? [{ source: version, text: version.expression }] : []),
      ...sources.map((source): ReportField => ({ source, text: (statement) => exportedText(source, statement) })),
    ],
    manifest,
    token: (values, first, cells) => {
      const key = String(values[first])
      const at = first + (hasVersions ? 2 : 1)
      return writeRowToken(secret, {
        file,
        key,
        version: hasVersions ? writeVersion(key, values[first + 1], []) : null,
        values: sources.map((_, index) => (values[at + index] ?? null) as ExportedValue),
        shown: cells.map(shownDigest).join(''),
      })
    },
  }
}
