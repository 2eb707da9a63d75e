import { bind, type Statement } from '../db/statement.ts'
import { type Language, translate } from '../i18n/language.ts'
import { isFloat, sourceText } from '../query/compare.ts'
import { fieldText } from '../query/page-statement.ts'
import type { ReportField } from '../query/report-statement.ts'
import { createCellFormat, isLink } from '../rows/cell.ts'
import { isFormatted } from '../table/column-definition.ts'
import { booleanLabels, textLabels } from '../table/column-entry.ts'
import { findDatePattern } from '../table/compile-columns.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { ResponseContext } from '../table/context.ts'
import { hasPattern } from '../table/raw-column.ts'
import { shownUnit } from '../table/shown-unit.ts'
import type { Source } from '../table/source.ts'
import type { CellValue } from '../wire/vocabulary.ts'
import type { ReportFormat } from './report-plan.ts'
import {
  exactNumber,
  excelDateFormat,
  excelSerial,
  numberFormat,
  patternText,
  type ReportLink,
  spreadsheetLink,
} from './spreadsheet-values.ts'

/** A cell of a file. There is nothing else that a writer could take for a formula or a link. */
export type ReportCell = string | number | null | ReportLink

/** A column of a report. */
export interface ReportColumn {
  readonly column: CompiledColumn
  readonly label: string
  /** The field that the server sends; absent if an author's function makes the cell. */
  readonly field: ReportField | undefined
  /** Makes the cell from the value of the server or of an author's function. Absent: the value is the cell's text. */
  readonly read: ((value: unknown) => ReportCell) | undefined
  /** How a spreadsheet shows its numbers. */
  readonly numberFormat: string
}

type Shape = Pick<ReportColumn, 'field' | 'read'> & { readonly numberFormat?: string }

/** Creates the column of a file from a column of the table. `plain` removes the tags of HTML. */
export function reportColumn(
  column: CompiledColumn,
  format: ReportFormat,
  context: ResponseContext,
  plain: (html: string) => string,
  isKey: boolean,
): ReportColumn {
  const label = translate(column.definition.label, context.language)
  const shape = createShape(column, format, context, plain)
  return { column, label, numberFormat: numberFormat(column, isKey), ...shape }
}

/** Returns whether an author's function makes the cells of a column. */
export const isAuthored = ({ definition }: CompiledColumn): boolean =>
  'value' in definition || 'load' in definition || isFormatted(definition)

function createShape(
  column: CompiledColumn,
  format: ReportFormat,
  context: ResponseContext,
  plain: (html: string) => string,
): Shape {
  const { source, type } = column
  if (isAuthored(column) || source === undefined) {
    const read = createAuthoredReader(column, format, context.language)
    if (isLink(column) && format === 'excel') return { field: undefined, read: linkReader(read) }
    return { field: undefined, read: type === 'html' ? afterText(read, plain) : read }
  }
  if (type === 'html') return { ...raw(source), read: afterText(cellReader(createCellFormat('text')), plain) }
  if (type === 'date') return dateShape(column, source, format, context)
  if (type === 'boolean') return booleanShape(column, source, context.language)
  if (isLink(column) && format === 'excel')
    return { ...raw(source), read: linkReader(cellReader(createCellFormat('text'))) }
  if (type === 'number') return numberShape(source, format)
  if (type === 'datalist') {
    if (source.kind !== 'array') return { ...raw(source), read: cellReader(createCellFormat('datalist')) }
    // JSON writes them as the table does.
    if (/^(bool|timestamp)/.test(source.sqlType))
      return shapeFromSql(
        source,
        (text) => `(select string_agg(entry, ', ') from json_array_elements_text(to_json(${text})) entry)`,
      )
    const cast = source.sqlType.startsWith('char') ? '::text[]' : ''
    return shapeFromSql(source, (text) => `array_to_string(${text}${cast}, ', ')`)
  }
  return textShape(column, source, context.language)
}

/** Reads a cell as a link that can be clicked, where its address is one of the web or of mail. */
const linkReader = (read: (value: unknown) => ReportCell) => (value: unknown) => spreadsheetLink(value) ?? read(value)

const shapeFromSql = (source: Source, write: (text: string, statement: Statement) => string): Shape => ({
  field: { source, text: (statement) => write(source.expression(statement), statement) },
  read: undefined,
})

/** The value that the cells of the table are made of. */
const raw = (source: Source): Shape => ({
  field: { source, text: (statement) => fieldText(statement, { source, datePattern: undefined }, 'UTC') },
  read: undefined,
})

/** The text of a cell as the wire has it: lists joined, links by what they say. */
const cellReader = (cell: (value: unknown) => CellValue) => (value: unknown) => plainCell(cell(value))

