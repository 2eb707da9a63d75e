import { integerRange, kindOfType } from '../table/value-kind.ts'
import type { CellStyle } from './excel-file.ts'
import type { Report, ReportRow } from './report.ts'
import type { ReportCell, ReportColumn } from './report-column.ts'
import { maxDigits } from './spreadsheet-values.ts'

export type CellKind = 'text' | 'number' | 'boolean'

/** How a text is laid out beside the alignment of its column. */
export interface TextLayout {
  /** On several lines inside of its column. */
  readonly wrapped: boolean
  /** From right to left, regardless of its first letter. */
  readonly rightToLeft: boolean
}

/** The styles of the cells of a sheet. Create them once for each sheet: every cell refers to them. */
export interface SheetStyles {
  /** A text in a column of any kind. It stays text when a user edits the cell. */
  readonly text: (kind: CellKind, layout?: TextLayout) => CellStyle
  readonly link: (wrapped: boolean) => CellStyle
  readonly number: (format: string) => CellStyle
  /** Above the cells of such a column, aligned as they are. */
  readonly header: (kind: CellKind) => CellStyle
  /** The label beside a text or a number. */
  readonly label: CellStyle
}

const font = { name: 'Calibri', size: 11, family: 2 } as const
const boldFont = { ...font, bold: true } as const
const linkFont = { ...font, underline: true, color: { argb: 'FF0563C1' } } as const
const headerFill = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFE3E9F2' } } as const

export function sheetStyles(rightToLeft: boolean): SheetStyles {
  const [start, end] = rightToLeft ? (['right', 'left'] as const) : (['left', 'right'] as const)
  const top = { vertical: 'top' } as const
  // The indent keeps a text apart from the end of the column before.
  const alignments = {
    text: { horizontal: start, indent: 1, ...top },
    number: { horizontal: end, ...top },
    boolean: { horizontal: 'center', ...top },
  } as const
  const own = rightToLeft ? ({ readingOrder: 'rtl' } as const) : {}
  return {
    text: (kind, layout) => ({
      numFmt: '@',
      alignment: {
        ...alignments[kind],
        ...(layout?.wrapped && { wrapText: true }),
        ...(layout?.rightToLeft && { readingOrder: 'rtl' }),
      },
    }),
    link: (wrapped) => ({
      numFmt: '@',
      font: linkFont,
      alignment: { ...alignments.text, ...(wrapped && { wrapText: true }) },
    }),
    number: (numFmt) => ({ numFmt, alignment: alignments.number }),
    header: (kind) => ({ numFmt: '@', font: boldFont, fill: headerFill, alignment: { ...alignments[kind], ...own } }),
    label: { numFmt: '@', font: boldFont, alignment: { ...alignments.text, ...own } },
  }
}

/** Returns the kind of most cells of a column. */
export function cellKind({ column: { type }, numberFormat }: ReportColumn): CellKind {
  if (type === 'boolean' || type === 'number') return type
  return type === 'date' && isDateFormat(numberFormat) ? 'number' : 'text'
}

/** Whether a spreadsheet shows numbers of this format as dates. */
const isDateFormat = (numberFormat: string): boolean => /[yhsd]/.test(numberFormat)

const narrowest = 8
/** Longer texts are wrapped. */
const maxColumnWidth = 60
const sampledRows = 200
const sampledCharacters = 500
/** The button of the filter, beside the label. */
const buttonWidth = 3
const boldFactor = 1.1
/** The indent of texts, and the space at the edges of a cell. */
const padding = 3

/** Widths, of which a digit has 1, that show the labels, the texts of the first rows, and any number. */
export function sheetWidths(
  { columns }: Report,
  rows: readonly ReportRow[],
  readCells: (values: ReportRow) => readonly ReportCell[],
): readonly number[] {
  const widths = columns.map(({ label }) => boldFactor * textWidth(label) + buttonWidth)
  for (const values of rows.slice(0, sampledRows)) {
    for (const [index, cell] of readCells(values).entries()) {
      widths[index] = Math.max(widths[index] ?? 0, shownWidth(cell, columns[index]?.numberFormat ?? ''))
    }
  }
  return widths.map((width, index) => {
    const least = Math.max(narrowest, minNumberWidth(columns[index]))
    return Math.min(Math.max(Math.ceil(width) + padding, least), maxColumnWidth)
  })
}

