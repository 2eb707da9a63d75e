import { bind, type Statement } from '../db/statement.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { readFaults, validationFailed, valueFault } from '../errors/request-error.ts'
import { selectionValueFault } from '../errors/selection-fault.ts'
import type { Bilingual } from '../i18n/language.ts'
import { daysBeforeMonday } from '../i18n/period.ts'
import { dateSource, hasPattern, isDate, isNumber, isRaw, type RawColumn } from '../table/raw-column.ts'
import { shownUnit } from '../table/shown-unit.ts'
import type { TableView } from '../table/view.ts'
import { type GroupUnit, groupUnits } from '../wire/vocabulary.ts'
import { type Condition, decimalText, sourceText } from './compare.ts'
import { readDecimal } from './read-value.ts'

/** The range to which values of a column are joined: a unit of the calendar, or a width of numbers. */
export type Bucket = GroupUnit | { readonly width: string }

/** One column by which rows are grouped. */
export interface GroupKey {
  readonly column: RawColumn
  readonly bucket: Bucket | undefined
  /** The IANA time zone of its buckets. */
  readonly timeZone: string
  /**
   * Decides how a key is shown: a unit's first day, a moment or a part of it, a number, or as the column's cells are.
   */
  readonly form: 'unit' | 'moment' | 'number' | 'cell'
  /** Null for missing values, and for numbers and dates that are not finite, as in cells. */
  readonly expression: (statement: Statement) => string
}

/** The time zones of a request, and the calendar of its table. */
export interface GroupZones {
  /** The zone in which days begin. */
  readonly timeZone: string
  /** The zone in which cells are written. */
  readonly tableZone: string
}

const maxGroupKeys = 3

/**
 * Reads the columns of a group. Throws `validation_failed` naming each column or bucket that does not fit, under
 * `group_by`.
 */
export function planGroupKeys(view: TableView, asked: unknown, zones: GroupZones): readonly GroupKey[] {
  if (!Array.isArray(asked)) throw validationFailed({ group_by: [fieldFault('not_a_list')] })
  if (asked.length > maxGroupKeys) throw validationFailed({ group_by: [fieldFault('too_many', { max: maxGroupKeys })] })
  const known = new Map(view.columns.flatMap((column) => (hasGroups(column) ? [[column.key, column] as const] : [])))
  const fields: Record<string, readonly Bilingual[]> = {}
  const keys: GroupKey[] = []
  for (const [index, entry] of asked.entries()) {
    const { field, bucket } = Object(entry)
    const column = known.get(field)
    if (column === undefined) {
      fields[`group_by.${index}.field`] = [listOptions(known.keys())]
      continue
    }
    try {
      keys.push(createKey(view, column, readBucket(column, bucket ?? undefined), zones))
    } catch (error) {
      fields[`group_by.${index}.bucket`] = readFaults(error)
    }
  }
  if (Object.keys(fields).length > 0) throw validationFailed(fields)
  return keys
}

/** Returns whether rows can be grouped by a column: not by lists, JSON and HTML. */
export function hasGroups(column: TableView['columns'][number]): column is RawColumn {
  if (!isRaw(column) || column.type === 'html' || column.type === 'datalist') return false
  return column.source.kind !== 'json' && column.source.kind !== 'array'
}

function readBucket(column: RawColumn, asked: unknown): Bucket | undefined {
  if (asked === undefined) return undefined
  if (isDate(column)) {
    const units = allowedUnits(column)
    const unit = units.find((one) => one === asked)
    if (unit === undefined) throw units.length === 0 ? selectionValueFault('no_bucket') : unitFault(units)
    return unit
  }
  if (!isNumber(column)) throw selectionValueFault('no_bucket')
  const width = typeof asked === 'object' && asked !== null ? Reflect.get(asked, 'width') : undefined
  if (width === undefined) throw selectionValueFault('not_a_width')
  const text = readDecimal(width)
  if (!(Number(text) > 0)) throw valueFault('not_more', { min: 0 })
  return { width: text }
}

const unitFault = (units: readonly GroupUnit[]) => validationFailed({ '': [listOptions(units)] })

/** The units by which a column's dates can be grouped: none that is shorter than what its cells show. */
export function allowedUnits(column: RawColumn): readonly GroupUnit[] {
  if (!hasPattern(column)) return groupUnits
  const shown = shownUnit(column)
  if (shown === undefined) return []
  if (shown === 'year') return ['year']
  return shown === 'month' ? ['month', 'quarter', 'year'] : groupUnits
}

/**
 * Returns the zone in which the days of a column begin. Days of several zones would tell the time that its pattern
 * hides.
 */
function bucketZone(column: RawColumn, { timeZone, tableZone }: GroupZones): string {
  const unit = shownUnit(column)
  return hasPattern(column) && unit !== 'minute' && unit !== 'second' ? tableZone : timeZone
}

