import { isDateFormat } from './excel-styles.ts'
import type { Report } from './report.ts'
import type { ReportRow } from './report-batches.ts'
import type { ReportCell } from './report-column.ts'

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

/** Widths, of which a digit has 1, that show the labels and the first rows. */
export function sheetWidths(
  { columns }: Report,
  rows: readonly ReportRow[],
  cellsOf: (values: ReportRow) => readonly ReportCell[],
): readonly number[] {
  const widths = columns.map(({ label }) => boldFactor * textWidth(label) + buttonWidth)
  for (const values of rows.slice(0, sampledRows)) {
    for (const [index, cell] of cellsOf(values).entries()) {
      widths[index] = Math.max(widths[index] ?? 0, shownWidth(cell, columns[index]?.numberFormat ?? ''))
    }
  }
  return widths.map((width) => Math.min(Math.max(Math.ceil(width) + padding, narrowest), maxColumnWidth))
}

function shownWidth(cell: ReportCell, numberFormat: string): number {
  if (cell === null) return 0
  if (typeof cell === 'number') return numberWidth(cell, numberFormat)
  const text = typeof cell === 'string' ? cell : cell.text
  return Math.max(...text.slice(0, sampledCharacters).split('\n').map(textWidth))
}

/** Separators and places of the format are part of the width. */
function numberWidth(number: number, format: string): number {
  if (isDateFormat(format)) return format.length
  if (format === 'General') return String(number).length
  const places = /\.(0+)/.exec(format)?.[1]?.length ?? 0
  const fraction = Math.max(places, String(number).split('.')[1]?.length ?? 0)
  const whole = String(Math.trunc(number))
  const separators = format.startsWith('#,##0') ? Math.floor((whole.length - 1) / 3) : 0
  return whole.length + separators + (fraction > 0 ? fraction + 1 : 0)
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

/** Shorter lines are measured by their length alone, which saves time: only lines of wide letters are wider than that. */
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

/** Returns the height of a row of so many lines, in points. */
export const rowHeight = (lines: number): number => Math.min(lines * lineHeight, maxRowHeight)
