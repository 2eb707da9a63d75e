/** The separator stands between cells; `raw` leaves texts that look like formulas as they are. */
export interface CsvFormat {
  readonly separator: CsvSeparator
  readonly raw: boolean
}

export const csvSeparators = [',', ';'] as const
export type CsvSeparator = (typeof csvSeparators)[number]

export interface CsvText {
  /** Returns one line of cells with its end. */
  readonly line: (cells: readonly (string | number | boolean | null)[]) => string
  /** Returns lines from rows that Postgres wrote as records, such as `(1,"New York",,"")`. Only for commas. */
  readonly linesOfRecords: (rows: readonly (readonly unknown[])[]) => string
}

export const defaultCsv: CsvFormat = { separator: ',', raw: false }

const csvLineEnd = '\r\n'
/** Without it spreadsheets take the file for one of the machine's old code page. */
export const csvStart = '\ufeff'

/** What spreadsheets may take for the beginning of a formula; the wide forms are those of Japanese keyboards. */
const opening = '=+@\\t\\r\\n＝＋－＠'
const number = String.raw`\d+(?:\.\d+)?(?:e[+-]?\d+)?`
const formula = new RegExp(`^\\s*(?:[${opening}]|-(?!${number}$))`, 'i')
/** A spreadsheet whose list separator is one of these may split a cell there, quoted or not. */
const foreignSeparators: Readonly<Record<CsvSeparator, string>> = { ',': ';\\t|', ';': ',\\t|' }

const toQuote: Readonly<Record<CsvSeparator, RegExp>> = { ',': /["\r\n,]|^\s|\s$/, ';': /["\r\n,;]|^\s|\s$/ }
const notText = /\0/g

/**
 * Creates the writer of CSV as RFC 4180 has it, between any separator. A text that a spreadsheet would run as a formula gets a
 * single quote in front, unless the format is raw. A missing value is empty, an empty text is `""`.
 */
export function csvText(format: CsvFormat): CsvText {
  const cell = cellWriter(format)
  const { separator, raw } = format
  const line: CsvText['line'] = (cells) => {
    const [only] = cells
    if (cells.length === 1 && only === null) return `""${csvLineEnd}`
    return cells.map(cell).join(separator) + csvLineEnd
  }
  const needsCare = raw ? hasBackslash : mayHoldFormula
  const lineOfRecord = (members: string): string =>
    needsCare(members) ? line(recordValues(members)) : members + csvLineEnd
  return {
    line,
    linesOfRecords: (rows) => {
      let lines = ''
      for (const [record] of rows as readonly (readonly [string])[]) lines += record.slice(1, -1) + csvLineEnd
      // Nearly always they are CSV already.
      if (!needsCare(lines)) return lines
      return rows.map(([record]) => lineOfRecord(String(record).slice(1, -1))).join('')
    },
  }
}

function cellWriter({ separator, raw }: CsvFormat): (cell: string | number | boolean | null) => string {
  const foreign = foreignSeparators[separator]
  // Only a whole number may begin with a minus: "-2+3" is a formula.
  const minus = `-(?!${number}(?:["'${foreign}]|\\s*$))`
  const inner = new RegExp(`([${foreign}]["'\\s]{0,10})(?=[=+@＝＋－＠]|${minus})`, 'gi')
  const defused = (text: string): string => {
    const safe = text.replace(inner, "$1'")
    return formula.test(safe) ? `'${safe}` : safe
  }
  return (cell) => {
    if (cell === null) return ''
    if (typeof cell !== 'string') return raw ? String(cell) : defusedNumber(String(cell))
    const text = cell.toWellFormed().replace(notText, '')
    if (text === '') return '""'
    const safe = raw ? text : defused(text)
    return toQuote[separator].test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
}

const defusedNumber = (text: string): string => (formula.test(text) ? `'${text}` : text)

const hasBackslash = (text: string): boolean => text.includes('\\')

/**
 * A backslash, which records double and CSV does not, or the beginning of a formula. Anything else that a record quotes, it
 * quotes as CSV does.
 */
const opens = (end: string): string => `(?:[${opening}]|-(?!${number}${end}))`
const special = new RegExp(`\\\\|(?:^|[,\\n])(?:${opens('(?:[,\\r]|$)')}|"\\s*${opens('"')})`, 'i')
const split = /[;\t|]["'\s]{0,10}[=+@＝＋－＠-]/

const mayHoldFormula = (text: string): boolean => special.test(text) || split.test(text)

const member = /(?:"([^"\\]*(?:(?:""|\\\\)[^"\\]*)*)"|([^,"]*))(?:,|$)/y

/** The values of a record without its parentheses; nothing at all between two commas is a missing value. */
function recordValues(members: string): readonly (string | null)[] {
  const values: (string | null)[] = []
  member.lastIndex = 0
  for (;;) {
    const [whole = '', quoted, bare = ''] = member.exec(members) ?? []
    values.push(quoted === undefined ? bare || null : quoted.replace(/""|\\\\/g, (pair) => pair.charAt(0)))
    if (!whole.endsWith(',')) return values
  }
}
