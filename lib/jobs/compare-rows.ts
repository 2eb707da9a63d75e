import { type ActionTarget, actionRows } from '../actions/action-rows.ts'
import { checkCellValue } from '../actions/cell-value.ts'
import { type RowValues, readRowValues } from '../actions/row-values.ts'
import type { Run } from '../db/transaction.ts'
import { listOptions } from '../errors/field-fault.ts'
import { type ImportRefusal, type ImportRefusalCode, importRefusal } from '../errors/import-error.ts'
import type { Bilingual, Language } from '../i18n/language.ts'
import { findMoment } from '../i18n/skipped-time.ts'
import { isFloat } from '../query/compare.ts'
import { sealText } from '../query/sealed-text.ts'
import { toWireValue } from '../reports/exported-value.ts'
import type { FileCell, FileRow } from '../reports/file-rows.ts'
import { readFileCell, withoutMarks } from '../reports/read-file-cell.ts'
import { isInExponentForm, isRewritten } from '../reports/rewritten-text.ts'
import {
  type ExportedValue,
  type RowToken,
  readRowToken,
  shownDigest,
  shownDigestLength,
  valueDigest,
} from '../reports/row-token.ts'
import { maxDigits } from '../reports/spreadsheet-values.ts'
import { plainDecimal } from '../rows/decimal-text.ts'
import type { ImportEntry } from '../storage/imports.ts'
import { textLabels } from '../table/column-entry.ts'
import type { AnyRow } from '../table/context.ts'
import { decimalHint, type EditableColumn, listEditableColumns } from '../table/editable-columns.ts'
import { isDate, isRaw, type RawColumn } from '../table/raw-column.ts'
import type { Source } from '../table/source.ts'
import { isTemporal } from '../table/value-kind.ts'
import type { FileColumn, OpenedFile } from './file-columns.ts'
import { findMatchedKeys, listPadded } from './find-matched-keys.ts'
import { importSeal, listNamingColumns } from './import-facts.ts'
import { readShownCells, type ShownCells } from './shown-cells.ts'

/** The means of a comparison. */
export interface Comparison {
  readonly importId: string
  readonly run: Run
  /** Has sealed the tokens of the file. */
  readonly secret: string
  readonly hasVersions: boolean
  readonly signal: AbortSignal
}

/** The comparison of one file, which bounds the memory of what it finds. */
export interface FileComparison extends Comparison {
  readonly opened: OpenedFile
  readonly target: ActionTarget
  /** Counts the bytes of values that are kept. Throws the reason why the file is refused if they are too many. */
  readonly countBytes: (values: string) => void
}

/** A difference with its place in the file. */
export interface FoundEntry extends Omit<ImportEntry, 'place'> {
  readonly column: number
  readonly row: number
}

/** The differences of one row of a file. */
interface ComparedRow {
  /** Absent for a row that names none of the table. */
  readonly key: string | undefined
  readonly row: number
  readonly entries: readonly FoundEntry[]
}

/** A row of a file that names one of the table. */
interface NamedRow {
  readonly fileRow: FileRow
  readonly key: string
  /** Absent where a unique column names the row. */
  readonly token: RowToken | undefined
  /** Whether it may be another row, from whose name a program has removed the zeros in front. */
  readonly mayLackZeros?: boolean
}

/** The row as it is now. */
interface PresentRow {
  readonly values: RowValues
  readonly row: AnyRow
  /** The texts of its cells in a CSV file; absent for a row with a token. */
  readonly shown: ShownCells | undefined
}