function createKey(view: TableView, shown: RawColumn, bucket: Bucket | undefined, zones: GroupZones): GroupKey {
  const column = isDate(shown) ? { ...shown, source: dateSource(shown) } : shown
  const { source, type } = column
  const key = { column, bucket, timeZone: bucketZone(column, zones) }
  if (typeof bucket === 'object')
    return { ...key, form: 'number', expression: (to) => rangeText(to, column, bucket.width) }
  if (bucket !== undefined) {
    const { firstWeekday = 'monday' } = view.table.definition
    const shift = daysBeforeMonday[firstWeekday]
    const truncate = (local: string) =>
      bucket === 'week' && shift > 0
        ? `date_trunc('week', ${local} + interval '${shift} days') - interval '${shift} days'`
        : `date_trunc('${bucket}', ${local})`
    return {
      ...key,
      form: 'unit',
      expression: (to) => finiteDate(to, column, truncate(localText(to, column, key.timeZone))),
    }
  }
  if (isDate(column)) return { ...key, ...momentKey(column, zones.tableZone) }
  if (isNumber(column))
    return { ...key, form: type === 'number' ? 'number' : 'cell', expression: (to) => numberText(to, column) }
  const isText = (source.kind === 'unknown' && type !== 'boolean') || source.kind === 'other'
  return { ...key, form: 'cell', expression: (to) => (isText ? sourceText(source, to) : source.expression(to)) }
}

/** A moment is as exact as its cells, or as ISO text has it: two keys must not look alike. */
function momentKey(column: RawColumn, timeZone: string): Pick<GroupKey, 'form' | 'expression'> {
  const { source, datePattern } = column
  const isCut = hasPattern(column)
  const unit = isCut ? shownUnit(column) : 'milliseconds'
  const cut = (to: Statement): string => {
    // A computed value may be a time of day or an interval, which is no timestamp.
    if (unit === undefined)
      return `to_char(${source.isInstant ? localText(to, column, timeZone) : source.expression(to)}, '${datePattern}')`
    if (isCut) return `date_trunc('${unit}', ${localText(to, column, timeZone)})`
    const date = source.expression(to)
    if (source.kind === 'date') return date
    return `date_trunc('${unit}', ${source.isInstant ? date : `${date}::timestamp`})`
  }
  return { form: unit === undefined ? 'cell' : 'moment', expression: (to) => finiteDate(to, column, cut(to)) }
}

const finiteDate = (statement: Statement, { source }: RawColumn, text: string): string =>
  `case when isfinite(${source.expression(statement)}) then ${text} end`

const localText = (statement: Statement, { source }: RawColumn, timeZone: string): string =>
  source.isInstant
    ? `(${source.expression(statement)} at time zone '${zoneName(timeZone)}')`
    : `${source.expression(statement)}::timestamp`

/** Returns the full name of a zone: Postgres takes abbreviations such as CET for a fixed offset. */
const zoneName = (timeZone: string): string => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone

/** Returns a number in SQL; null where it is not finite. */
function numberText(statement: Statement, { source }: RawColumn, isDecimal = source.kind === 'unknown'): string {
  const number = source.expression(statement)
  const value = isDecimal ? decimalText(source, number) : number
  if (source.kind === 'integer') return value
  const cast = source.kind === 'unknown' ? '::numeric' : ''
  return `case when ${number}${cast} not in ('NaN', 'Infinity', '-Infinity') then ${value} end`
}

/** Returns the start of the range that a number is in. `mod` is exact, where a quotient would be rounded. */
function rangeText(statement: Statement, column: RawColumn, width: string): string {
  const size = `${bind(statement, width)}::numeric`
  const number = `(${numberText(statement, column, true)})`
  return `trim_scale(${number} - mod(mod(${number}, ${size}) + ${size}, ${size}))`
}

const unitLengths: Readonly<Record<GroupUnit, string>> = {
  day: '1 day',
  week: '7 days',
  month: '1 month',
  quarter: '3 months',
  year: '1 year',
}

/** A long value by its digest, so that the token of its group stays short. */
export interface ValueDigest {
  readonly sha256: string
}

/** Matches the rows with one value of a key: as `keyTexts` writes it, as its digest, or null for a missing value. */
export const matchKey =
  ({ column, bucket, expression }: GroupKey, value: string | ValueDigest | null): Condition =>
  (statement) => {
    if (value === null) return `(${expression(statement)}) is null`
    if (typeof value === 'object')
      return `encode(sha256(convert_to((${expression(statement)})::text, 'UTF8')), 'hex') = ${bind(statement, value.sha256)}`
    const name = bind(statement, value)
    const equal = `(${expression(statement)}) = ${name}`
    return typeof bucket === 'string' ? `${equal} and ${unitBounds(statement, column, name, bucket)}` : equal
  }

/** Lets an index find a unit of the calendar. No time zone is more than a day ahead of UTC, or behind it. */
function unitBounds(statement: Statement, { source }: RawColumn, name: string, unit: GroupUnit): string {
  const date = source.expression(statement)
  const start = `${name}::timestamp`
  const end = `${name}::timestamp + interval '${unitLengths[unit]}'`
  if (source.kind !== 'instant') return `${date} >= ${start} and ${date} < ${end}`
  const moment = (local: string) => `((${local}) at time zone 'UTC')`
  return `${date} >= ${moment(`${start} - interval '1 day'`)} and ${date} < ${moment(`${end} + interval '1 day'`)}`
}
