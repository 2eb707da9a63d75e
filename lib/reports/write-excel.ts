import type { Writable } from 'node:stream'
import { keepNumbers } from '../i18n/keep-numbers.ts'
import { singleLine } from '../storage/file-name.ts'
import { roundTripName } from '../table/file-header.ts'
import { type Sheet, type Workbook, writeWorkbook } from './excel-file.ts'
import { type CutCells, createRowWriter, excelText, type RowWriter } from './excel-row.ts'
import type { Report, ReportRow } from './report.ts'
import { minuteText, tableLabel } from './report-file.ts'
import type { ReportOptions, ReportPlan } from './report-plan.ts'
import { filterWords, reportWords, sortWords } from './report-words.ts'
import { cellKind, type SheetStyles, sheetName, sheetStyles, sheetWidths } from './sheet-layout.ts'

const maxTitleLength = 200

/** Its header included. */
const maxRowsPerSheet = 1_048_576
/** ZIP entries of larger sheets need an extension that some programs do not read. */
const maxBytesPerSheet = 2_000_000_000

/** Characters of XML between two looks at what has piled up; compression goes on meanwhile. */
const sliceLength = 32 * 1_024

/**
 * Writes the batches as a workbook: one sheet of rows, more if they do not fit, then a summary of the request. A
 * workbook that can be sent back has a hidden sheet at its end. Ends `out`.
 */
export async function writeExcel(
  report: Report,
  batches: AsyncIterable<readonly ReportRow[]>,
  out: Writable,
  { onProgress, signal, rowsPerSheet = maxRowsPerSheet, bytesPerSheet = maxBytesPerSheet }: ReportOptions,
): Promise<number> {
  const { request } = report
  const styles = sheetStyles(request.context.language === 'ar')
  const properties = { title: singleLine(tableLabel(request), maxTitleLength), creator: 'Table Control' }
  return writeWorkbook(out, properties, signal, async (workbook) => {
    const cut: CutCells = { count: 0 }
    const limits = { rowsPerSheet, bytesPerSheet }
    const sheets = dataSheets(report, workbook, styles, createRowWriter(report, styles, workbook.styleId, cut), limits)
    let done = 0
    for await (const batch of batches) {
      await sheets.add(report.complete === undefined ? batch : await report.complete(batch))
      done += batch.length
      await onProgress?.(done)
    }
    sheets.end()
    addSummary(request, workbook, { rows: done, cutCells: cut.count, names: sheets.names })
    if (report.roundTrip !== undefined) addManifest(workbook, report.roundTrip.manifest)
    return done
  })
}

/** A cell holds 32,767 characters. */
const manifestPart = 30_000

/** Adds the hidden sheet that says what the columns of the file are. */
function addManifest({ addSheet }: Workbook, manifest: string): void {
  const sheet = addSheet({
    name: roundTripName,
    rightToLeft: false,
    frozenRows: 0,
    orientation: 'portrait',
    widths: [valueWidth],
    isHidden: true,
  })
  for (let at = 0; at < manifest.length; at += manifestPart) sheet.add([manifest.slice(at, at + manifestPart)], [])
  sheet.end()
}

