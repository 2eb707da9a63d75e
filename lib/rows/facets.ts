import type { Database } from '../db/database.ts'
import { createStatement, type Statement } from '../db/statement.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import type { Bilingual, Language } from '../i18n/language.ts'
import { daysBeforeMonday } from '../i18n/period.ts'
import { type Condition, decimalText, distinctText, hasValue, isFloat, isInList, sourceText } from '../query/compare.ts'
import { asText, readOperand } from '../query/filter-condition.ts'
import { allowedUnits } from '../query/group-keys.ts'
import { joinText, scopeText, whereText } from '../query/page-statement.ts'
import { type AskedRows, type Plan, planRows } from '../query/plan.ts'
import { maxNumberLength, maxTextLength } from '../query/read-value.ts'
import { maxFilters, readFilters } from '../query/request-forms.ts'
import type { CompiledColumn, CompiledFilter } from '../table/compiled-table.ts'
import { choices } from '../table/filter-entry.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { isListable, isRaw, isWhole, listShowing } from '../table/raw-column.ts'
import { listSearchedFilters } from '../table/searched-filters.ts'
import type { Source } from '../table/source.ts'
import type { TableView } from '../table/view.ts'
import { groupUnits } from '../wire/vocabulary.ts'
import { groupedText, readNumber } from './aggregates.ts'
import type { Bindings } from './bindings.ts'
import { trimEndZeros } from './decimal-text.ts'

/** A value of a filter, or a range whose `to` is exclusive, and how many of the selected rows have it. */
export interface FacetOption {
  readonly value: string | number | { readonly from: string | number; readonly to: string | number }
  readonly label: string
  readonly count: number
}

/** The options of each facet: the most frequent first, ranges in their order. `more` tells that some are left out. */
export type Facets = Readonly<Record<string, { readonly options: readonly FacetOption[]; readonly more: boolean }>>

const maxFacets = 10
const maxOptions = 100

/**
 * Reads the names of `facets`. Throws `validation_failed` naming each that is no filter with a choice, numbers or
 * dates.
 */
export function planFacets(view: TableView, asked: unknown): readonly CompiledFilter[] {
  if (!Array.isArray(asked)) throw validationFailed({ facets: [fieldFault('not_a_list')] })
  if (asked.length > maxFacets) throw validationFailed({ facets: [fieldFault('too_many', { max: maxFacets })] })
  const searched = listSearchedFilters(view)
  const possible = new Map(
    [...view.filters].flatMap(([name, filter]) => {
      if (!hasFacet(view, filter)) return []
      const { optionLabel: _, ...unlabelled } = filter
      return [[name, searched.get(name) ?? unlabelled] as const]
    }),
  )
  const fields: Record<string, readonly Bilingual[]> = {}
  const planned = new Set<CompiledFilter>()
  for (const [index, name] of asked.entries()) {
    const filter = possible.get(name)
    if (filter === undefined) fields[`facets.${index}`] = [listOptions(possible.keys())]
    else planned.add(filter)
  }
  if (Object.keys(fields).length > 0) throw validationFailed(fields)
  return [...planned]
}

/** Returns whether the values of a filter may be counted one by one. Cells may hide a part of them. */
export function hasFacet(view: TableView, filter: CompiledFilter): boolean {
  const { type, source, pair } = filter
  if (type === 'text' || pair?.isFrom === false) return false
  if (type === 'date') return rangeUnits(view, filter).length > 0
  return isListable(view.columns, source, type === 'null' ? isRaw : isWhole)
}

/** `end` is the end of a range, or the label of an option that clients search. */
type FacetRow = readonly [facet: number, value: string | null, end: string | null, count: string]

/**
 * Counts the options of all facets in one statement, which waits only for bindings whose options it counts. A facet
 * leaves out the flat filters of its own name.
 */