function shownWidth(cell: ReportCell, numberFormat: string): number {
  if (cell === null) return 0
  if (typeof cell === 'number') return numberWidth(cell, numberFormat)
  const text = typeof cell === 'string' ? cell : cell.text
  return Math.max(...text.slice(0, sampledCharacters).split('\n').map(textWidth))
}

/** Returns the width of the widest number of a column: spreadsheets show `####` for one that has no room. */
function minNumberWidth(shown: ReportColumn | undefined): number {
  if (shown === undefined || cellKind(shown) !== 'number' || shown.numberFormat === 'General') return 0
  const { column, numberFormat } = shown
  if (isDateFormat(numberFormat)) return numberFormat.length
  const places = countPlaces(numberFormat)
  const whole = Math.min(wholeDigits(column.source?.sqlType ?? '') ?? maxDigits - places, maxDigits)
  return 1 + whole + countSeparators(whole, numberFormat) + (places > 0 ? places + 1 : 0)
}

/** Returns the most digits before the point of a type; `undefined` where nothing limits them. */
function wholeDigits(sqlType: string): number | undefined {
  if (kindOfType(sqlType) === 'integer') return String(integerRange(sqlType)[1]).length
  const [, precision, scale = 0] = /^(?:numeric|decimal)\((\d+)(?:, *(\d+))?\)/.exec(sqlType) ?? []
  return precision === undefined ? undefined : Math.max(Number(precision) - Number(scale), 1)
}

const countPlaces = (format: string): number => /\.(0+)/.exec(format)?.[1]?.length ?? 0

const countSeparators = (digits: number, format: string): number =>
  format.startsWith('#,##0') ? Math.floor((digits - 1) / 3) : 0

/** Separators and places of the format are part of the width. */
function numberWidth(number: number, format: string): number {
  if (isDateFormat(format)) return format.length
  if (format === 'General') return String(number).length
  const fraction = Math.max(countPlaces(format), String(number).split('.')[1]?.length ?? 0)
  const whole = String(Math.trunc(number))
  return whole.length + countSeparators(whole.length, format) + (fraction > 0 ? fraction + 1 : 0)
}

const wide = /[MW@%]/g
const fullWidth = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/g
const capitals = /\p{Lu}/gu
const marks = /\p{M}/gu

/** Returns the width of a line, a digit having 1. Readers' fonts differ, so this is rather too much. */
function textWidth(text: string): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0
  return text.length + 0.6 * count(wide) + count(fullWidth) + 0.2 * count(capitals) - count(marks)
}

/**
 * Shorter lines are measured by their length alone, which saves time: only lines of wide letters are wider than that.
 */
const minMeasuredLength = maxColumnWidth / 2

const isTooWide = (line: string, width: number): boolean =>
  line.length > width || (line.length >= minMeasuredLength && textWidth(line) > width)

/** In points. */
const lineHeight = 15
const maxRowHeight = 409
const maxLines = Math.ceil(maxRowHeight / lineHeight)

/** Returns about how many lines a text takes in a column of this width, up to as many as a row can show. */
export function countLines(text: string, width: number): number {
  if (!isTooWide(text, width) && !text.includes('\n')) return 1
  const shown = text.slice(0, maxLines * maxColumnWidth).split('\n', maxLines)
  return shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / width)), 0)
}

/** Returns the height of a row, in points, by its lines of text. */
export const rowHeight = (lines: number): number => Math.min(lines * lineHeight, maxRowHeight)

const longest = 31

/**
 * A name that every spreadsheet takes: at most 31 characters, none of `[]:*?/\`, no straight quote; `number` tells
 * sheets apart.
 */
export function sheetName(label: string, number: number): string {
  const suffix = number === 1 ? '' : ` ${number}`
  const allowed = label
    .toWellFormed()
    .replace(/[[\]:*?/\\\p{Cc}\ufffe\uffff]+/gu, ' ')
    // References to a sheet, such as to its repeated rows, put its name in single quotes.
    .replace(/'/g, '’')
    .trim()
  const name = cutAt(allowed, longest - suffix.length)
    .replace(/^’+|’+$/g, '')
    .trim()
  // Spreadsheets keep this one for themselves.
  return `${name === '' || /^history$/i.test(name) ? `${name} sheet`.trim() : name}${suffix}`
}

const cutAt = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
