import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { CsvError, type Options, parse } from 'csv-parse'
import { parse as parseAtOnce } from 'csv-parse/sync'
import { importError } from '../errors/import-error.ts'
import { blanks } from './csv-text.ts'
import type { FileCell, FileRow, SentFile } from './file-rows.ts'
import { unreadable } from './unpack-file.ts'

const maxCellLength = 1_000_000
/** The columns of a sheet of a workbook. */
const maxColumns = 16_384
/** The rows of a sheet of a workbook; empty ones count, because reading them takes time as well. */
const maxRows = 1_048_576
const chunkBytes = 65_536

/**
 * Opens a CSV file in UTF-8. Throws `import_refused` for another encoding, and `import_unreadable` for bytes that are
 * no text, or the text of another format.
 */
export function readCsv(bytes: Buffer): SentFile {
  assertText(bytes)
  const [line, declared] = separatorLine.exec(bytes.toString('utf8', 0, 16)) ?? ['']
  const table = bytes.subarray(Buffer.byteLength(line))
  const delimiter = declared ?? findSeparator(table)
  return { kind: 'csv', isFrom1904: false, sheets: [{ name: '', merged: [], rows: () => readRows(table, delimiter) }] }
}

/** A first line that names the separator. Programs do not show it, and number the lines from the next one. */
const separatorLine = /^\ufeff?sep=([,;\t])(?:\r\n|\n|\r)/i

const otherEncoding = {
  en: 'it is not saved in UTF-8; save it as "CSV UTF-8" and send it again',
  ar: 'ليس محفوظًا بترميز UTF-8؛ احفظه بصيغة «CSV UTF-8» وأعد إرساله',
}

const longCell = {
  en: 'one of its cells has more than 1,000,000 characters; close its quotes or leave it out, and send the file again',
  ar: 'في إحدى خلاياه أكثر من 1,000,000 حرف؛ أغلق علامات اقتباسها أو احذفها وأعد إرسال الملف',
}

const manyRows = { en: 'more than 1,048,576 lines', ar: 'أكثر من 1,048,576 سطرًا' }

const strayQuote = (line: number) => ({
  en: `the quotes of its line ${line} do not fit together; save it by a spreadsheet program and send it again`,
  ar: `علامات الاقتباس في سطره رقم ${line} غير متطابقة؛ احفظه ببرنامج جداول وأعد إرساله`,
})

/** The beginning of XML, HTML, JSON and PDF. */
const otherKind = /^(?:\xef\xbb\xbf)?\s*(?:<[?!a-z]|[[{]\s*["{[]|%PDF-)/i

function assertText(bytes: Buffer): void {
  const start = bytes.toString('hex', 0, 2)
  const isUtf16 = start === 'fffe' || start === 'feff'
  // Bytes that no text has are those of another kind of file.
  if (otherKind.test(bytes.toString('latin1', 0, 64)) || (bytes.includes(0) && !isUtf16)) throw unreadable(undefined)
  if (!isUtf8(bytes)) throw importError('import_refused', otherEncoding)
}

const shape = { bom: true, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true } as const satisfies Options

const bounded = {
  ...shape,
  cast: (value, { index }) => {
    if (index >= maxColumns) throw unreadable(undefined)
    if (value.length > maxCellLength) throw importError('import_refused', longCell)
    return value
  },
} as const satisfies Options

/** The separator that splits the first line with a text into most cells. */
function findSeparator(bytes: Buffer): string {
  const start = bytes.subarray(0, maxCellLength)
  const count = (delimiter: string): number => {
    try {
      const [header = []] = parseAtOnce(start, { ...shape, delimiter, skip_empty_lines: true, to: 1 })
      return header.length
    } catch {
      // The fault of the line is reported when all lines are read.
      return 0
    }
  }
  return [',', ';', '\t'].reduce((best, one) => (count(one) > count(best) ? one : best))
}

function* splitBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

async function* readRows(bytes: Buffer, delimiter: string): AsyncGenerator<FileRow> {
  const records = Readable.from(splitBytes(bytes), { objectMode: false }).pipe(parse({ ...bounded, delimiter }))
  let number = 0
  try {
    for await (const record of records) {
      number += 1
      if (number > maxRows) throw importError('import_too_large', manyRows)
      yield { number, isHidden: false, width: record.length, cells: toCells(record) }
    }
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown
    throw importError('import_refused', strayQuote(Number(thrown['lines'])), thrown)
  }
}

const noCells: ReadonlyMap<number, FileCell> = new Map()

function toCells(record: readonly string[]): ReadonlyMap<number, FileCell> {
  // A file may have a million empty lines, and each map takes memory.
  if (record.length === 1 && record[0] === '') return noCells
  const cells = new Map<number, FileCell>()
  for (const [column, text] of record.entries()) if (text !== '') cells.set(column, toCell(text))
  return cells
}

function toCell(text: string): FileCell {
  const value = withoutEscape(text)
  return { value, isFormula: false, ...(value !== text && { written: text }) }
}

const starts = '=+@\\t\\r\\n＝＋－＠-'
const escaped = new RegExp(`^'(?=\\s*[${starts}])`)
const inner = new RegExp(`([,;\\t\\r\\n|]${blanks})'(?=[=+@＝＋－＠-])`, 'g')

/** Removes the quotes by which an export has kept texts from being run as formulas. */
export const withoutEscape = (text: string): string =>
  text.includes("'") ? text.replace(escaped, '').replace(inner, '$1') : text