/** Compares rows of a sheet with those of the table. */
export async function compareRows(
  batch: readonly FileRow[],
  { keyPlace, columns, width }: Pick<OpenedFile['sheets'][number], 'keyPlace' | 'columns' | 'width'>,
  comparison: FileComparison,
): Promise<readonly ComparedRow[]> {
  const { target } = comparison
  const names = await nameRows(batch, keyPlace, comparison)
  const keys = names.flatMap((name) => ('key' in name ? [name.key] : []))
  const editable = listEditableColumns(target.view)
  const read = columns.flatMap(({ key }) => editable.get(key) ?? [])
  const secret = comparison.hasVersions ? comparison.secret : undefined
  const { matchedBy, language } = comparison.opened
  const naming = matchedBy === undefined ? [] : listNamingColumns(target.view)
  const values = await readRowValues(comparison, target, keys, [...read, ...naming], secret)
  const rows = await actionRows(comparison, target, keys, 'look')
  const shown = matchedBy === undefined ? undefined : await readShownCells(comparison.run, target, keys, read, language)
  return names.map((name): ComparedRow => {
    if ('code' in name) return refuseName(name.row, name.code)
    const { key, fileRow } = name
    if (isOfOtherRow(name, columns, target))
      return { key, row: fileRow.number, entries: [createRefusal(fileRow.number, key, importRefusal('other_row'))] }
    const now = values.get(key)
    const row = rows.get(key)
    if (now === undefined || row === undefined) return compareMissing(name, columns, target)
    const present = { values: now, row, shown: shown?.get(key) }
    const cells = columns.flatMap((column) => compareCell(name, column, present, comparison) ?? [])
    // A separator in a text without quotes has moved the values behind it into other columns.
    const isMoved = Math.max(...fileRow.cells.keys()) >= width
    if (isMoved && cells.length > 0) return refuseName(fileRow.number, 'extra_cells')
    if (name.mayLackZeros === true && cells.length > 0) return refuseName(fileRow.number, 'lost_zeros')
    return { key, row: fileRow.number, entries: cells }
  })
}

type NameOfRow = NamedRow | { readonly row: number; readonly code: ImportRefusalCode }

const refuseName = (row: number, code: ImportRefusalCode): ComparedRow => ({
  key: undefined,
  row,
  entries: [createRefusal(row, null, importRefusal(code))],
})

async function nameRows(
  batch: readonly FileRow[],
  keyPlace: number,
  { opened: { file, matchedBy }, target, run, secret }: FileComparison,
): Promise<readonly NameOfRow[]> {
  const texts = batch.map(({ cells }) => listTexts(cells.get(keyPlace)))
  const all = texts.flatMap((names) => [...names, ...names.map(withoutMarks)])
  const matched = matchedBy === undefined ? undefined : await findMatchedKeys(run, target, matchedBy, all)
  return batch.map((fileRow, index): NameOfRow => {
    const names = texts[index] ?? []
    const [text = ''] = names
    const refuse = (code: ImportRefusalCode) => ({ row: fileRow.number, code })
    if (text === '') return refuse('added_row')
    if (matched !== undefined) {
      const findKeys = (written: readonly string[]) => written.flatMap((name) => matched.get(name) ?? [])
      const bare = names.map(withoutMarks)
      const [key, second] = [names, bare].map(findKeys).find((keys) => keys.length > 0) ?? []
      const mayLackZeros = bare.flatMap(listPadded).some((name) => matched.has(name))
      if (key === undefined) return refuse(mayLackZeros ? 'lost_zeros' : 'row_not_found')
      return second === undefined ? { fileRow, key, token: undefined, mayLackZeros } : refuse('several_rows')
    }
    const token = readRowToken(secret, text)
    if (token === undefined) return refuse('forged_token')
    return token.file === file ? { fileRow, key: token.key, token } : refuse('foreign_token')
  })
}

/** Lists the texts that a cell may stand for: its quote may be an escape of the export or a part of the value. */
const listTexts = ({ value, written }: FileCell = emptyCell): readonly string[] =>
  [value, written].flatMap((text) => text ?? []).map(String)

/**
 * Returns whether the hidden cell of a row names another row than its visible cells: a user sorted or copied only some
 * columns.
 */
const isOfOtherRow = ({ fileRow, token }: NamedRow, columns: readonly FileColumn[], target: ActionTarget): boolean =>
  token !== undefined &&
  columns.some(
    (column) =>
      column.key === target.view.table.definition.key &&
      !isAsExported(token, column, readCell(fileRow, column), target),
  )

/** A row that is gone, or not the caller's any more, matters only if the file changes it. */
function compareMissing(
  { fileRow, key, token }: NamedRow,
  columns: readonly FileColumn[],
  target: ActionTarget,
): ComparedRow {
  const row = fileRow.number
  const isChanged = columns.some(
    (column) => token === undefined || !isAsExported(token, column, readCell(fileRow, column), target),
  )
  return { key, row, entries: isChanged ? [createRefusal(row, key, importRefusal('row_not_found'))] : [] }
}

const emptyCell: FileCell = { value: null, isFormula: false }

const readCell = ({ cells }: FileRow, { place }: FileColumn): FileCell => cells.get(place) ?? emptyCell

