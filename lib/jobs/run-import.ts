import type { ActionTarget } from '../actions/action-rows.ts'
import { importError, importFailures, importRefusal } from '../errors/import-error.ts'
import { RequestError } from '../errors/request-error.ts'
import { columnLetters } from '../reports/excel-file.ts'
import type { FileRow, FileSheet, MergedRange, SentFile } from '../reports/file-rows.ts'
import { readCsv } from '../reports/read-csv.ts'
import { readWorkbook } from '../reports/read-workbook.ts'
import { hasVersions } from '../rows/row-version.ts'
import { findImportOfJob, type ImportEntry, type ImportSummary, storeImportPlan } from '../storage/imports.ts'
import { readObject, removeObject } from '../storage/object-store.ts'
import { type Comparison, compareRows, createRefusal, type FileComparison, type FoundEntry } from './compare-rows.ts'
import { type OpenedFile, openFileColumns, readableHeader } from './file-columns.ts'
import { maxImportBytes } from './import-facts.ts'
import type { JobWorker, LeasedJob } from './job.ts'

/** Reads the uploaded file of an import, stores what it would change, and removes the file. Changes no row. */
export async function runImport(
  { config, database, work }: JobWorker,
  job: LeasedJob,
  target: ActionTarget,
  signal: AbortSignal,
): Promise<ImportSummary> {
  const found = await findImportOfJob(database.read, job.id)
  if (found === undefined) throw importError('import_not_found')
  // A worker that was killed before the end of the job has stored the plan, and may have removed the file.
  if (found.summary !== undefined) return found.summary
  const bytes = await readObject(config, found.objectKey, maxImportBytes)
  // The upload was signed for a size that an import may have.
  if (bytes === undefined) throw importError('import_unreadable')
  // The bucket's lifecycle removes a file that cannot be removed now.
  const removeFile = () => removeObject(config, found.objectKey).catch(() => {})
  const versioned = await hasVersions(database, target.view.table)
  const means = { importId: found.id, secret: config.SERVICE_SECRET, hasVersions: versioned, signal, run: work.read }
  const { summary, entries } = await readFile(bytes, target, means).catch(async (error) => {
    if (isRefusedFile(error)) await removeFile()
    throw error
  })
  signal.throwIfAborted()
  const stored = await work.transaction(({ run }) => storeImportPlan(run, found.id, summary, entries))
  // The sweep has removed the import meanwhile.
  if (stored === undefined) throw importError('import_not_found')
  await removeFile()
  return stored
}

async function readFile(bytes: Buffer, target: ActionTarget, comparison: Comparison) {
  const file = await openSentFile(bytes, comparison.signal)
  comparison.signal.throwIfAborted()
  return compareFile(file, target, comparison)
}

/** Returns whether the file would be refused again. */
const isRefusedFile = (error: unknown): boolean =>
  error instanceof RequestError && Object.hasOwn(importFailures, error.code)

/** The most rows of a file. */
const maxFileRows = 200_000
/** The most cells in which a file may differ. */
const maxEntries = 50_000
/** The most bytes of the values of these cells, which the worker holds in memory. */
const maxValueBytes = 64 * 1_024 * 1_024
const batchSize = 500
/** A file may have thousands of columns that the table does not have. The last row of a batch may exceed the limit. */
const maxBatchCells = 50_000

/**
 * Compares a file with the rows that the caller can see now. Throws the reason why the whole file is refused: it was
 * exported by another caller or from another table, was altered, or differs in too many cells.
 */
async function compareFile(
  file: SentFile,
  target: ActionTarget,
  comparison: Comparison,
): Promise<{ readonly summary: ImportSummary; readonly entries: readonly ImportEntry[] }> {
  const opened = await openFileColumns(file, target, comparison.secret)
  const seen = new Set<string>()
  const repeated = new Map<string, ImportEntry>()
  const ofFile: FileComparison = { ...comparison, opened, target, countBytes: createByteCounter() }
  const entries: ImportEntry[] = []
  let rows = 0
  for (const sheet of opened.sheets) {
    const found: FoundEntry[] = []
    for await (const batch of readBatches(sheet.rows, ofFile)) {
      rows += batch.length
      if (rows > maxFileRows) throw importError('import_too_large', tooManyRows)
      const named = await compareRows(batch, sheet, ofFile)
      for (const { key, row, entries: different } of named) {
        if (key !== undefined && seen.has(key))
          repeated.set(key, toEntry(createRefusal(row, key, importRefusal('duplicate_row')), sheet.sheet, opened))
        if (key !== undefined) seen.add(key)
        found.push(...different)
      }
      if (entries.length + found.length + repeated.size > maxEntries) throw importError('import_refused', tooManyCells)
    }
    entries.push(...found.map((entry) => toEntry(refuseMerged(entry, sheet.sheet), sheet.sheet, opened)))
  }
  const kept = entries.filter(({ rowKey }) => rowKey === null || !repeated.has(rowKey))
  const all = [...kept, ...repeated.values()]
  return { summary: summarize(rows, all, opened.ignored), entries: all }
}

