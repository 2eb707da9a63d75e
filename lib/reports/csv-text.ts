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
/** The byte order mark: without it spreadsheets read the file in the machine's old code page. */
export const csvStart = '\ufeff'

/** The characters with which a spreadsheet begins a formula, with the wide forms of Japanese keyboards. */
const formulaStarts = '=+@\\t\\r\\n＝＋－＠'
const number = String.raw`\d+(?:\.\d+)?(?:e[+-]?\d+)?`
const formula = new RegExp(`^\\s*(?:[${formulaStarts}]|-(?!${number}$))`, 'i')
/**
 * Separators of other languages, and line ends: a spreadsheet that expects another separator may split a cell there,
 * quoted or not.
 */
const foreignSeparators: Readonly<Record<CsvSeparator, string>> = { ',': ';\\t\\r\\n|', ';': ',\\t\\r\\n|' }
/**
 * Matches quotes and spaces behind a separator. None of them is a separator or a line end, so that each is read once.
 */
export const blanks = String.raw`["' \f\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]*?`

const toQuote: Readonly<Record<CsvSeparator, RegExp>> = { ',': /["\r\n,]|^\s|\s$/, ';': /["\r\n,;]|^\s|\s$/ }
const notText = /\0/g

/**
 * Creates the writer of CSV as RFC 4180 has it, between any separator. A text that a spreadsheet would run as a formula
 * gets a single quote in front, unless the format is raw. A missing value is empty, an empty text is `""`.
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
    needsCare(members) ? line(parseRecord(members)) : members + csvLineEnd
  return {
    line,
    linesOfRecords: (rows) => {
      let lines = ''
      for (const [record] of rows as readonly (readonly [string])[]) lines += record.slice(1, -1) + csvLineEnd
      // Most batches are CSV already.
      if (!needsCare(lines)) return lines
      return rows.map(([record]) => lineOfRecord(String(record).slice(1, -1))).join('')
    },
  }
}

function cellWriter({ separator, raw }: CsvFormat): (cell: string | number | boolean | null) => string {
  const foreign = foreignSeparators[separator]
  // Only a plain number may begin with a minus, because "-2+3" is a formula.
  const minus = `-(?!${number}(?:["'${foreign}]|\\s*$))`
  const inner = new RegExp(`([${foreign}]${blanks})(?=[=+@＝＋－＠]|${minus})`, 'gi')
  const disarm = (text: string): string => {
    const safe = text.replace(inner, "$1'")
    return formula.test(safe) ? `'${safe}` : safe
  }
  return (cell) => {
    if (cell === null) return ''
    if (typeof cell !== 'string') return raw ? String(cell) : disarmNumber(String(cell))
    const text = cell.toWellFormed().replace(notText, '')
    if (text === '') return '""'
    const safe = raw ? text : disarm(text)
    return toQuote[separator].test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
}

const disarmNumber = (text: string): string => (formula.test(text) ? `'${text}` : text)

const hasBackslash = (text: string): boolean => text.includes('\\')

/** Matches the beginning of a formula. `end` may follow a plain number such as -1. */
const formulaPattern = (end: string): string => `(?:[${formulaStarts}]|-(?!${number}${end}))`
/**
 * A record is CSV already, unless it has a backslash, which records double, or a formula. Postgres quotes no member for
 * a space beyond ASCII.
 */
const special = new RegExp(
  `\\\\|(?:^|[,\\n])\\s*${formulaPattern('(?:[,\\r]|$)')}|"\\s*${formulaPattern('"(?!")')}`,
  'i',
)
const split = new RegExp(`[${foreignSeparators[',']}]${blanks}[=+@＝＋－＠-]`)

const mayHoldFormula = (text: string): boolean => special.test(text) || split.test(text)

const member = /(?:"([^"\\]*(?:(?:""|\\\\)[^"\\]*)*)"|([^,"]*))(?:,|$)/y

/** Parses a record without its parentheses. Nothing between two commas is a missing value. */
function parseRecord(members: string): readonly (string | null)[] {
  const values: (string | null)[] = []
  member.lastIndex = 0
  for (;;) {
    const [whole = '', quoted, bare = ''] = member.exec(members) ?? []
    values.push(quoted === undefined ? bare || null : quoted.replace(/""|\\\\/g, (pair) => pair.charAt(0)))
    if (!whole.endsWith(',')) return values
  }
}
