import type { Database } from '../db/database.ts'
import { createStatement, type Statement } from '../db/statement.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { type Condition, decimalText } from '../query/compare.ts'
import { fieldText, joinText, scopeText, whereText } from '../query/page-statement.ts'
import type { Plan } from '../query/plan.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { dateSource, hasPattern, isDate, isNumber, isRaw, type RawColumn } from '../table/raw-column.ts'
import { shownUnit } from '../table/shown-unit.ts'
import type { Source } from '../table/source.ts'
import { isTemporal } from '../table/value-kind.ts'
import type { TableView } from '../table/view.ts'
import { type AggregateFunction, aggregateFunctions } from '../wire/vocabulary.ts'
import { createCellFormat } from './cell.ts'
import { groupThousands } from './decimal-text.ts'
import { isoField } from './iso-field.ts'

/** One function over one column of the selected rows. */
export interface Aggregate {
  readonly column: CompiledColumn
  readonly source: Source
  readonly fn: AggregateFunction
}

/** A total by the key of its column and its function; `text` is what a person reads. */
export type Aggregates = Readonly<
  Record<string, Readonly<Record<string, { readonly value: string | number | null; readonly text: string }>>>
>

const maxAggregates = 20

/** Reads `aggregates`, each one once. Throws `validation_failed` naming each column or function that does not fit. */
export function planAggregates(view: TableView, asked: unknown): readonly Aggregate[] {
  if (!Array.isArray(asked)) throw validationFailed({ aggregates: [fieldFault('not_a_list')] })
  if (asked.length > maxAggregates)
    throw validationFailed({ aggregates: [fieldFault('too_many', { max: maxAggregates })] })
  const fields: Record<string, readonly Bilingual[]> = {}
  const planned = new Map<string, Aggregate>()
  const known = new Map(view.columns.flatMap((column) => (isRaw(column) ? [[column.key, column] as const] : [])))
  for (const [index, entry] of asked.entries()) {
    const { field, fn } = Object(entry)
    const column = known.get(field)
    if (column === undefined) fields[`aggregates.${index}.field`] = [listOptions(known.keys())]
    else if (!functionsFor(column).includes(fn)) fields[`aggregates.${index}.fn`] = [listOptions(functionsFor(column))]
    else planned.set(`${fn} ${field}`, { column, source: isDate(column) ? dateSource(column) : column.source, fn })
  }
  if (Object.keys(fields).length > 0) throw validationFailed(fields)
  return [...planned.values()]
}

function functionsFor(column: RawColumn): readonly AggregateFunction[] {
  if (isNumber(column)) return aggregateFunctions
  const counts = ['count', 'count_distinct', 'count_empty'] as const
  if (isDate(column)) return ['min', 'max', ...counts]
  // JSON has no equality in Postgres.
  return /^json\b/.test(column.source.sqlType) ? ['count', 'count_empty'] : counts
}

/** Computes totals over the planned rows in one statement, sent at once. */
export async function readAggregates(
  database: Database,
  opened: OpenedTable,
  plan: Plan,
  aggregates: readonly Aggregate[],
): Promise<Aggregates> {
  const statement = createStatement()
  const { table } = opened.view
  const finite = findOnlyEnds(aggregates)
  const parts = aggregates.flatMap((one) =>
    aggregateTexts(statement, one, opened.context.timeZone, finite !== undefined),
  )
  const own = finite === undefined ? [] : [isFiniteValue(finite)]
  const conditions = [
    ...scopeText(statement, opened),
    ...[...plan.conditions, ...own].map((condition) => condition(statement)),
  ]
  const joins = joinText([...plan.filtered, ...aggregates.map(({ source }) => source)])
  const text = `select ${parts.join(', ')} from ${table.text}${joins}${whereText(conditions)}`
  const [row = []] = await database.read(text, statement.parameters)
  return namedTotals(aggregates, row)
}

/**
 * Returns the source of the dates or decimals where all totals are their first or last one. Postgres reads both from
 * the ends of an index, unless a total has a filter of its own.
 */
function findOnlyEnds([first, ...others]: readonly Aggregate[]): Source | undefined {
  if (first === undefined || !(isTemporal(first.source.kind) || first.source.kind === 'decimal')) return undefined
  const isEnd = ({ fn, source }: Aggregate) => (fn === 'min' || fn === 'max') && source === first.source
  return [first, ...others].every(isEnd) ? first.source : undefined
}

/**
 * Leaves out the infinities and NaN, which Postgres sorts last. An index serves these comparisons, and not isfinite.
 */
const isFiniteValue =
  (source: Source): Condition =>
  (statement) => {
    const value = source.expression(statement)
    return `(${value} > '-infinity' and ${value} < 'infinity')`
  }

/**
 * Returns the SQL of a total and of what a person reads of it. Where all values are finite already, they need no
 * filter.
 */
