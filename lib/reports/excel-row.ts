import { columnLetters } from './column-letters.ts'
import type { CellStyle, Sheet } from './excel-file.ts'
import { type CellKind, cellKind, type SheetStyles } from './excel-styles.ts'
import { type CutCells, excelText, xmlText } from './excel-text.ts'
import type { Report } from './report.ts'
import type { ReportRow } from './report-batches.ts'
import type { ReportCell } from './report-column.ts'
import type { ReportLink } from './report-link.ts'
import { reportWords } from './report-words.ts'
import { maxColumnWidth } from './sheet-widths.ts'

/** Writes rows as SpreadsheetML: exceljs makes objects of every cell and style on the way, and takes three times as long. */
export interface RowWriter {
  readonly xmlOf: (values: ReportRow, number: number, sheet: Pick<Sheet, 'addLink'>) => string
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
  const { language } = request.context
  const writeText = textWriter(language === 'ar', styles, styleId, (text) =>
    xmlText(excelText(text, reportWords(language).cut, cut)),
  )
  const linkStyle = ` s="${styleId(styles.link)}"`
  const cells = columns.map((column, index) => ({
    read: column.read ?? asText,
    place: places[index] ?? -1,
    letters: columnLetters(index),
    kind: cellKind(column),
    format: ` s="${styleId(styles.number(column.numberFormat))}"`,
  }))
  function linkXml({ text, address }: ReportLink, place: string, sheet: Pick<Sheet, 'addLink'>): string {
    if (sheet.addLink(place, address)) return writeText(text, 'text', linkStyle)
    return writeText(text === address ? text : `${text} (${address})`, 'text')
  }
  function xmlOf(values: ReportRow, number: number, sheet: Pick<Sheet, 'addLink'>): string {
    let xml = ''
    let lines = 1
    for (const { read, place, letters, kind, format } of cells) {
      const cell = read(values[place])
      if (cell === null) continue
      xml += `<c r="${letters}${number}"`
      if (typeof cell === 'number') xml += `${format}><v>${cell}</v></c>`
      else {
        lines = Math.max(lines, lineCount(typeof cell === 'string' ? cell : cell.text))
        xml += typeof cell === 'string' ? writeText(cell, kind) : linkXml(cell, `${letters}${number}`, sheet)
      }
    }
    // Not every program fits a row to its lines when it opens a file.
    const height = lines === 1 ? '' : ` ht="${Math.min(lines * lineHeight, maxRowHeight)}" customHeight="1"`
    return `<row r="${number}"${height}>${xml}</row>`
  }
  return { xmlOf, cellsOf: (values) => cells.map(({ read, place }) => read(values[place])) }
}

/** In points. */
const lineHeight = 15
const maxRowHeight = 409

/** About as many lines as a text takes in the widest column. */
function lineCount(text: string): number {
  if (text.length <= maxColumnWidth && !text.includes('\n')) return 1
  const lines = text.slice(0, maxRowHeight * maxColumnWidth).split('\n', maxRowHeight)
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / maxColumnWidth)), 0)
}

/** The server's text is the cell. */
const asText = (value: unknown): ReportCell => (value ?? null) as string | null

/** Shorter texts of ordinary characters are written as they are. */
const always = 250
const special = /[^\x21-\x25\x27-\x3b=?-\ud7ff\ue000-\ufffd ]|\x7f|_x[\da-f]{4}_|^ | $/i
const rightToLeftLetter = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/

/**
 * Creates the writer of a text's XML behind the place of its cell. Long texts and lines are wrapped. In a sheet from right to
 * left, Arabic is laid out so even behind a Latin word, and numbers such as +20 10 as they are written.
 */
function textWriter(
  isRightToLeft: boolean,
  styles: SheetStyles,
  styleId: (style: CellStyle) => number,
  toXml: (text: string) => string,
): (text: string, kind: CellKind, style?: string) => string {
  const ids = (kind: CellKind): readonly string[] =>
    [false, true].flatMap((rightToLeft) =>
      [false, true].map((wrapped) => ` s="${styleId(styles.text(kind, { wrapped, rightToLeft }))}"`),
    )
  const idsOfKind: Readonly<Record<CellKind, readonly string[]>> = {
    text: ids('text'),
    number: ids('number'),
    boolean: ids('boolean'),
  }
  return (text, kind, style) => {
    const isPlain = text.length < always && !special.test(text)
    const isWrapped = text.length > maxColumnWidth || (!isPlain && text.includes('\n'))
    const layout = (isWrapped ? 1 : 0) + (isRightToLeft && rightToLeftLetter.test(text) ? 2 : 0)
    const own = style ?? idsOfKind[kind][layout]
    if (isPlain) return `${own} t="str"><v>${text}</v></c>`
    // Spaces at the ends and line feeds survive only where they are asked for.
    return `${own} t="inlineStr"><is><t xml:space="preserve">${toXml(text)}</t></is></c>`
  }
}