export async function readFacets(
  database: Database,
  opened: OpenedTable,
  asked: AskedRows,
  facets: readonly CompiledFilter[],
  loadBound: () => Promise<Bindings>,
): Promise<Facets> {
  const { view, context } = opened
  const bindings = facets.some(({ name }) => view.bindings.some(([bound]) => bound === name)) ? await loadBound() : {}
  const planned = facets.map((filter) => ({ filter, labels: optionLabels(filter, bindings, context.language) }))
  const statement = createStatement()
  const scope = scopeText(statement, opened)
  const parts = planned.map((facet, index) => {
    const plan = planRows(view, { ...asked, filters: otherFilters(asked, facet.filter) }, context.timeZone)
    return `(${facetText(statement, opened, scope, plan, facet, index)})`
  })
  // The statement selects the fields of a row of a facet, in their order.
  const rows = (await database.read(parts.join(' union all '), statement.parameters)) as unknown as readonly FacetRow[]
  return Object.fromEntries(
    planned.map(({ filter, labels }, index) => {
      const [column] = listShowing(view.columns, filter.source)
      const own = rows.filter(([facet]) => facet === index)
      // A filter takes no longer values.
      const shown = own.slice(0, maxOptions).filter(([, value]) => (value ?? '').length <= maxTextLength)
      const options = shown.map(([, value, end, count]) => ({
        ...namedValue(filter, value ?? '', end, labels, column),
        count: Number(count),
      }))
      return [filter.name, { options, more: own.length > shown.length }]
    }),
  )
}

const isBound = ({ definition }: CompiledFilter): boolean =>
  'options' in definition && definition.options === 'bindings'

/** Returns the flat filters of a request without those of one filter. The ends of a date are one filter. */
export function otherFilters({ filters }: AskedRows, { name, pair }: CompiledFilter): unknown {
  const own = new Set<unknown>([name, pair?.other])
  return (readFilters(filters, maxFilters) ?? []).filter(({ field }) => !own.has(field))
}

function facetText(
  statement: Statement,
  opened: OpenedTable,
  scope: readonly string[],
  plan: Plan,
  { filter, labels }: PlannedFacet,
  index: number,
): string {
  const { source, type, optionLabel } = filter
  const isRange = type === 'number' || type === 'date'
  const own = isRange || type === 'boolean' ? [hasValue(source, true)] : offeredValues(filter, labels)
  if (type === 'date') own.push(isUsualDate(source))
  const conditions = [...scope, ...[...plan.conditions, ...own].map((condition) => condition(statement))]
  const rows = `from ${opened.view.table.text}${joinText([...plan.filtered, source, ...(optionLabel === undefined ? [] : [optionLabel])])}${whereText(conditions)}`
  if (type === 'number') return numberRanges(statement, filter, rows, index)
  if (type === 'date') return dateRanges(statement, filter, rows, index, opened)
  const { text, by = '2' } = facetValue(statement, filter)
  // Rows of one value may have several labels.
  const label = optionLabel && (optionLabel === source ? text : `min((${sourceText(optionLabel, statement)})::text)`)
  return `select ${index} as f, ${text} as v, ${label ?? 'null'} as w, count(*)::text as n ${rows} group by ${by} order by count(*) desc, 2 limit ${maxOptions + 1}`
}

/** Keeps the values that a client may ask for: those of the options, where the table or a binding names them. */
function offeredValues(filter: CompiledFilter, labels: Labels): Condition[] {
  if (filter.type === 'null') return []
  if (isBound(filter)) return [isInList(asText(filter.source), [...labels.keys()], false, false)]
  if (filter.allowed === undefined) return [hasValue(filter.source, true)]
  const values = [...filter.allowed]
  const lists: Condition[] = []
  for (let start = 0; start < values.length; start += maxListed)
    lists.push(...readOperand(filter, 'in', values.slice(start, start + maxListed), 'UTC').conditions)
  return [(statement) => `(${lists.map((list) => list(statement)).join(' or ')})`]
}

/** The length of a list that a filter takes. */
const maxListed = 1_000

/** Leaves out infinite dates and those that the calendar of ranges cannot hold. */
const isUsualDate =
  (source: Source): Condition =>
  (statement) => {
    const date = source.expression(statement)
    return `(isfinite(${date}) and ${date} >= '0001-01-01' and ${date} < '9000-01-01')`
  }

