import { type CellStyle, columnLetters, type Sheet } from './excel-file.ts'
import type { Report, ReportRow } from './report.ts'
import type { ReportCell } from './report-column.ts'
import { reportWords } from './report-words.ts'
import { decodeEscapes, type ShownCell } from './row-token.ts'
import { type CellKind, cellKind, countLines, rowHeight, type SheetStyles } from './sheet-layout.ts'
import type { ReportLink } from './spreadsheet-values.ts'

/**
 * Writes rows as SpreadsheetML: exceljs makes objects of every cell and style on the way, and takes three times as
 * long.
 */
export interface RowWriter {
  readonly rowXml: (values: ReportRow, place: RowPlace) => string
  /** The cells of a completed row as the file shows them. */
  readonly readCells: (values: ReportRow) => readonly ReportCell[]
}

/** The place of a row in a sheet. */
export interface RowPlace {
  readonly sheet: Pick<Sheet, 'addLink'>
  /** The first row has 1. */
  readonly number: number
  /** The widths of the sheet's columns: a wider text is wrapped. */
  readonly widths: readonly number[]
}

/** Creates the writer of a sheet's rows. It cuts cells that are too long, and counts them in `cut`. */
export function createRowWriter(
  { request, columns, places, roundTrip }: Report,
  styles: SheetStyles,
  styleId: (style: CellStyle) => number,
  cut: CutCells,
): RowWriter {
  const { language } = request.context
  const cutNote = reportWords(language).cut
  const writeText = textWriter(language === 'ar', styles, styleId, (text) => xmlText(excelText(text, cutNote, cut)))
  const linkStyles = [false, true].map((wrapped) => ` s="${styleId(styles.link(wrapped))}"`)
  const cells = columns.map((column, index) => ({
    read: column.read ?? asText,
    place: places[index] ?? -1,
    letters: columnLetters(index),
    kind: cellKind(column),
    format: ` s="${styleId(styles.number(column.numberFormat))}"`,
  }))
  const uncounted: CutCells = { count: 0 }
  const tokenStyle = ` s="${styleId(styles.text('text'))}"`
  const shownText = (text: string): string => decodeEscapes(excelText(text, cutNote, uncounted))
  /** Writes the cell of a link. Its text has the address where the sheet takes no more links. */
  function writeLink({ text, address }: ReportLink, place: string, sheet: Pick<Sheet, 'addLink'>, width: number) {
    const isLink = sheet.addLink(place, address)
    const whole = isLink || text === address ? text : `${text} (${address})`
    const lines = countLines(whole, width)
    const isWrapped = lines > 1
    const style = isLink ? linkStyles[isWrapped ? 1 : 0] : undefined
    return { text: whole, lines, xml: writeText(whole, { kind: 'text', isWrapped, style }) }
  }
  function rowXml(values: ReportRow, { sheet, number, widths }: RowPlace): string {
    let xml = ''
    let maxLines = 1
    const shown: ShownCell[] = []
    for (const [index, { read, place, letters, kind, format }] of cells.entries()) {
      const cell = read(values[place])
      let written = typeof cell === 'object' ? null : cell
      if (cell !== null) xml += `<c r="${letters}${number}"`
      if (typeof cell === 'number') xml += `${format}><v>${cell}</v></c>`
      else if (typeof cell === 'string') {
        const lines = countLines(cell, widths[index] ?? 0)
        maxLines = Math.max(maxLines, lines)
        xml += writeText(cell, { kind, isWrapped: lines > 1 })
      } else if (cell !== null) {
        const link = writeLink(cell, `${letters}${number}`, sheet, widths[index] ?? 0)
        maxLines = Math.max(maxLines, link.lines)
        written = link.text
        xml += link.xml
      }
      if (roundTrip !== undefined) shown.push(typeof written === 'string' ? shownText(written) : written)
    }
    // An unwritten style would be the general one, in which a program may take a text for something else.
    if (roundTrip !== undefined)
      xml += `<c r="${columnLetters(cells.length)}${number}"${tokenStyle} t="str"><v>${roundTrip.token(values, shown)}</v></c>`
    // Some programs do not fit a row to its lines when they open a file.
    const height = maxLines === 1 ? '' : ` ht="${rowHeight(maxLines)}" customHeight="1"`
    return `<row r="${number}"${height}>${xml}</row>`
  }
  return { rowXml, readCells: (values) => cells.map(({ read, place }) => read(values[place])) }
}