/** Whether a cell shows what the export has written into it. */
function isAsExported(
  { shown }: RowToken,
  { key, index }: FileColumn,
  { value, isFormula }: FileCell,
  { view }: ActionTarget,
): boolean {
  const start = index * shownDigestLength
  const exported = shown.slice(start, start + shownDigestLength)
  if (isFormula) return false
  if (exported === shownDigest(value)) return true
  const column = view.columns.find((one) => one.key === key)
  if (typeof value !== 'number' || column === undefined || !isRaw(column) || !isDate(column)) return false
  return neighbours(value).some((near) => shownDigest(near) === exported)
}

/** Some programs round a moment to 16 digits and then to 15, which can change its last digit by one. */
const neighbours = (value: number): readonly number[] => {
  const step = 10 ** (Math.floor(Math.log10(value)) - 14)
  return [value - step, value + step]
}

function compareCell(
  { fileRow, key, token }: NamedRow,
  column: FileColumn,
  present: PresentRow,
  comparison: FileComparison,
): FoundEntry | undefined {
  const { opened, target } = comparison
  const cell = readCell(fileRow, column)
  if (token !== undefined && isAsExported(token, column, cell, target)) return undefined
  const editable = listEditableColumns(target.view).get(column.key)
  const compiled = target.view.columns.find((one) => one.key === column.key)
  const entry = { rowKey: key, field: column.key, column: column.place, row: fileRow.number }
  const refuse = ({ code, text }: ImportRefusal, values = '{}'): FoundEntry => ({
    ...entry,
    kind: 'refused',
    values,
    code,
    ...text,
  })
  if (editable === undefined || !column.isEditable || compiled === undefined || !isRaw(compiled))
    return token === undefined ? undefined : refuse(importRefusal('not_editable'))
  const now = present.values.texts.get(column.key) ?? null
  const shown = present.shown?.get(column.key)
  if (isUntouched(cell, shown, compiled.source)) return undefined
  if (fileRow.isHidden) return refuse(importRefusal('hidden_row'))
  const read = readFileCell(cell, compiled, opened)
  if ('refusal' in read)
    return token === undefined && read.refusal.code === 'not_from_file' ? undefined : refuse(read.refusal)
  const base = token === undefined ? undefined : token.values[opened.exported.indexOf(column.key)]
  const file = toMoment(compiled.source, read.value, opened.timeZone, target.context.timeZone)
  const name = opened.matchedBy === undefined ? undefined : present.values.texts.get(opened.matchedBy)
  const values = writeValues(editable, key, { base, file, now, name }, comparison)
  const checked = checkCellValue(editable, file)
  if ('fault' in checked) {
    const text = toFileFault(checked.fault, editable, compiled, opened.language)
    return refuse({ code: 'validation_failed', text }, values)
  }
  if (isPresentValue(compiled, file, now, opened, token)) return undefined
  if (isRewrittenCell(compiled.source, shown ?? now, cell, token)) return refuse(importRefusal('rewritten'), values)
  if (!editable.isOpen(present.row, target.context)) return refuse(importRefusal('closed'), values)
  const isUnchanged =
    token === undefined ||
    (token.version !== null && token.version === present.values.version) ||
    isSameExport(base ?? null, now)
  return { ...entry, kind: isUnchanged ? 'change' : 'conflict', values, code: null, en: null, ar: null }
}

/**
 * Whether a program may have made a cell of the present value: in a CSV file any but a date, which is read by the
 * pattern of its column alone, and in a workbook a number of a text.
 */
function isRewrittenCell(
  { kind }: Source,
  present: string | null,
  { value }: FileCell,
  token: RowToken | undefined,
): boolean {
  const mayBe = token === undefined ? !isTemporal(kind) : kind === 'text' && typeof value === 'number'
  return mayBe && present !== null && isRewritten(present, String(value ?? ''))
}

/** Writes a fault for the users of files: with the labels of the file, and without what is about JSON. */
function toFileFault(
  fault: Bilingual,
  { form, source }: EditableColumn,
  { definition }: RawColumn,
  language: Language,
): Bilingual {
  const values = [...(form._zod.values ?? source.declaredValues ?? [])].filter((value) => value !== null)
  if (fault.en !== listOptions(values).en)
    return { en: fault.en.replace(decimalHint.en, ''), ar: fault.ar.replace(decimalHint.ar, '') }
  const labels = textLabels(definition, language)
  return listOptions(new Set(values.map((value) => labels.get(String(value)) ?? value)))
}