function facetValue(statement: Statement, { type, source }: CompiledFilter): ReturnType<typeof distinctText> {
  if (type === 'null') return { text: `case when ${hasValue(source, true)(statement)} then 'set' else 'not_set' end` }
  if (type === 'boolean') return { text: `case when ${source.expression(statement)} then '1' else '0' end` }
  return distinctText(source, statement)
}

const maxRanges = 20

/** A table may have any name but one like these. */
const ends = '"__ends"'
const steps = '"__steps"'

/** Ranges of 1, 2 or 5 times a power of ten, of which at most 20 hold all values. */
function numberRanges(statement: Statement, { source }: CompiledFilter, rows: string, index: number): string {
  const expression = source.expression(statement)
  return (
    `with ${source.kind === 'decimal' ? decimalParts(source, expression, rows) : valueParts(source, expression, rows)} ` +
    `select ${index} as f, trim_scale(b * step)::text as v, trim_scale((b + 1) * step)::text as w, n::text as n ` +
    `from ranges, ${steps} order by b`
  )
}

/** Reads the rows twice: nearly each of them may have a value of its own, and their ends may be those of an index. */
function decimalParts(source: Source, expression: string, rows: string): string {
  const [least, most, number] = [`min(${expression})`, `max(${expression})`, expression].map((value) =>
    decimalText(source, value),
  )
  return (
    `${ends} as (select ${least} as least, ${most} as most ${rows}), ${stepParts(source)}, ` +
    `ranges as (select floor(${number} / (select step from ${steps})) as b, count(*) as n ${rows} group by 1)`
  )
}

/** Counts whole and computed numbers by value first: a division for each value is cheaper than one for each row. */
function valueParts(source: Source, expression: string, rows: string): string {
  const number = source.kind === 'integer' ? expression : decimalText(source, expression)
  const values = `select e::numeric as x, n from (select ${number} as e, count(*) as n ${rows} group by 1) d`
  return (
    `a as materialized (${values}), r as (select x, n from a where x not in ('NaN', 'Infinity', '-Infinity')), ` +
    `${ends} as (select min(x) as least, max(x) as most from r), ${stepParts(source)}, ` +
    `ranges as (select floor(x / step) as b, sum(n) as n from r, ${steps} group by 1)`
  )
}

/** Returns the SQL of the length of the ranges between the ends. */
function stepParts(source: Source): string {
  const unit = source.kind === 'integer' ? '1' : '0'
  // The ends of a range must be two numbers, also of the few digits that binary ones have.
  const digits = source.sqlType === 'real' ? 6 : 15
  const magnitude = `(select greatest(abs(least), abs(most)) as size from ${ends}) e where size > 0`
  const isBinary = source.kind === 'unknown' || isFloat(source)
  const shortest = isBinary ? `(select ('1e' || floor(log(size)) - ${digits})::numeric from ${magnitude})` : 'null'
  const length = `(select (most - least) / ${maxRanges - 1} as raw from ${ends}) e where raw > 0`
  return (
    `${steps} as materialized (select greatest(coalesce((select greatest(${unit}, ten * case when raw <= ten then 1 ` +
    'when raw <= 2 * ten then 2 when raw <= 5 * ten then 5 else 10 end) from ' +
    `(select raw, ('1e' || floor(log(raw)))::numeric as ten from ${length}) p), 1), ${shortest}) as step)`
  )
}

/** Units of the calendar with the longest span in days for which 20 of them suffice, and their length. */
const dateUnits = [
  ['day', 19, '1 day'],
  ['week', 126, '7 days'],
  ['month', 560, '1 month'],
  ['quarter', 1_700, '3 months'],
  ['year', 6_900, '1 year'],
  ['decade', 69_000, '10 years'],
  ['century', 690_000, '100 years'],
  ['millennium', Number.POSITIVE_INFINITY, '1000 years'],
] as const

