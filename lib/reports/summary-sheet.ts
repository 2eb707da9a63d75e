import type { Workbook } from './excel-file.ts'
import { sheetStyles } from './excel-styles.ts'
import { excelText } from './excel-text.ts'
import { filterWords, sortWords } from './filter-words.ts'
import { momentText } from './moment-text.ts'
import { tableLabel } from './report-file.ts'
import type { ReportRequest } from './report-request.ts'
import { reportWords } from './report-words.ts'
import { sheetName } from './sheet-name.ts'

/** What is known of a report once its rows are written. */
export interface ReportOutcome {
  readonly rows: number
  readonly cutCells: number
  /** The names of its sheets so far. */
  readonly names: readonly string[]
}

const [labelWidth, valueWidth] = [36, 80]
const countFormat = '#,##0'

/** Adds a sheet that says what was asked, by whom and when, and what came of it. */
export function addSummary(request: ReportRequest, { addSheet }: Workbook, outcome: ReportOutcome): void {
  const { language } = request.context
  const words = reportWords(language)
  const taken = new Set(outcome.names.map((name) => name.toLowerCase()))
  const number = [1, 2].find((candidate) => !taken.has(sheetName(words.summary, candidate).toLowerCase())) ?? 3
  const name = sheetName(words.summary, number)
  const rightToLeft = language === 'ar'
  const sheet = addSheet({
    ...{ name, rightToLeft, frozenRows: 0, orientation: 'portrait', widths: [labelWidth, valueWidth] },
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

function summaryLines(request: ReportRequest, outcome: ReportOutcome): readonly (readonly [string, string | number])[] {
  const { context, requestedAt, requestedBy, selected } = request
  const words = reportWords(context.language)
  const filters = filterWords(request)
  return [
    [words.table, tableLabel(request)],
    ...listed(words.filters, filters.length === 0 ? [words.noFilters] : filters),
    ...(selected === undefined ? [] : [[words.selected, selected] as const]),
    ...listed(words.sorts, sortWords(request)),
    [words.requestedAt, `${momentText(requestedAt, context.timeZone)} (${context.timeZone})`],
    [words.requestedBy, requestedBy],
    [words.rows, outcome.rows],
    ...(outcome.names.length > 1 ? listed(words.sheets, outcome.names) : []),
    ...(outcome.cutCells > 0 ? [[words.cutCells, outcome.cutCells] as const] : []),
  ]
}

/** One line for each text, of which only the first has the label. */
const listed = (label: string, texts: readonly string[]): readonly (readonly [string, string])[] =>
  texts.map((text, index) => [index === 0 ? label : '', text])
