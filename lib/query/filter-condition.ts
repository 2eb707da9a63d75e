import { optionFault, valueFault } from '../errors/request-error.ts'
import { endOfDayFrom } from '../i18n/time-zone.ts'
import type { CompiledFilter } from '../table/compiled-table.ts'
import type { AppliedFilter } from '../table/context.ts'
import { type BasicOperator, type Ordering, takesAll } from '../table/filter-operators.ts'
import type { Source } from '../table/source.ts'
import { integerRange } from '../table/value-kind.ts'
import type { Operator } from '../wire/vocabulary.ts'
import {
  type Condition,
  compare,
  compareDate,
  compareDecimal,
  compareInteger,
  floatText,
  hasValue,
  isFloat,
  isInList,
  matchText,
  negate,
  parseWhole,
  sourceText,
} from './compare.ts'
import { type DateBound, type DateValue, readDate } from './date-value.ts'
import { readBoolean, readDecimal, readList, readRange, readText, readUuid, truths, uuid } from './read-value.ts'

/** A filter of a request, read and ready to be written into a statement; without a condition it restricts nothing. */
export interface ReadFilter {
  readonly conditions: readonly Condition[]
  readonly applied: AppliedFilter
  /** The comparisons with dates; absent for a period such as `today`. */
  readonly bounds?: readonly DateBound[]
}

/** Reads the value of a filter. Throws a field fault without a path for a value that cannot be read. */
export type ReadOperand = (filter: CompiledFilter, operator: Operator, value: unknown, timeZone: string) => ReadFilter

/**
 * Returns the operator of a filter: the first one it allows where none is asked. Throws a field fault for any that it
 * does not allow.
 */
export function readOperator({ operators }: CompiledFilter, asked: unknown): Operator {
  if (asked === undefined || asked === null || asked === '') return operators[0]
  const operator = operators.find((allowed) => allowed === asked)
  if (operator === undefined) throw valueFault('operator_not_allowed', { operators: operators.join(', ') })
  return operator
}

/** Reads a value as its filter's type. */
export function readOperand(
  filter: CompiledFilter,
  operator: BasicOperator,
  value: unknown,
  timeZone: string,
): ReadFilter {
  if (value === undefined || value === null) throw valueFault('required')
  if (value === 'all' && takesAll(filter.type)) {
    return { conditions: [], applied: { operator, value } }
  }
  if (operator === 'in' || operator === 'not in') return readListFilter(filter, operator, value)
  if (operator === 'like' || operator === 'not like') {
    const text = readScalar(filter, value)
    const found = matchText(filter.source, String(text), 'anywhere')
    return { conditions: [operator === 'like' ? found : negate(found)], applied: { operator, value: text } }
  }
  if (filter.type === 'date') return readDateFilter(filter, operator, value, timeZone)
  if (filter.type === 'null') return readNullFilter(filter.source, operator, value)
  if (operator === 'between') {
    const [from, to] = readRange(value).map((end) => readScalar(filter, end)) as [string, string]
    const conditions = [compareScalar(filter, '>=', from), compareScalar(filter, '<=', to)]
    return { conditions, applied: { operator, value: [from, to] } }
  }
  const scalar = readScalar(filter, value)
  return { conditions: [compareScalar(filter, operator, scalar)], applied: { operator, value: scalar } }
}

const isAmong = (allowed: ReadonlySet<string>, value: unknown): boolean =>
  typeof value !== 'object' && allowed.has(String(value))

/** One value in the type of the filter's source. */
export function readScalar({ type, source, allowed }: CompiledFilter, value: unknown): string | boolean {
  if (type === 'boolean' || source.kind === 'boolean') return readBoolean(value)
  if (type !== 'text' && allowed !== undefined && !isAmong(allowed, value)) throw optionFault(allowed)
  if (type === 'number' || source.kind === 'integer' || source.kind === 'decimal') {
    const digits = readDecimal(value)
    // Postgres refuses to compare a double with a smaller number than it has, and a computed value may be one.
    return source.kind === 'unknown' && Number(digits) === 0 ? '0' : digits
  }
  if (source.kind === 'uuid' && type !== 'text') return readUuid(value)
  return readText(value)
}

function compareScalar({ type, source }: CompiledFilter, operator: Ordering, value: string | boolean): Condition {
  if (typeof value === 'boolean') return compare(source, operator, value)
  if (source.kind === 'integer') return compareInteger(source, operator, value)
  if (source.kind === 'unknown' && type === 'number') return compareDecimal(source, operator, value, '::numeric')
  if (isFloat(source)) return compareDecimal(source, operator, floatText(source, value), '::double precision')
  if (source.kind === 'decimal') return compareDecimal(source, operator, value, '')
  return compare(isTyped(source, type) && fits(source, value) ? source : asText(source), operator, value)
}

/**
 * Whether a value is compared in the type of the source, and not as a text, which each computed value of a text filter
 * is.
 */
const isTyped = ({ kind }: Source, type: CompiledFilter['type']): boolean =>
  kind !== 'other' && !(kind === 'unknown' && type === 'text')

/** Whether a text is a value of an enum or a UUID; any other source takes every text. */
function fits({ kind, enumValues }: Source, text: string): boolean {
  if (kind === 'enum') return enumValues?.includes(text) === true
  return kind !== 'uuid' || uuid.test(text)
}

