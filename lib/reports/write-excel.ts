import type { Writable } from 'node:stream'
import { singleLine } from '../storage/file-name.ts'
import { type Sheet, type Workbook, writeWorkbook } from './excel-file.ts'
import { type RowWriter, rowWriter } from './excel-row.ts'
import { cellKind, type SheetStyles, sheetStyles } from './excel-styles.ts'
import { type CutCells, excelText } from './excel-text.ts'
import type { Report } from './report.ts'
import type { ReportRow } from './report-batches.ts'
import { tableLabel } from './report-file.ts'
import type { ReportOptions } from './report-request.ts'
import { reportWords } from './report-words.ts'
import { sheetName } from './sheet-name.ts'
import { sheetWidths } from './sheet-widths.ts'
import { addSummary } from './summary-sheet.ts'

const longestTitle = 200

/** Its header included. */
const maxRowsPerSheet = 1_048_576
/** Of XML: the ZIP entries of larger sheets need an extension that some programs do not read. */
const maxBytesPerSheet = 2_000_000_000

/** Characters of XML between two looks at what has piled up; compression goes on meanwhile. */
const sliceLength = 32 * 1_024

/**
 * Writes the batches as a workbook: a sheet of rows, more where they do not fit one, and a last sheet that says what was asked.
 * Ends `out`.
 */
export async function writeExcel(
  report: Report,
  batches: AsyncIterable<readonly ReportRow[]>,
  out: Writable,
  { onProgress, signal, rowsPerSheet = maxRowsPerSheet, bytesPerSheet = maxBytesPerSheet }: ReportOptions,
): Promise<number> {
  const { request } = report
  const styles = sheetStyles(request.context.language === 'ar')
  const properties = { title: singleLine(tableLabel(request), longestTitle), creator: 'Table Control' }
  return writeWorkbook(out, properties, signal, async (workbook) => {
    const cut: CutCells = { count: 0 }
    const limits = { rowsPerSheet, bytesPerSheet }
    const sheets = dataSheets(report, workbook, styles, rowWriter(report, styles, workbook.styleId, cut), limits)
    let done = 0
    for await (const batch of batches) {
      await sheets.add(report.complete === undefined ? batch : await report.complete(batch))
      done += batch.length
      await onProgress?.(done)
    }
    sheets.end()
    addSummary(request, workbook, { rows: done, cutCells: cut.count, names: sheets.names })
    return done
  })
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
  const labels = columns.map(({ label }) => excelText(label, note, { count: 0 }))
  const headers = columns.map((column) => styles.header(cellKind(column)))
  const names: string[] = []
  let widths: readonly number[] = []
  let sheet: Sheet | undefined
  let rowsOfSheet = 0
  let bytesOfSheet = 0

  const end = (): void => sheet?.end({ rows: rowsOfSheet, columns: columns.length })

  function begin(): Sheet {
    end()
    names.push(sheetName(tableLabel(request), names.length + 1))
    const name = names.at(-1) ?? ''
    const rightToLeft = language === 'ar'
    const begun = addSheet({ name, rightToLeft, frozenRows: 1, orientation: 'landscape', widths })
    begun.add(labels, headers)
    rowsOfSheet = 1
    bytesOfSheet = 0
    sheet = begun
    return begun
  }

  /** Without rows it still makes the first sheet, with its header. */
  async function add(rows: readonly ReportRow[]): Promise<void> {
    if (sheet === undefined) widths = sheetWidths(report, rows, writer.cellsOf)
    let open = sheet ?? begin()
    let xml = ''
    for (const values of rows) {
      if (rowsOfSheet === rowsPerSheet || bytesOfSheet >= bytesPerSheet) {
        open.addXml(xml)
        xml = ''
        open = begin()
      }
      rowsOfSheet += 1
      xml += writer.xmlOf(values, { sheet: open, number: rowsOfSheet, widths })
      if (xml.length < sliceLength) continue
      bytesOfSheet += Buffer.byteLength(xml)
      open.addXml(xml)
      xml = ''
      await open.drained()
    }
    bytesOfSheet += Buffer.byteLength(xml)
    open.addXml(xml)
  }

  return { add, end, names }
}
