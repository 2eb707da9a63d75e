import fc from 'fast-check'
import { foldText } from '../../../lib/i18n/fold-text.ts'
import type { CompiledFilter, CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { ValueKind } from '../../../lib/table/value-kind.ts'
import type { Operator } from '../../../lib/wire/vocabulary.ts'
import { type DateOperator, keepsDate } from '../oracle/oracle-dates.ts'
import { foldCase, holds, isAmong } from '../oracle/oracle-filters.ts'
import type { OracleValue } from '../oracle/oracle-values.ts'
import type { ContractData, ContractRow, ContractValue } from './contract-data.ts'
import { anyPeriod, clockIn, type ResolvedBounds } from './contract-periods.ts'

/** Returns the bounds to which a response has resolved a period of a filter. */
export type ResolvePeriod = (asked: { readonly field: string; readonly period: string }) => ResolvedBounds

/** A part of a request that selects rows, and which rows it keeps. */
export interface ContractCondition {
  /** The sources that it reads. */
  readonly keys: readonly string[]
  readonly keeps: (row: ContractRow, resolved: ResolvePeriod) => boolean
  /** As one of `filters`. */
  readonly filter?: { readonly field: string; readonly operator: string; readonly value: unknown }
  /** As keys of the body. */
  readonly body?: Readonly<Record<string, unknown>>
}

/** A condition that is one of `filters`, or a leaf of a group. */
export type ContractFilter = ContractCondition & Required<Pick<ContractCondition, 'filter'>>

export interface ContractSort {
  readonly field: string
  readonly direction: 'asc' | 'desc'
  readonly nulls?: 'first' | 'last' | undefined
}

const missing: ContractValue = { text: null, value: null }

export const findCell = (row: ContractRow, key: string): ContractValue => row.cells.get(key) ?? missing

/** The sorts whose order is checked: not those of lists, JSON, and of computed values of another type. */
export const checkable = (fields: readonly string[], { kinds }: ContractData): readonly string[] =>
  fields.filter((field) => !['array', 'json', 'unknown', undefined].includes(kinds.get(field)))

/** Up to three of the sorts that a caller is told of. */
export function anySorts(fields: readonly string[], data: ContractData): fc.Arbitrary<readonly ContractSort[]> {
  const sortable = checkable(fields, data)
  if (sortable.length === 0) return fc.constant([])
  const sort = fc.record({
    field: fc.constantFrom(...sortable),
    direction: fc.constantFrom('asc' as const, 'desc' as const),
    nulls: fc.constantFrom(undefined, undefined, 'first' as const, 'last' as const),
  })
  return fc.uniqueArray(sort, { maxLength: 3, selector: ({ field }) => field })
}

/**
 * Any of these filters with any of its operators, with values that rows have and values that none has; `undefined`
 * without filters.
 */
export function anyFilter(
  table: CompiledTable,
  names: ReadonlySet<string>,
  data: ContractData,
): fc.Arbitrary<ContractFilter> | undefined {
  const filters = [...table.filters.values()].filter(({ name }) => names.has(name))
  const makeValue = filters.flatMap((filter) =>
    filter.operators.flatMap((operator) => one(table, filter, operator, data) ?? []),
  )
  return makeValue.length === 0 ? undefined : fc.oneof(...makeValue)
}

const groupKinds = {
  all: (kept: readonly boolean[]) => kept.every(Boolean),
  any: (kept: readonly boolean[]) => kept.some(Boolean),
  none: (kept: readonly boolean[]) => !kept.some(Boolean),
} as const

interface ContractNode {
  readonly keys: readonly string[]
  readonly sent: object
  readonly keeps: ContractCondition['keeps']
}

/** A tree of filters. */
export function anyGroups(filter: fc.Arbitrary<ContractFilter>): fc.Arbitrary<ContractCondition> {
  const leaf = filter.map(({ keys, filter: sent, keeps }): ContractNode => ({ keys, sent, keeps }))
  const over = (part: fc.Arbitrary<ContractNode>) =>
    fc
      .record({ kind: fc.constantFrom('all', 'any', 'none'), parts: fc.array(part, { minLength: 1, maxLength: 3 }) })
      .map(
        ({ kind, parts }): ContractNode => ({
          keys: parts.flatMap(({ keys }) => keys),
          sent: { [kind]: parts.map(({ sent }) => sent) },
          keeps: (row, resolved) => groupKinds[kind](parts.map(({ keeps }) => keeps(row, resolved))),
        }),
      )
  return over(fc.oneof(leaf, leaf, over(leaf))).map(({ keys, sent, keeps }) => ({
    keys,
    keeps,
    body: { filter_groups: sent },
  }))
}

function one(
  { timeZone = 'UTC' }: CompiledTable,
  filter: CompiledFilter,
  operator: Operator,
  data: ContractData,
): fc.Arbitrary<ContractFilter> | undefined {
  const key = filter.source.key
  const present = [...new Map(data.rows.map((row) => [findCell(row, key).text, findCell(row, key)])).values()].filter(
    ({ text }) => text !== null,
  )
  const makeValue = (value: unknown, keeps: (own: ContractValue) => boolean): ContractFilter => ({
    keys: [key],
    filter: { field: filter.name, operator, value },
    keeps: (row) => keeps(findCell(row, key)),
  })
  if (operator === 'is null' || operator === 'is not null')
    return fc.constant(
      makeValue(undefined, ({ value }) => (value === null || Number.isNaN(value)) === (operator === 'is null')),
    )
  if (filter.type === 'null')
    return fc.boolean().map((isSet) => makeValue(isSet ? 'set' : 'not_set', ({ value }) => (value !== null) === isSet))
  if (filter.type === 'boolean')
    return fc.boolean().map((truth) => makeValue(truth, ({ value }) => holds(operator, value, truth)))
  if (filter.type === 'date') {
    const kind = data.kinds.get(key)
    if (operator === 'within') return periods(filter, kind, timeZone)
    const local = ({ value }: ContractValue): string | null =>
      value === null || kind !== 'instant' || timeZone === 'UTC'
        ? (value as string | null)
        : clockIn(timeZone, Date.parse(`${String(value).replace(' ', 'T')}Z`))
    return dates(
      operator,
      { present: present.map(local), onlyDays: kind === 'instant' && timeZone !== 'UTC' },
      (value, keeps) => makeValue(value, (own) => keeps(local(own))),
    )
  }
  if (filter.type === 'number') return numbers(operator, present, makeValue)
  return texts(operator, filter, present, makeValue)
}

type FilterMaker = (value: unknown, keeps: (own: ContractValue) => boolean) => ContractFilter

/** Keeps the rows between the bounds that the response names: a period depends on the moment of the request. */
function periods(
  { name: field, source: { key } }: CompiledFilter,
  kind: ValueKind | undefined,
  timeZone: string,
): fc.Arbitrary<ContractFilter> {
  const bound = (text: string): string => {
    if (kind === 'date') return `${text} 00:00:00.000`
    return clockIn(kind === 'instant' ? 'UTC' : timeZone, Date.parse(text))
  }
  return anyPeriod.map((period) => ({
    keys: [key],
    filter: { field, operator: 'within', value: period },
    keeps: (row, resolved) => {
      const { from, to } = resolved({ field, period })
      const own = findCell(row, key).value
      return own !== null && own >= bound(from) && own < bound(to)
    },
  }))
}

interface DateValues {
  /** Clock times of the table's zone. */
  readonly present: readonly (string | null)[]
  /** A clock time can stand for two instants. */
  readonly onlyDays: boolean
}

function dates(
  operator: Operator,
  { present, onlyDays }: DateValues,
  makeValue: (value: unknown, keeps: (own: string | null) => boolean) => ContractFilter,
): fc.Arbitrary<ContractFilter> {
  const clocks = ['2026-01-15 12:00:00.000', ...present.flatMap((clock) => clock ?? [])]
  const date = fc.tuple(fc.constantFrom(...clocks), fc.boolean()).map(([clock, asDay]) => {
    const day = clock.slice(0, 10)
    return asDay || onlyDays ? { day, sent: day } : { moment: clock, sent: clock }
  })
  if (operator === 'between' || operator === 'not between')
    return fc.tuple(date, date).map(([from, to]) =>
      makeValue([from.sent, to.sent], (own) => {
        const isBetween = keepsDate(own, '>=', from) && keepsDate(own, '<=', to)
        return isBetween === (operator === 'between')
      }),
    )
  return date.map((one) => makeValue(one.sent, (own) => keepsDate(own, operator as DateOperator, one)))
}

function numbers(
  operator: Operator,
  present: readonly ContractValue[],
  makeValue: FilterMaker,
): fc.Arbitrary<ContractFilter> {
  const known = present.flatMap(({ value }) => (typeof value === 'number' && Number.isFinite(value) ? value : []))
  const number = fc.constantFrom(0, 5.5, -1_000, ...known, ...known.map((value) => Math.trunc(value) + 1))
  if (operator === 'between' || operator === 'not between')
    return fc.tuple(number, number).map(([from, to]) =>
      makeValue([from, to], ({ value }) => {
        const isBetween = holds('>=', value, from) && holds('<=', value, to)
        return isBetween === (operator === 'between')
      }),
    )
  if (operator === 'in' || operator === 'not in') return lists(operator, number, makeValue, ({ value }) => value)
  return number.map((sent) => makeValue(sent, ({ value }) => holds(operator, value, sent)))
}

function texts(
  operator: Operator,
  { type, allowed, source, folds }: CompiledFilter,
  present: readonly ContractValue[],
  makeValue: FilterMaker,
): fc.Arbitrary<ContractFilter> | undefined {
  const fold = folds ? foldText : foldCase
  const known = present.flatMap(({ text }) => (text === null || text === 'all' || text.trim() !== text ? [] : text))
  const isText = type === 'text'
  const some = isText ? [...known, 'nothing has this'] : allowed === undefined ? known : [...allowed]
  const sendable = some.filter((text) => isText || (text !== 'all' && text !== ''))
  if (sendable.length === 0) return undefined
  const text = fc.constantFrom(...sendable)
  const whole = (value: string): string => (folds ? foldText(value) : value)
  const own = ({ text: value }: ContractValue): OracleValue => (value === null ? null : whole(value))
  if (operator === 'in' || operator === 'not in') return lists(operator, text, makeValue, own, whole)
  if (operator === 'like' || operator === 'not like') {
    const part = fc
      .tuple(text, fc.nat(3), fc.boolean())
      .map(([value, from, upper]) => (upper ? foldCase(value).toUpperCase() : [...value].slice(from).join('')))
      .filter((value) => value.isWellFormed() && (value === '' || fold(value) !== ''))
    return part.map((sent) =>
      makeValue(sent, (value) => {
        const has = own(value)
        return (has !== null && fold(String(has)).includes(fold(sent))) === (operator === 'like')
      }),
    )
  }
  if (operator === 'starts with' || operator === 'ends with') {
    const isStart = operator === 'starts with'
    const part = fc
      .tuple(text, fc.integer({ min: 1, max: 4 }))
      .map(([value, count]) => [...value].slice(...(isStart ? [0, count] : [-count])).join(''))
      .filter((value) => fold(value) !== '')
    return part.map((sent) =>
      makeValue(sent, (value) => {
        const has = fold(String(own(value) ?? ''))
        return own(value) !== null && (isStart ? has.startsWith(fold(sent)) : has.endsWith(fold(sent)))
      }),
    )
  }
  // Numbers that are equal can be different texts.
  if (source.kind === 'decimal') return undefined
  return text.map((sent) => makeValue(sent, (value) => holds(operator, own(value), whole(sent))))
}

const lists = <Value extends OracleValue>(
  operator: 'in' | 'not in',
  entry: fc.Arbitrary<Value>,
  makeValue: FilterMaker,
  own: (value: ContractValue) => OracleValue,
  compared: (sent: Value) => OracleValue = (sent) => sent,
): fc.Arbitrary<ContractFilter> =>
  fc
    .array(entry, { minLength: 1, maxLength: 4 })
    .map((list) => makeValue(list, (value) => isAmong(own(value), list.map(compared)) === (operator === 'in')))
