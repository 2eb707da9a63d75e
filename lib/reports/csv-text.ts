const separator = ','
const csvLineEnd = '\r\n'
/** Without it spreadsheets take the file for one of the machine's old code page. */
export const csvStart = '\ufeff'

/** What spreadsheets may take for the beginning of a formula; the wide forms are those of Japanese keyboards. */
const opening = '=+@\\t\\r\\n＝＋－＠'
const number = String.raw`\d+(?:\.\d+)?(?:e[+-]?\d+)?`

const formula = new RegExp(`^\\s*(?:[${opening}]|-(?!${number}$))`, 'i')
/** Where a machine's list separator is not the comma, a cell may be split here. */
const innerFormula = /([;\t|]["'\s]{0,10})(?=[=+@＝＋＠]|-(?!\d))/g
const toQuote = /["\r\n,]|^\s|\s$/
const notText = /\0/g

/**
 * A cell as RFC 4180 has it. A text that a spreadsheet would run as a formula gets a single quote in front, which every one of
 * them shows as text; a negative number stays a number. A missing value is empty, an empty text is `""`.
 */
function csvCell(cell: string | number | boolean | null): string {
  if (cell === null) return ''
  const text = typeof cell === 'string' ? cell.toWellFormed().replace(notText, '') : String(cell)
  if (text === '') return '""'
  const inner = typeof cell === 'string' ? text.replace(innerFormula, "$1'") : text
  const safe = formula.test(inner) ? `'${inner}` : inner
  return toQuote.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line of cells with its end. */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  const [only] = cells
  if (cells.length === 1 && only === null) return `""${csvLineEnd}`
  return cells.map(csvCell).join(separator) + csvLineEnd
}

/**
 * A backslash, which records double and CSV does not, or the beginning of a formula. Anything else that a record quotes, it
 * quotes as CSV does.
 */
const special = new RegExp(`\\\\|(?:^|[,\\n])(?:"\\s*)?(?:[${opening}]|-(?!${number}(?:[,\\r]|$)))`, 'i')
const split = /[;\t|]["'\s]{0,10}[=+@＝＋－＠-]/

const needsCare = (text: string): boolean => special.test(text) || split.test(text)

/** Lines from rows that Postgres wrote as records, such as `(1,"New York",,"")`: nearly always they are CSV already. */
export function csvLinesOfRecords(rows: readonly (readonly unknown[])[]): string {
  let lines = ''
  for (const [record] of rows as readonly (readonly [string])[]) lines += record.slice(1, -1) + csvLineEnd
  if (!needsCare(lines)) return lines
  return rows.map(([record]) => lineOfRecord(String(record).slice(1, -1))).join('')
}

const lineOfRecord = (members: string): string =>
  needsCare(members) ? csvLine(recordValues(members)) : members + csvLineEnd

const member = /(?:"([^"\\]*(?:(?:""|\\\\)[^"\\]*)*)"|([^,"]*))(?:,|$)/y

/** The values of a record without its parentheses; nothing at all between two commas is a missing value. */
function recordValues(members: string): readonly (string | null)[] {
  const values: (string | null)[] = []
  member.lastIndex = 0
  for (;;) {
    const [whole = '', quoted, bare = ''] = member.exec(members) ?? []
    values.push(quoted === undefined ? bare || null : quoted.replace(/""|\\\\/g, (pair) => pair.charAt(0)))
    if (!whole.endsWith(separator)) return values
  }
}
