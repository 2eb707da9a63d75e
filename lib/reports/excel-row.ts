import type { CellStyle } from './excel-file.ts'
import type { SheetStyles } from './excel-styles.ts'
import { type CutCells, excelText, xmlText } from './excel-text.ts'
import type { Report } from './report.ts'
import type { ReportRow } from './report-batches.ts'
import type { ReportCell } from './report-column.ts'
import { reportWords } from './report-words.ts'

/** Writes rows as SpreadsheetML: exceljs makes objects of every cell and style on the way, and takes three times as long. */
export interface RowWriter {
  readonly xmlOf: (values: ReportRow, number: number) => string
  /** The cells of a completed row as the file shows them. */
  readonly cellsOf: (values: ReportRow) => readonly ReportCell[]
}

/** Reads rows as the columns of the report show them; cells that are too long are counted in `cut`. */
export function rowWriter(
  { request, columns, places }: Report,
  styles: SheetStyles,
  styleId: (style: CellStyle) => number,
  cut: CutCells,
): RowWriter {
  const note = reportWords(request.context.language).cut
  const style = ` s="${styleId(styles.text)}"`
  const boolean = ` s="${styleId(styles.boolean)}" t="b"`
  const cells = columns.map(({ read, numberFormat }, index) => ({
    read: read ?? asText,
    place: places[index] ?? -1,
    start: `<c r="${columnLetters(index)}`,
    format: ` s="${styleId(styles.number(numberFormat))}"`,
  }))
  function textXml(text: string): string {
    if (text.length < always && !special.test(text)) return `${style} t="str"><v>${text}</v></c>`
    const fitting = xmlText(excelText(text, note, cut))
    // Spaces at the ends and line feeds survive only where they are asked for.
    return `${style} t="inlineStr"><is><t xml:space="preserve">${fitting}</t></is></c>`
  }
  function xmlOf(values: ReportRow, number: number): string {
    let xml = `<row r="${number}">`
    for (const { read, place, start, format } of cells) {
      const cell = read(values[place])
      if (cell === null) continue
      xml += `${start}${number}"`
      if (typeof cell === 'number') xml += `${format}><v>${cell}</v></c>`
      else xml += typeof cell === 'string' ? textXml(cell) : `${boolean}><v>${cell ? 1 : 0}</v></c>`
    }
    return `${xml}</row>`
  }
  return { xmlOf, cellsOf: (values) => cells.map(({ read, place }) => read(values[place])) }
}

/** The server's text is the cell. */
const asText = (value: unknown): ReportCell => (value ?? null) as string | null

/** Shorter texts of ordinary characters are written as they are. */
const always = 250
const special = /[^\x21-\x25\x27-\x3b=?-\ud7ff\ue000-\ufffd ]|\x7f|_x[\da-f]{4}_|^ | $/i

/** The letters of a column, of which the first has the index 0. */
const columnLetters = (index: number): string =>
  (index < 26 ? '' : columnLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))
