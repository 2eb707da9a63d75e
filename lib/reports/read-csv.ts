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

function decode(bytes: Buffer): string {
  // Bytes that no text has are those of another kind of file.
  if (bytes.includes(0)) throw unreadable(undefined)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const reason = { en: 'it is not saved in UTF-8', ar: 'ليس محفوظًا بترميز UTF-8' }
    throw importError('import_refused', reason, cause)
  }
}

/** The separator that splits the first line into most cells. */
function findSeparator(text: string): string {
  const line = /^(?:"(?:[^"]|"")*"|[^\r\n"])*/.exec(text.slice(0, maxCellLength))?.[0] ?? ''
  const bare = line.replace(/"(?:[^"]|"")*"/g, '')
  const count = (separator: string) => bare.split(separator).length
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best))
}

async function* readRows(text: string, separator: string): AsyncGenerator<FileRow> {
  const quoted = /"((?:[^"]|"")*)"[^\r\n,;\t]*/y
  const end = separator === '\t' ? /[\t\r\n]/g : new RegExp(`[${separator}\\r\\n]`, 'g')
  let cells = new Map<number, FileCell>()
  let [at, column, number] = [0, 0, 1]
  while (at < text.length) {
    quoted.lastIndex = at
    const inQuotes = text.charAt(at) === '"' ? quoted.exec(text) : null
    end.lastIndex = inQuotes === null ? at : quoted.lastIndex
    const stop = end.exec(text)?.index ?? text.length
    const value = inQuotes === null ? text.slice(at, stop) : (inQuotes[1] ?? '').replaceAll('""', '"')
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
}

const starts = '=+@\\t\\r\\n＝＋－＠-'
const escaped = new RegExp(`^'(?=\\s*[${starts}])`)
const inner = /([,;\t|]["'\s]{0,10}?)'(?=[=+@＝＋－＠-])/g

/** Removes the quotes by which an export has kept texts from being run as formulas. */
export const withoutEscape = (text: string): string => text.replace(escaped, '').replace(inner, '$1')