/** Reads a local time as a moment where the table has another time zone than when the file was exported. */
function toMoment(source: Source, value: unknown, fileZone: string, tableZone: string): unknown {
  if (source.kind !== 'instant' || fileZone === tableZone || typeof value !== 'string') return value
  const moment = findMoment(value, fileZone)
  return moment === undefined ? value : `${new Date(moment).toISOString().slice(0, 19)}Z`
}

const isSameExport = (base: ExportedValue, now: string | null): boolean =>
  Array.isArray(base) ? now !== null && base[0] === valueDigest(now) : base === now

/** Whether a cell of a CSV file is what the export would write now, or that number with an exponent. */
const isUntouched = ({ value }: FileCell, shown: string | undefined, { kind }: Source): boolean => {
  if (shown === undefined) return false
  const text = String(value ?? '')
  return lines(text) === lines(shown) || ((kind === 'decimal' || kind === 'integer') && isInExponentForm(shown, text))
}

const lines = (text: string): string => text.replace(/\r\n?/g, '\n')

/**
 * Whether a value is the present one. A file without tokens shows a moment only as exactly as the pattern of its
 * column, and a program that saves it writes 15 digits of a number.
 */
function isPresentValue(
  { source, datePattern }: RawColumn,
  value: unknown,
  now: string | null,
  { timeZone }: OpenedFile,
  token: RowToken | undefined,
): boolean {
  const isNumber = source.kind === 'decimal' || source.kind === 'integer'
  const isRounded = token === undefined && isNumber && value !== null && now !== null
  if (isRounded && Number(value) === roundNumber(now)) return true
  const isMoment = source.kind === 'timestamp' || source.kind === 'instant'
  const shown = token === undefined && isMoment && datePattern?.includes('SS') !== true
  const text = shown && now !== null ? now.replace(/:\d\d(\.\d+)?(?=Z?$)/, ':00') : now
  return isSameValue(source, value, text, timeZone)
}

const roundNumber = (text: string): number => Number(Number(text).toPrecision(maxDigits))

/** The values of a cell as the file, the export and the table have them. */
interface CellValues {
  readonly base: ExportedValue | undefined
  readonly file: unknown
  readonly now: string | null
  /** The value of the unique column that names the row. */
  readonly name: string | null | undefined
}

/** Writes the values of a cell as JSON; those of a sensitive column are sealed. */
function writeValues(
  { key: field, source, isSensitive }: EditableColumn,
  rowKey: string,
  { base, file, now, name }: CellValues,
  { importId, secret, countBytes, opened }: FileComparison,
): string {
  const text = JSON.stringify({
    ...((typeof base === 'string' || base === null) && { base: toWireValue(source, base) }),
    file,
    now: toWireValue(source, now),
    was: now,
    ...(typeof name === 'string' && { name: valueDigest(name) }),
    ...(source.kind === 'instant' && { zone: opened.timeZone }),
  })
  const values = isSensitive ? sealText(secret, importSeal(importId, rowKey, field), text) : text
  countBytes(values)
  return values
}

/** Creates the refusal of a whole row. */
export const createRefusal = (row: number, key: string | null, { code, text }: ImportRefusal): FoundEntry => ({
  rowKey: key,
  field: null,
  kind: 'refused',
  values: '{}',
  column: 0,
  row,
  code,
  ...text,
})

/** Whether a value that a client would write is the one that a cell has, given as an export writes it. */
function isSameValue(source: Source, value: unknown, text: string | null, timeZone: string): boolean {
  if (value === null || text === null) return value === null && text === null
  switch (source.kind) {
    case 'integer':
      return /^-?\d+$/.test(String(value)) && BigInt(String(value)) === BigInt(text)
    case 'decimal':
      return isFloat(source) ? Number(value) === Number(text) : plainDecimal(String(value)) === plainDecimal(text)
    case 'timestamp':
      return instant(String(value)) === instant(text)
    case 'instant':
      return localInstant(String(value), timeZone) === instant(text)
    default:
      return String(value) === text
  }
}

/** To the second, because files show no more. */
const instant = (text: string): number => Math.floor(Date.parse(text.endsWith('Z') ? text : `${text}Z`) / 1_000)

const localInstant = (text: string, timeZone: string): number =>
  Math.floor((hasOffset.test(text) ? Date.parse(text) : (findMoment(text, timeZone) ?? Number.NaN)) / 1_000)

const hasOffset = /(z|[+-]\d\d:\d\d)$/i