export function aggregateTexts(
  statement: Statement,
  { column, source, fn }: Aggregate,
  timeZone: string,
  areFinite = false,
): readonly string[] {
  const expression = source.expression(statement)
  const present = presentText(source, expression, isComputedNumber(column, source))
  if (fn === 'count' || fn === 'count_empty') {
    const counted = `count(*) filter (where ${fn === 'count' ? present : `(${present}) is not true`})::text`
    return [counted, counted]
  }
  if (fn === 'count_distinct') {
    const counted = `count(distinct ${comparableText(statement, column, source, timeZone)}) filter (where ${present})::text`
    return [counted, counted]
  }
  if (isTemporal(source.kind)) {
    const filter = areFinite ? '' : ` filter (where ${present})`
    const total: Source = { ...source, expression: () => `${fn}(${expression})${filter}` }
    const shown = fieldText(statement, { source: total, datePattern: column.datePattern }, timeZone)
    return [isoText(statement, column, total, timeZone) ?? shown, shown].map((one) => `(${one})::text`)
  }
  // Postgres adds integers exactly, and faster than decimals.
  const number = source.kind === 'integer' && fn !== 'median' ? expression : decimalText(source, expression)
  // Totals leave null out, which is all that integers have to leave out.
  const needsFilter = !areFinite && source.kind !== 'integer'
  const total = numberText(fn, number, needsFilter ? ` filter (where ${present})` : '')
  return [`(${total})::text`, `(${roundedText(total, column, fn)})::text`]
}

const isComputedNumber = ({ type }: CompiledColumn, { kind }: Source): boolean =>
  kind === 'unknown' && type === 'number'

/** Returns the SQL of what two rows of a column have in common if they show the same. */
function comparableText(statement: Statement, column: CompiledColumn, source: Source, timeZone: string): string {
  const expression = source.expression(statement)
  if (hasPattern(column)) return fieldText(statement, { source, datePattern: column.datePattern }, timeZone)
  if (hasEquality(source)) return expression
  return isComputedNumber(column, source) ? decimalText(source, expression) : `(${expression})::text`
}

/** NaN and the infinities are missing values, as they are in cells. */
function presentText({ kind }: Source, expression: string, isComputed: boolean): string {
  if (isTemporal(kind)) return `isfinite(${expression})`
  if (kind !== 'decimal' && !isComputed) return `${expression} is not null`
  return `(${expression})${isComputed ? '::numeric' : ''} not in ('NaN', 'Infinity', '-Infinity')`
}

/** Returns whether Postgres can compare two values of a source; of other types it compares the texts. */
const hasEquality = ({ kind }: Source): boolean => !['unknown', 'other', 'array', 'json'].includes(kind)

/** The sum of doubles would depend on their order, so numbers are added as decimals. */
function numberText(fn: AggregateFunction, number: string, filter: string): string {
  if (fn !== 'median') return `${fn}(${number})${filter}`
  // Unlike percentile_cont, which knows doubles only, these two keep the digits of decimals.
  const middle = (direction: string) => `percentile_disc(0.5) within group (order by ${number} ${direction})${filter}`
  return `(${middle('asc')} + ${middle('desc')}) / 2`
}

/**
 * Returns the SQL of a date as `_raw` has it; `undefined` where the pattern of its column leaves out a longer part than
 * it shows.
 */
export function isoText(
  statement: Statement,
  column: CompiledColumn,
  source: Source,
  timeZone: string,
): string | undefined {
  const field = shownUnit(column) === undefined ? undefined : isoField(column, source)
  return field && fieldText(statement, field, timeZone)
}

const averageDecimals = 2

/** Rounds to the decimals that the column shows, and an average that has no such number to two. */
export function roundedText(total: string, { definition }: CompiledColumn, fn?: AggregateFunction): string {
  const decimals = 'decimals' in definition ? definition.decimals : undefined
  if (decimals !== undefined) return `round(${total}, ${decimals})`
  return fn === 'avg' || fn === 'median' ? `trim_scale(round(${total}, ${averageDecimals}))` : `trim_scale(${total})`
}

/** Reads a number from its text, as cells have it. */
export const readNumber = createCellFormat('number') as (value: unknown) => string | number | null

/** Names the totals of a row that `aggregateTexts` has selected. */
export function namedTotals(aggregates: readonly Aggregate[], row: readonly unknown[]): Aggregates {
  const named: Record<string, Record<string, { value: string | number | null; text: string }>> = Object.create(null)
  for (const [index, { column, source, fn }] of aggregates.entries()) {
    const value = row[2 * index]
    const shown = row[2 * index + 1]
    const ofDate = (fn === 'min' || fn === 'max') && isTemporal(source.kind)
    const text =
      shown === null || shown === undefined ? '-' : ofDate ? String(shown) : groupedText(String(shown), column)
    const byFunction = named[column.key] ?? Object.create(null)
    named[column.key] = byFunction
    byFunction[fn] = { value: ofDate ? (value as string | null) : readNumber(value ?? null), text }
  }
  return named
}

/** Writes thousands separators, unless the column shows none. */
export function groupedText(digits: string, { definition }: CompiledColumn): string {
  if ('grouping' in definition && definition.grouping === false) return digits
  return groupThousands(digits)
}