/** The server's text is the cell. */
const asText = (value: unknown): ReportCell => (value ?? null) as string | null

/** The spaces that programs take away at the ends of a text. */
const trimmed = String.raw`[ \u2000-\u200b\u2028\u2029]`
/** Shorter texts of ordinary characters are written as they are. */
const maxPlainLength = 250
const special = new RegExp(
  `[^\\x21-\\x25\\x27-\\x3b=?-\\ud7ff\\ue000-\\ufffd ]|\\x7f|_x[\\da-f]{4}_|^${trimmed}|${trimmed}$`,
  'i',
)
const rightToLeftLetters = String.raw`\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc`
const holdsRightToLeft = new RegExp(`[${rightToLeftLetters}]`)
const beginsRightToLeft = new RegExp(`^[^\\p{L}]*[${rightToLeftLetters}]`, 'u')

interface TextCell {
  readonly kind: CellKind
  readonly isWrapped: boolean
  /** The attribute of another style than that of the column. */
  readonly style?: string | undefined
}

/**
 * Creates the writer of a text's XML. A text is laid out from right to left if it begins in Arabic; in a sheet from
 * right to left, also if it holds any.
 */
function textWriter(
  isRightToLeft: boolean,
  styles: SheetStyles,
  styleId: (style: CellStyle) => number,
  toXml: (text: string) => string,
): (text: string, cell: TextCell) => string {
  const ids = (kind: CellKind): readonly string[] =>
    [false, true].flatMap((rightToLeft) =>
      [false, true].map((wrapped) => ` s="${styleId(styles.text(kind, { wrapped, rightToLeft }))}"`),
    )
  const idsOfKind: Readonly<Record<CellKind, readonly string[]>> = {
    text: ids('text'),
    number: ids('number'),
    boolean: ids('boolean'),
  }
  const reversed = isRightToLeft ? holdsRightToLeft : beginsRightToLeft
  return (text, { kind, isWrapped, style }) => {
    const isPlain = text.length < maxPlainLength && !special.test(text)
    const own = style ?? idsOfKind[kind][(isWrapped ? 1 : 0) + (reversed.test(text) ? 2 : 0)]
    if (isPlain) return `${own} t="str"><v>${text}</v></c>`
    // Spaces at the ends and line feeds survive only where they are asked for.
    return `${own} t="inlineStr"><is><t xml:space="preserve">${toXml(text)}</t></is></c>`
  }
}

const maxCharacters = 32_767
const maxLineFeeds = 253

/** Characters that XML forbids, and escapes that spreadsheets decode. */
const unusual = /[^\t\n -\ud7ff\ue000-\ufffd]|\x7f|_x[\da-f]{4}_/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must go
const forbidden = /[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g
const escapeLike = /_(?=x[\da-f]{4}_)/gi

/** Counts the cells of a file that did not fit and were cut. */
export interface CutCells {
  count: number
}

/**
 * A text as a cell can hold it: without characters that make a file unreadable, at most 32,767 characters and 253 line
 * feeds. Where that cuts something off, `note` stands in its place and the cell is counted.
 */
export function excelText(text: string, note: string, cut: CutCells): string {
  if (text.length <= maxLineFeeds && !unusual.test(text)) return text
  const clean = text.replace(/\r\n?/g, '\n').toWellFormed().replace(forbidden, '')
  const end = lengthThatFits(clean)
  if (end === clean.length) return clean.replace(escapeLike, '_x005F_')
  cut.count += 1
  const kept = clean.slice(0, Math.min(end, maxCharacters - note.length))
  // The first half of a pair is no character.
  return kept.replace(/[\ud800-\udbff]$/, '').replace(escapeLike, '_x005F_') + note
}

function lengthThatFits(text: string): number {
  let lineFeed = -1
  for (let count = 0; count <= maxLineFeeds; count++) {
    lineFeed = text.indexOf('\n', lineFeed + 1)
    if (lineFeed < 0) return Math.min(text.length, maxCharacters)
  }
  return Math.min(lineFeed, maxCharacters)
}

const markup = /[&<>]/g
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** A text inside an XML element. */
const xmlText = (text: string): string => text.replace(markup, (character) => entities[character] ?? '')
