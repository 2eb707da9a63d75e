import { importError, importRefusal } from '../errors/import-error.ts'
import { columnLetters } from '../reports/excel-file.ts'
import type { FileRow, FileSheet, MergedRange, SentFile } from '../reports/file-rows.ts'
import type { ImportEntry, ImportSummary } from '../storage/imports.ts'
import { type Comparison, compareRows, createRefusal, type FileComparison, type FoundEntry } from './compare-rows.ts'
import { openFileColumns } from './file-columns.ts'
import type { OpenedTarget } from './job.ts'
import { type OpenedFile, readableHeader } from './open-sheet.ts'

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
 * Compares a file with the rows that the caller can see now. Throws the reason why the whole file is refused: it was exported by
 * another caller or from another table, was altered, or differs in too many cells.
 */
export async function compareFile(
  file: SentFile,
  target: OpenedTarget,
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

const tooManyRows = { en: 'more than 200,000 rows', ar: 'أكثر من 200000 صف' }
const tooManyCells = {
  en: 'it differs in more than 50,000 cells; split it and send the parts',
  ar: 'يختلف في أكثر من 50000 خلية؛ قسّمه وأرسل أجزاءه',
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
  { opened: { kind }, signal }: FileComparison,
): AsyncGenerator<readonly FileRow[]> {
  let batch: FileRow[] = []
  let cellCount = 0
  for await (const row of rows) {
    signal.throwIfAborted()
    const isEmpty =
      row.cells.size === 0 || (kind === 'csv' && [...row.cells.values()].every(({ value }) => value === ''))
    if (isEmpty) continue
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
