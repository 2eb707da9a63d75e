import { bind, type Statement } from '../db/statement.ts'
import type { Ordering } from '../table/filter-operators.ts'
import type { Source } from '../table/source.ts'
import { integerRange } from '../table/value-kind.ts'
import { type DateValue, endText, startText } from './date-value.ts'

/** Writes one condition into a statement. */
export type Condition = (statement: Statement) => string

const matchNothing: Condition = () => 'false'

const hasAnyValue =
  (source: Source): Condition =>
  (statement) =>
    `${source.expression(statement)} is not null`

/** `expression operator $n`, where "not equal" also holds for a missing value. */
export const compare =
  (source: Source, operator: Ordering, value: string | boolean, cast = ''): Condition =>
  (statement) => {
    const symbol = operator === '!=' ? 'is distinct from' : operator
    return `${source.expression(statement)} ${symbol} ${typeof value === 'boolean' ? value : bind(statement, value) + cast}`
  }

/**
 * Postgres takes NaN for the greatest number. Cells show it and the infinities as missing, so no order holds for them.
 */
export const compareDecimal =
  (source: Source, operator: Ordering, value: string, cast: string): Condition =>
  (statement) => {
    const condition = compare(source, operator, value, cast)(statement)
    if (operator === '=' || operator === '!=') return condition
    const finite = operator.startsWith('>') ? "< 'Infinity'" : "> '-Infinity'"
    return `(${condition} and ${source.expression(statement)} ${finite}${cast})`
  }

/** Whether there is a value. A number that is not finite is a missing one. */
export const hasValue =
  (source: Source, isSet: boolean): Condition =>
  (statement) => {
    const expression = source.expression(statement)
    if (source.kind !== 'decimal') return `${expression} is ${isSet ? 'not null' : 'null'}`
    return isSet
      ? `${expression} not in ('NaN', 'Infinity', '-Infinity')`
      : `(${expression} is null or ${expression} in ('NaN', 'Infinity', '-Infinity'))`
  }

/** Returns a text as a pattern of `like` that matches it alone. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** Matches a part of a text, by `ilike` in any case. `%`, `_` and `\` are ordinary characters. */
export const matchText =
  (source: Source, value: string, place: 'anywhere' | 'start' | 'end', operator = 'ilike'): Condition =>
  (statement) => {
    const pattern = `${place === 'start' ? '' : '%'}${escapeLike(value)}${place === 'end' ? '' : '%'}`
    return `${sourceText(source, statement)} ${operator} ${bind(statement, pattern)}`
  }

/** Holds where the condition is false or null, and so for missing values. */
export const negate =
  (condition: Condition): Condition =>
  (statement) =>
    `(${condition(statement)}) is not true`

/**
 * Matches one of the values. The list is a single parameter, so its length never changes the statement. A list of one
 * is compared by `=`: behind it an index keeps the order of a page, and Postgres need not expect ten values.
 */
export const isInList =
  (source: Source, values: readonly string[], negated: boolean, numeric: boolean): Condition =>
  (statement) => {
    const type = comparedType(source, numeric)
    // Postgres infers the type of one parameter from a computed expression, but not that of a list.
    const isText = isWrittenAsText(source) && !numeric
    const compared = isText ? sourceText(source, statement) : source.expression(statement)
    const [only] = values
    const found =
      only !== undefined && values.length === 1
        ? `${compared} = ${bind(statement, only)}::${type}`
        : `${compared} = any(${bind(statement, arrayText(values))}::${type}[])`
    return negated ? `(${found}) is not true` : found
  }

export const keyInList = (key: Source, values: readonly string[]): Condition => isInList(key, values, false, false)

/** Whether a source is compared by the text that Postgres writes for it. */
const isWrittenAsText = ({ kind }: Source): boolean => kind === 'unknown' || kind === 'other'

/** Whether a source holds binary floating-point numbers. */
export const isFloat = (source: Source): boolean => /^(real|double)/.test(source.sqlType)

/**
 * Converts a decimal text to the number that a float source holds for it: `0.1` in four bytes differs from `0.1` in
 * eight.
 */
export const floatText = ({ sqlType }: Source, value: string): string =>
  String(sqlType === 'real' ? Math.fround(Number(value)) : Number(value))

/**
 * The type of the values that a source is compared with: the widest of its kind, because a client may send any number.
 */