function dataSheets(
  report: Report,
  { addSheet }: Workbook,
  styles: SheetStyles,
  writer: RowWriter,
  { rowsPerSheet, bytesPerSheet }: Required<Pick<ReportOptions, 'rowsPerSheet' | 'bytesPerSheet'>>,
) {
  const { request, columns } = report
  const { language } = request.context
  const note = reportWords(language).cut
  const hiddenColumns = report.roundTrip === undefined ? [] : [roundTripName]
  const labels = [...columns.map(({ label }) => excelText(label, note, { count: 0 })), ...hiddenColumns]
  const kinds = columns.map(cellKind)
  const headers = [...kinds, ...hiddenColumns.map(() => 'text' as const)].map(styles.header)
  // In the general style, a program drops the zeros of 00123 and takes 1/2 for a date.
  const emptyStyles = kinds.map((kind) => (kind === 'text' ? styles.text(kind) : {}))
  const names: string[] = []
  let widths: readonly number[] = []
  let sheet: Sheet | undefined
  let rowsOfSheet = 0
  let bytesOfSheet = 0

  const end = (): void => sheet?.end({ rows: rowsOfSheet, columns: labels.length })

  function begin(): Sheet {
    end()
    names.push(sheetName(tableLabel(request), names.length + 1))
    const name = names.at(-1) ?? ''
    const rightToLeft = language === 'ar'
    const layout = { frozenRows: 1, orientation: 'landscape', widths, emptyStyles } as const
    const begun = addSheet({ name, rightToLeft, ...layout, hiddenColumns: hiddenColumns.length })
    begun.add(labels, headers)
    rowsOfSheet = 1
    bytesOfSheet = 0
    sheet = begun
    return begun
  }

  /** Without rows it still makes the first sheet, with its header. */
  async function add(rows: readonly ReportRow[]): Promise<void> {
    if (sheet === undefined) widths = sheetWidths(report, rows, writer.readCells)
    let open = sheet ?? begin()
    let xml = ''
    for (const values of rows) {
      if (rowsOfSheet === rowsPerSheet || bytesOfSheet >= bytesPerSheet) {
        open.addXml(xml)
        xml = ''
        open = begin()
      }
      rowsOfSheet += 1
      xml += writer.rowXml(values, { sheet: open, number: rowsOfSheet, widths })
      if (xml.length < sliceLength) continue
      bytesOfSheet += Buffer.byteLength(xml)
      open.addXml(xml)
      xml = ''
      await open.waitForDrain()
    }
    bytesOfSheet += Buffer.byteLength(xml)
    open.addXml(xml)
  }

  return { add, end, names }
}

/** The outcome of a report file, known once its rows are written. */
export interface ReportOutcome {
  readonly rows: number
  readonly cutCells: number
  /** The names of its sheets so far. */
  readonly names: readonly string[]
}

const labelWidth = 36
const valueWidth = 80
const countFormat = '#,##0'

/** Adds a sheet with the request, its caller, its time and its outcome. */
function addSummary(request: ReportPlan, { addSheet }: Workbook, outcome: ReportOutcome): void {
  const { language } = request.context
  const words = reportWords(language)
  const taken = new Set(outcome.names.map((name) => name.toLowerCase()))
  let number = 1
  while (taken.has(sheetName(words.summary, number).toLowerCase())) number += 1
  const name = sheetName(words.summary, number)
  const rightToLeft = language === 'ar'
  const sheet = addSheet({
    name,
    rightToLeft,
    frozenRows: 0,
    orientation: 'portrait',
    widths: [labelWidth, valueWidth],
  })
  const styles = sheetStyles(rightToLeft)
  // Below texts, a number stands where they begin.
  const count = { ...styles.text('text'), numFmt: countFormat }
  const text = styles.text('text', { wrapped: true, rightToLeft })
  for (const [label, value] of summaryLines(request, outcome)) {
    const cell = typeof value === 'string' ? excelText(value, words.cut, { count: 0 }) : value
    sheet.add([label, cell], [styles.label, typeof value === 'number' ? count : text])
  }
  sheet.end()
}

function summaryLines(request: ReportPlan, outcome: ReportOutcome): readonly (readonly [string, string | number])[] {
  const { context, requestedAt, requestedBy, selected, excluded } = request
  const words = reportWords(context.language)
  const said = filterWords(request)
  const filters = context.language === 'ar' ? said.map(keepNumbers) : said
  return [
    [words.table, tableLabel(request)],
    ...toLines(words.filters, filters.length === 0 ? [words.noFilters] : filters),
    ...(selected === undefined ? [] : [[words.selected, selected] as const]),
    ...(excluded === undefined ? [] : [[words.excluded, excluded] as const]),
    ...toLines(words.sorts, sortWords(request)),
    [words.requestedAt, `${minuteText(requestedAt, context.timeZone)} (${context.timeZone})`],
    [words.requestedBy, requestedBy],
    [words.rows, outcome.rows],
    ...(outcome.names.length > 1 ? toLines(words.sheets, outcome.names) : []),
    ...(outcome.cutCells > 0 ? [[words.cutCells, outcome.cutCells] as const] : []),
  ]
}

/** One line for each text, of which only the first has the label. */
const toLines = (label: string, texts: readonly string[]): readonly (readonly [string, string])[] =>
  texts.map((text, index) => [index === 0 ? label : '', text])
