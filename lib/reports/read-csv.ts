import { importError } from '../errors/import-error.ts'
import type { FileCell, FileRow, SentFile } from './file-rows.ts'
import { unreadable } from './unpack-file.ts'

const maxCellLength = 1_000_000
/** The columns of a sheet of a workbook. */
const maxColumns = 16_384

/** Opens a CSV file in UTF-8. Throws `import_unreadable` for another encoding and for bytes that are no text. */
export function readCsv(bytes: Buffer): SentFile {
  const text = decode(bytes)
  const separator = findSeparator(text)
  return { kind: 'csv', isFrom1904: false, sheets: [{ name: '', merged: [], rows: () => readRows(text, separator) }] }
}

const otherEncoding = {
  en: 'it is not saved in UTF-8; save it as "CSV UTF-8" and send it again',
  ar: 'ليس محفوظًا بترميز UTF-8؛ احفظه بصيغة «CSV UTF-8» وأعد إرساله',
}

const longCell = {
  en: 'one of its cells has more than 1,000,000 characters; close its quotes or leave it out, and send the file again',
  ar: 'في إحدى خلاياه أكثر من 1000000 حرف؛ أغلق علامات اقتباسها أو احذفها وأعد إرسال الملف',
}

function decode(bytes: Buffer): string {
  const start = bytes.toString('hex', 0, 2)
  const isUtf16 = start === 'fffe' || start === 'feff'
  // Bytes that no text has are those of another kind of file.
  if (bytes.includes(0) && !isUtf16) throw unreadable(undefined)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw importError('import_refused', otherEncoding, cause)
  }
}

/** The separator that splits the first line into most cells. */
function findSeparator(text: string): string {
  const counts = new Map([',', ';', '\t'].map((separator) => [separator, 0]))
  let isQuoted = false
  for (const character of text.slice(0, maxCellLength)) {
    if (character === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (/[\r\n]/.test(character)) break
    const count = counts.get(character)
    if (count !== undefined) counts.set(character, count + 1)
  }
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best))[0]
}

/** Finds the quote that ends the quoted text which begins at `start`; -1 for none. */
function findClosingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (quote >= 0 && text.charAt(quote + 1) === '"') quote = text.indexOf('"', quote + 2)
  return quote
}

/** Adds what stands behind the closing quote, as spreadsheet programs do. */
const readQuoted = (quoted: string, rest: string): string => quoted.replaceAll('""', '"') + rest.trimEnd()

async function* readRows(text: string, separator: string): AsyncGenerator<FileRow> {
  const end = separator === '\t' ? /[\t\r\n]/g : new RegExp(`[${separator}\\r\\n]`, 'g')
  let cells = new Map<number, FileCell>()
  let [at, column, number] = [0, 0, 1]
  while (at < text.length) {
    const closing = text.charAt(at) === '"' ? findClosingQuote(text, at) : -1
    end.lastIndex = Math.max(at, closing)
    const stop = end.exec(text)?.index ?? text.length
    if (stop - at > maxCellLength) throw importError('import_refused', longCell)
    const value =
      closing < 0 ? text.slice(at, stop) : readQuoted(text.slice(at + 1, closing), text.slice(closing + 1, stop))
    if (value !== '') cells.set(column, { value: withoutEscape(value), isFormula: false })
    column += 1
    if (column > maxColumns) throw unreadable(undefined)
    at = stop + 1
    if (stop < text.length && text.charAt(stop) === separator) continue
    if (text.startsWith('\r\n', stop)) at += 1
    yield { number, isHidden: false, cells }
    cells = new Map()
    column = 0
    number += 1
  }
  // The last line ends with a separator.
  if (column > 0) yield { number, isHidden: false, cells }
}

const starts = '=+@\\t\\r\\n＝＋－＠-'
const escaped = new RegExp(`^'(?=\\s*[${starts}])`)
const inner = /([,;\t|]["'\s]{0,10}?)'(?=[=+@＝＋－＠-])/g

/** Removes the quotes by which an export has kept texts from being run as formulas. */
export const withoutEscape = (text: string): string => text.replace(escaped, '').replace(inner, '$1')