/** The units of a filter's ranges: none that is shorter than what a column of its dates shows. */
function rangeUnits({ columns }: TableView, { source }: CompiledFilter): readonly (typeof dateUnits)[number][] {
  const own = listShowing(columns, source)
  const allowed: readonly string[] = own.length === 0 ? groupUnits : own.filter(isRaw).flatMap(allowedUnits)
  const first = dateUnits.findIndex(([unit]) => allowed.includes(unit))
  return first < 0 ? [] : dateUnits.slice(first)
}

function dateRanges(
  statement: Statement,
  filter: CompiledFilter,
  rows: string,
  index: number,
  { view, context: { timeZone } }: OpenedTable,
): string {
  const { source } = filter
  const units = rangeUnits(view, filter)
  const expression = source.expression(statement)
  const local = source.isInstant ? `${expression} at time zone '${timeZone}'` : `${expression}::timestamp`
  const choose = (part: 0 | 2) =>
    `case ${units.map((unit) => (Number.isFinite(unit[1]) ? `when days <= ${unit[1]} then '${unit[part]}'` : `else '${unit[part]}'`)).join(' ')} end`
  const shift = daysBeforeMonday[view.table.definition.firstWeekday ?? 'monday']
  const start =
    shift === 0
      ? 'date_trunc(unit, x)'
      : `case unit when 'week' then date_trunc(unit, x + interval '${shift} days') - interval '${shift} days' else date_trunc(unit, x) end`
  // Counted by day first: the days fit into memory where the rows do not.
  const days = "select date_trunc('day', x) as x, min(x) as least, max(x) as most, count(*) as n"
  return (
    `with r as materialized (${days} from (select ${local} as x ${rows}) d group by 1), ` +
    'm as (select extract(epoch from max(most) - min(least)) / 86400 as days from r), ' +
    `s as (select ${choose(0)} as unit, (${choose(2)})::interval as length from m) ` +
    `select ${index} as f, to_char(${start}, 'YYYY-MM-DD') as v, to_char(${start} + length, 'YYYY-MM-DD') as w, ` +
    `sum(n)::text as n from r, s group by ${start}, length order by ${start}`
  )
}

/**
 * Returns a number as a filter takes it: its digits where a double would lose some, and no number beyond those of
 * doubles.
 */
function rangeEnd(digits: string): string | number {
  const number = Number(digits)
  if (!Number.isFinite(number)) return Math.sign(number) * Number.MAX_VALUE
  const read = number === 0 ? 0 : (readNumber(digits) ?? digits)
  if (typeof read === 'number' || read.length <= maxNumberLength) return read
  const start = trimEndZeros(read)
  return start === read ? read : `${start}e${read.length - start.length}`
}

type Labels = ReadonlyMap<string, readonly [value: string | number, label: string]>

interface PlannedFacet {
  readonly filter: CompiledFilter
  readonly labels: Labels
}

function optionLabels({ name, definition }: CompiledFilter, bindings: Bindings, language: Language): Labels {
  const bound = new Map(Object.entries(bindings)).get(name) ?? []
  const named = choices(definition, bound, language) ?? []
  const own = new Map(
    named.map(([value, label]): [string, readonly [string | number, string]] => [value, [value, label]]),
  )
  for (const { value, label } of bound) own.set(String(value), [value, label])
  return own
}

function namedValue(
  { type, optionLabel }: CompiledFilter,
  value: string,
  end: string | null,
  labels: Labels,
  column: CompiledColumn | undefined,
): Pick<FacetOption, 'value' | 'label'> {
  if (optionLabel !== undefined) return { value, label: end ?? value }
  if (end === null) {
    const [own, label] = labels.get(value) ?? [value, value]
    return { value: own, label }
  }
  if (type !== 'number') return { value: { from: value, to: end }, label: `${value} – ${end}` }
  const [from, to] = [value, end].map((digits) => (column === undefined ? digits : groupedText(digits, column)))
  return { value: { from: rangeEnd(value), to: rangeEnd(end) }, label: `${from} – ${to}` }
}