function plainCell(value: CellValue): ReportCell {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'object') return value ?? null
  if (value === null) return null
  if ('label' in value && 'value' in value) return linkText(String(value.label ?? ''), String(value.value ?? ''))
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value)
}

/** A file has no room for a hidden address, so it stands behind the words. */
const linkText = (label: string, address: string): string =>
  label === '' || label === address ? address : address === '' ? label : `${label} (${address})`

const afterText = (read: (value: unknown) => ReportCell, write: (text: string) => string) => (value: unknown) => {
  const cell = read(value)
  return typeof cell === 'string' ? write(cell) : cell
}

function createAuthoredReader(column: CompiledColumn, format: ReportFormat, language: Language) {
  const labels = new Map(valueLabels(column, language))
  const [yes, no] = booleanLabels(column.definition, language)
  return (value: unknown): ReportCell => {
    if (typeof value === 'boolean') return value ? yes : no
    // An author's function can return what its type forbids.
    const cell = typeof value === 'bigint' ? String(value) : plainCell(value as CellValue)
    if (typeof cell === 'string') return labels.get(cell) ?? cell
    if (typeof cell !== 'number') return null
    return format === 'excel' ? exactNumber(value, cell, undefined) : cell
  }
}

function dateShape(column: CompiledColumn, source: Source, format: ReportFormat, { timeZone }: ResponseContext): Shape {
  const { datePattern, definition } = column
  const pattern = findDatePattern(definition, source)
  const numberFormat = excelDateFormat(pattern)
  // A serial number holds more than its format shows.
  const unit = hasPattern(column) ? shownUnit(column) : 'second'
  if (format === 'csv' || numberFormat === undefined || unit === undefined) {
    const text = (statement: Statement) => fieldText(statement, { source, datePattern }, timeZone)
    return { field: { source, text }, read: undefined }
  }
  const local = (text: string) => (source.isInstant ? `(${text} at time zone '${timeZone}')` : text)
  const cut = (text: string) => (unit === 'second' ? text : `date_trunc('${unit}', ${text}::timestamp)`)
  const read = (value: unknown): ReportCell => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return null
    return excelSerial(value) ?? patternText(value, pattern)
  }
  return { ...shapeFromSql(source, (text) => `date_part('epoch', ${cut(local(text))})`), read, numberFormat }
}

function booleanShape(column: CompiledColumn, source: Source, language: Language): Shape {
  const [yes, no] = booleanLabels(column.definition, language)
  if (source.kind !== 'boolean') {
    return { ...raw(source), read: (value) => (value === true ? yes : value === false ? no : null) }
  }
  const caseText = (text: string, statement: Statement) =>
    `case ${text} when true then ${bind(statement, yes)}::text when false then ${bind(statement, no)} end`
  return shapeFromSql(source, caseText)
}

function numberShape(source: Source, format: ReportFormat): Shape {
  const read = cellReader(createCellFormat('number'))
  if (format === 'excel') return { ...raw(source), read: (value) => exactNumber(value, read(value), source) }
  if (source.kind === 'unknown') return { ...raw(source), read }
  if (source.kind === 'integer') return shapeFromSql(source, (text) => `${text}::text`)
  return shapeFromSql(
    source,
    (text) => `case when ${text} in ('NaN', 'Infinity', '-Infinity') then null else ${text}::text end`,
  )
}

function textShape(column: CompiledColumn, source: Source, language: Language): Shape {
  const labels = valueLabels(column, language)
  // Only Postgres knows what a computed value is, and JavaScript writes floats in its own way.
  if (source.kind === 'unknown' || source.kind === 'json' || isFloat(source)) {
    const cell = cellReader(createCellFormat(column.type))
    const shown = new Map(labels)
    return { ...raw(source), read: (value) => findCellLabel(shown, cell(value)) }
  }
  return shapeFromSql(source, (_, statement) => {
    const text = sourceText(source, statement)
    if (labels.length === 0) return text
    const cases = labels.map(([value, label]) => `when ${bind(statement, value)} then ${bind(statement, label)}`)
    return `case ${text} ${cases.join(' ')} else ${text} end`
  })
}

const findCellLabel = (labels: ReadonlyMap<string, string>, cell: ReportCell): ReportCell =>
  cell === null ? null : (labels.get(String(cell)) ?? String(cell))

/** Returns what the table shows for single values, in the author's order. */
const valueLabels = (
  { definition, type }: CompiledColumn,
  language: Language,
): readonly (readonly [string, string])[] => (type === 'text' ? [...textLabels(definition, language)] : [])