/** Returns a source as text, to compare an enum or a UUID with a text that its type does not have: no row equals it. */
export const asText = (source: Source): Source => ({
  ...source,
  kind: 'text',
  expression: (statement) => sourceText(source, statement),
})

function readListFilter(filter: CompiledFilter, operator: 'in' | 'not in', value: unknown): ReadFilter {
  const list = readList(value)
  if (filter.type === 'multi_select' && list.includes('all')) {
    return { conditions: [], applied: { operator, value: ['all'] } }
  }
  const values = list.map((entry) => readScalar(filter, entry))
  const texts = comparableTexts(filter.source, values.map(String))
  const condition = isInList(filter.source, texts, operator === 'not in', filter.type === 'number')
  return { conditions: [condition], applied: { operator, value: values } }
}

/** The values of a list that a source can be equal to, each as the source's type writes it. */
function comparableTexts(source: Source, values: readonly string[]): readonly string[] {
  if (isFloat(source)) return values.map((value) => floatText(source, value))
  if (source.kind !== 'integer') return values.filter((value) => fits(source, value))
  const [min, max] = integerRange('bigint')
  const whole = values.map(parseWhole).filter((value) => value !== undefined && value >= min && value <= max)
  return whole.map(String)
}

const presence: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  ['set', true],
  ['not_set', false],
  ...truths,
])

function readNullFilter(source: Source, operator: Operator, value: unknown): ReadFilter {
  const isSet = presence.get(value)
  if (isSet === undefined) throw optionFault(['set', 'not_set', 'all'])
  return { conditions: [hasValue(source, isSet)], applied: { operator, value: isSet } }
}

function readDateFilter(
  { source }: CompiledFilter,
  operator: Ordering | 'between',
  value: unknown,
  timeZone: string,
): ReadFilter {
  const [dates, bounds] = readBounds(source, operator, value, timeZone)
  const conditions = bounds.map(([symbol, date]) => compareDate(source, symbol, date, timeZone))
  return { conditions, applied: { operator, value: dates }, bounds }
}

/** Reads a date or a range of dates: as it was asked for, and what the rows are compared with. */
function readBounds(
  source: Source,
  operator: Ordering | 'between',
  value: unknown,
  timeZone: string,
): readonly [dates: AppliedFilter['value'], bounds: readonly DateBound[]] {
  if (typeof value === 'object' && !Array.isArray(value)) {
    const { from, to } = readPickedRange({ ...value })
    if (from === undefined && to === undefined) throw valueFault('required')
    const dates = { ...(from && { from: from.text }), ...(to && { to: to.text }) }
    return [dates, pickedBounds(source, { from, to }, timeZone)]
  }
  if (operator === 'between') {
    const [from, to] = readRange(value).map(readDate) as [DateValue, DateValue]
    return [
      { from: from.text, to: to.text },
      [
        ['>=', from],
        ['<=', to],
      ],
    ]
  }
  const date = readDate(value)
  return [date.text, [[operator, date]]]
}

const dayMs = 86_400_000

/** The ends of a range of days that a person picked; either may be missing. */
interface PickedRange {
  readonly from: DateValue | undefined
  readonly to: DateValue | undefined
}

/** Reads `{from, to}`. Throws a field fault without a path for an end that is no date. */
const readPickedRange = (range: { readonly from?: unknown; readonly to?: unknown }): PickedRange => ({
  from: isMissing(range.from) ? undefined : readDate(range.from),
  to: isMissing(range.to) ? undefined : readDate(range.to),
})

const isMissing = (end: unknown): boolean => end === undefined || end === null || end === ''

/**
 * Returns the bounds of both days, each included whole. Date pickers send the instant of the client's local midnight:
 * for a source of plain dates it is rounded to the nearest UTC midnight, which is the day that the person saw.
 */
function pickedBounds(source: Source, { from, to }: PickedRange, timeZone: string): readonly DateBound[] {
  const isDay = source.kind === 'date'
  return [
    ...(from === undefined ? [] : [['>=', isDay ? toPickedDay(from) : from] as const]),
    ...(to === undefined ? [] : [upperBound(isDay ? toPickedDay(to) : to, timeZone)]),
  ]
}

function upperBound(to: DateValue, timeZone: string): DateBound {
  if (to.form === 'clock' && isMidnight(to)) return ['<=', dayOfClock(to)]
  if (to.form !== 'instant' || isEndOfDay(to)) return ['<=', to]
  const end = new Date(endOfDayFrom(Date.parse(to.text), timeZone)).toISOString()
  return ['<', { form: 'instant', text: end }]
}

/**
 * Some pickers send the last moment of the day instead of its midnight: its seconds are 59, and the day is whole
 * already.
 */
const isEndOfDay = ({ text }: DateValue): boolean => new Date(text).getUTCSeconds() === 59

const isMidnight = ({ text }: DateValue): boolean => /^\S+ 00:00(?::00(?:\.0+)?)?$/.test(text)

const dayOfClock = ({ text }: DateValue): DateValue => ({ form: 'day', text: text.slice(0, 10) })

/** Returns the day whose UTC midnight is nearest to an instant. Noon belongs to the day that follows it. */
function toPickedDay(value: DateValue): DateValue {
  if (value.form === 'clock') return dayOfClock(value)
  if (value.form === 'day' || isEndOfDay(value)) return value
  const nearest = Math.floor((Date.parse(value.text) + dayMs / 2) / dayMs) * dayMs
  return { form: 'day', text: new Date(nearest).toISOString().slice(0, 10) }
}