const tooManyRows = { en: 'more than 200,000 rows', ar: 'أكثر من 200,000 صف' }
const tooManyCells = {
  en: 'it differs in more than 50,000 cells; split it and send the parts',
  ar: 'يختلف في أكثر من 50,000 خلية؛ قسّمه وأرسل أجزاءه',
}

const tooManyBytes = {
  en: 'the values of its changed cells have more than 64 MB; split it and send the parts',
  ar: 'قيم خلاياه المعدّلة أكبر من 64 ميغابايت؛ قسّمه وأرسل أجزاءه',
}

function createByteCounter(): FileComparison['countBytes'] {
  let bytes = 0
  return (values) => {
    bytes += Buffer.byteLength(values)
    if (bytes > maxValueBytes) throw importError('import_refused', tooManyBytes)
  }
}

/** Reads the rows that are not empty, some at a time. */
async function* readBatches(
  rows: AsyncIterable<FileRow>,
  { signal }: FileComparison,
): AsyncGenerator<readonly FileRow[]> {
  let batch: FileRow[] = []
  let cellCount = 0
  for await (const row of rows) {
    signal.throwIfAborted()
    if (row.cells.size === 0) continue
    batch.push(row)
    cellCount += row.cells.size
    if (batch.length < batchSize && cellCount < maxBatchCells) continue
    yield batch
    batch = []
    cellCount = 0
  }
  if (batch.length > 0) yield batch
}

/** Refuses a cell of a merged range: the program that merged the cells emptied all but the first. */
function refuseMerged(entry: FoundEntry, { merged }: FileSheet): FoundEntry {
  if (entry.field === null || !merged.some((range) => isWithin(range, entry))) return entry
  const { code, text } = importRefusal('merged')
  return { ...entry, kind: 'refused', code, ...text }
}

const isWithin = ({ columns, rows }: MergedRange, { column, row }: FoundEntry): boolean =>
  column >= columns[0] && column <= columns[1] && row >= rows[0] && row <= rows[1]

function toEntry({ column, row, ...entry }: FoundEntry, sheet: FileSheet, { sheets }: OpenedFile): ImportEntry {
  const cell = entry.field === null ? String(row) : `${columnLetters(column)}${row}`
  return { ...entry, place: sheets.length > 1 ? `${readableHeader(sheet.name)}!${cell}` : cell }
}

function summarize(rows: number, entries: readonly ImportEntry[], ignoredColumns: readonly string[]): ImportSummary {
  const count = (kind: ImportEntry['kind']) => entries.filter((entry) => entry.kind === kind).length
  return { rows, change: count('change'), conflict: count('conflict'), refused: count('refused'), ignoredColumns }
}

const archiveStart = Buffer.from('PK\x03\x04', 'latin1')
/** The beginning of old and of encrypted workbooks. */
const compoundStart = Buffer.from('d0cf11e0a1b11ae1', 'hex')

const oldFormat = {
  en: 'it is encrypted or in the old format .xls; save it as .xlsx without a password and send it again',
  ar: 'إنه مشفّر أو بالصيغة القديمة ‎.xls؛ احفظه بصيغة ‎.xlsx دون كلمة مرور وأعد إرساله',
}

/** Opens a workbook or a CSV file, recognized by its first bytes. Throws the reason why a file cannot be read. */
async function openSentFile(bytes: Buffer, signal: AbortSignal): Promise<SentFile> {
  const begins = (start: Buffer) => bytes.subarray(0, start.length).equals(start)
  if (begins(compoundStart)) throw importError('import_refused', oldFormat)
  return begins(archiveStart) ? readWorkbook(bytes, signal) : readCsv(bytes)
}