function comparedType(source: Source, numeric: boolean): string {
  if (source.kind === 'integer') return 'bigint'
  if (source.kind === 'decimal') return isFloat(source) ? 'double precision' : 'numeric'
  if (isWrittenAsText(source)) return numeric ? 'numeric' : 'text'
  if (source.kind === 'instant') return 'timestamptz'
  if (isPadded(source)) return 'bpchar'
  return source.kind === 'enum' || source.sqlType === 'citext' ? source.sqlType : source.kind
}

/** A list of texts as Postgres reads an array. */
export const arrayText = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`

/**
 * Compares an integer source with any decimal number so that the parameter stays an integer of the source's own type:
 * an index serves it, and a number beyond the type's range selects what it mathematically must.
 */
export function compareInteger(source: Source, operator: Ordering, value: string): Condition {
  const [min, max] = integerRange(source.sqlType)
  const { floor, isWhole } = exactFloor(value)
  if (!isWhole && (operator === '=' || operator === '!=')) return operator === '=' ? matchNothing : () => 'true'
  const [symbol, bound] = isWhole ? [operator, floor] : roundBound(operator, floor)
  if (bound >= min && bound <= max) return compare(source, symbol, String(bound))
  if (symbol === '=') return matchNothing
  if (symbol === '!=') return () => 'true'
  return symbol.startsWith('<') === bound > max ? hasAnyValue(source) : matchNothing
}

const roundBound = (operator: Ordering, floor: bigint): readonly [Ordering, bigint] =>
  operator.startsWith('<') ? ['<=', floor] : ['>=', floor + 1n]

/** The greatest integer that a decimal text reaches, without the rounding of a double. */
function exactFloor(value: string): { readonly floor: bigint; readonly isWhole: boolean } {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(value) ?? []
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`)
  const shift = Number(exponent) - fraction.length
  if (shift >= 0) return { floor: digits * 10n ** BigInt(shift), isWhole: true }
  const divisor = 10n ** BigInt(-shift)
  const isWhole = digits % divisor === 0n
  return { floor: digits / divisor - (digits < 0n && !isWhole ? 1n : 0n), isWhole }
}

/** The integer that a decimal text stands for, if it is one. */
export function parseWhole(value: string): bigint | undefined {
  const { floor, isWhole } = exactFloor(value)
  return isWhole ? floor : undefined
}

/** Compares with a day as a whole: "up to" a day includes all of it, in the table's time zone. */
export const compareDate =
  (source: Source, operator: Ordering, value: DateValue, timeZone: string): Condition =>
  (statement) => {
    const expression = source.expression(statement)
    const start = () => startText(statement, source, value, timeZone)
    if (value.form !== 'day') return `${expression} ${operator === '!=' ? 'is distinct from' : operator} ${start()}`
    const end = () => endText(statement, source, value, timeZone)
    if (operator === '>=' || operator === '<') return `${expression} ${operator} ${start()}`
    if (operator === '<=' || operator === '>') return `${expression} ${operator === '<=' ? '<' : '>='} ${end()}`
    const within = `(${expression} >= ${start()} and ${expression} < ${end()})`
    return operator === '=' ? within : `${within} is not true`
  }

/**
 * Returns a number of a source as a decimal in SQL. Only the text of a float has all of its digits; the cast rounds
 * them.
 */
export const decimalText = (source: Source, number: string): string =>
  source.kind === 'unknown' || isFloat(source) ? `(${number})::text::numeric` : `(${number})::numeric`

/** Whether Postgres pads the texts of a source with spaces, which count for nothing. Their cast to text has none. */
export const isPadded = ({ kind, sqlType }: Source): boolean =>
  kind === 'text' && /^char(acter)?(\(\d+\))?$/.test(sqlType)

/** Returns a source as text in SQL. The cast of an inet writes a mask that neither its output nor its cell has. */
export function sourceText(source: Source, statement: Statement): string {
  const expression = source.expression(statement)
  if (source.kind === 'text' && !isPadded(source)) return expression
  return source.kind === 'other' ? `nullif(format('%s', ${expression}), '')` : `${expression}::text`
}

/**
 * Returns the SQL of the values of a source as texts. Rows are grouped by `by`, or else by the text, so that equal
 * values are one: `7` and `7.0`, 0 and -0, or `a` and `A` as citext.
 */
export function distinctText(source: Source, statement: Statement): { readonly text: string; readonly by?: string } {
  const text = `(${sourceText(source, statement)})::text`
  if (source.kind !== 'decimal' && source.sqlType !== 'citext') return { text }
  // The text of 0 is greater than that of -0.
  return { text: `${isFloat(source) ? 'max' : 'min'}(${text})`, by: source.expression(statement) }
}
