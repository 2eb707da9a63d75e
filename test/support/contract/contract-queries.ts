import fc from 'fast-check'
import type { CompiledFilter, CompiledTable } from '../../../lib/table/compiled-table.ts'
import type { Operator } from '../../../lib/wire/vocabulary.ts'
import { type DateOperator, keepsDate } from '../oracle/oracle-dates.ts'
import { foldCase, holds, isAmong, type Ordering } from '../oracle/oracle-filters.ts'
import type { OracleValue } from '../oracle/oracle-values.ts'
import type { ContractData, ContractRow, ContractValue } from './contract-data.ts'

/** A filter as a request sends it, and which rows it keeps. */
export interface ContractFilter {
  readonly sent: { readonly field: string; readonly operator: string; readonly value: unknown }
  readonly keeps: (row: ContractRow) => boolean
}

export interface ContractSort {
  readonly field: string
  readonly direction: 'asc' | 'desc'
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
  })
  return fc.uniqueArray(sort, { maxLength: 3, selector: ({ field }) => field })
}

/** Any of these filters with any of its operators, with values that rows have and values that none has; `undefined` without filters. */
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
    sent: { field: filter.name, operator, value },
    keeps: (row) => keeps(findCell(row, key)),
  })
  if (operator === 'is null' || operator === 'is not null')
    return fc.constant(
      makeValue(undefined, ({ value }) => (value === null || Number.isNaN(value)) === (operator === 'is null')),
    )
  // The properties of test/properties compare periods, whose days depend on the clock.
  if (operator === 'within') return undefined
  if (filter.type === 'null')
    return fc.boolean().map((isSet) => makeValue(isSet ? 'set' : 'not_set', ({ value }) => (value !== null) === isSet))
  if (filter.type === 'boolean')
    return fc.boolean().map((truth) => makeValue(truth, ({ value }) => holds(operator as Ordering, value, truth)))
  if (filter.type === 'date') {
    const comparable = data.kinds.get(key) !== 'instant' || timeZone === 'UTC'
    return operator === 'between' || operator === 'not between' || !comparable
      ? undefined
      : dates(operator as DateOperator, present, makeValue)
  }
  if (filter.type === 'number') return numbers(operator, present, makeValue)
  return texts(operator, filter, present, makeValue)
}

type Made = (value: unknown, keeps: (own: ContractValue) => boolean) => ContractFilter

function dates(
  operator: DateOperator,
  present: readonly ContractValue[],
  makeValue: Made,
): fc.Arbitrary<ContractFilter> {
  const clocks = ['2026-01-15 12:00:00.000', ...present.map(({ value }) => String(value))]
  return fc.tuple(fc.constantFrom(...clocks), fc.boolean()).map(([clock, asDay]) => {
    const day = clock.slice(0, 10)
    const date = asDay ? { day } : { moment: clock }
    return makeValue(asDay ? day : clock, ({ value }) =>
      keepsDate(value === null ? null : String(value), operator, date),
    )
  })
}

function numbers(operator: Operator, present: readonly ContractValue[], makeValue: Made): fc.Arbitrary<ContractFilter> {
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
  return number.map((sent) => makeValue(sent, ({ value }) => holds(operator as Ordering, value, sent)))
}

function texts(
  operator: Operator,
  { type, allowed, source }: CompiledFilter,
  present: readonly ContractValue[],
  makeValue: Made,
): fc.Arbitrary<ContractFilter> | undefined {
  const known = present.flatMap(({ text }) => (text === null || text === 'all' || text.trim() !== text ? [] : text))
  const isText = type === 'text'
  const some = isText ? [...known, 'nothing has this'] : allowed === undefined ? known : [...allowed]
  const sendable = some.filter((text) => isText || (text !== 'all' && text !== ''))
  if (sendable.length === 0) return undefined
  const text = fc.constantFrom(...sendable)
  const own = ({ text: value }: ContractValue): OracleValue => value
  if (operator === 'in' || operator === 'not in') return lists(operator, text, makeValue, own)
  if (operator === 'like' || operator === 'not like') {
    const part = fc
      .tuple(text, fc.nat(3), fc.boolean())
      .map(([value, from, upper]) => (upper ? foldCase(value).toUpperCase() : [...value].slice(from).join('')))
      .filter((value) => value.isWellFormed())
    return part.map((sent) =>
      makeValue(sent, (value) => {
        const has = own(value)
        return (has !== null && foldCase(String(has)).includes(foldCase(sent))) === (operator === 'like')
      }),
    )
  }
  if (operator === 'starts with' || operator === 'ends with') {
    const isStart = operator === 'starts with'
    const part = fc
      .tuple(text, fc.integer({ min: 1, max: 4 }))
      .map(([value, count]) => [...value].slice(...(isStart ? [0, count] : [-count])).join(''))
    return part.map((sent) =>
      makeValue(sent, (value) => {
        const has = foldCase(String(own(value) ?? ''))
        return own(value) !== null && (isStart ? has.startsWith(foldCase(sent)) : has.endsWith(foldCase(sent)))
      }),
    )
  }
  // Numbers that are equal can be different texts.
  if (source.kind === 'decimal') return undefined
  return text.map((sent) => makeValue(sent, (value) => holds(operator as Ordering, own(value), sent)))
}

const lists = <Value extends OracleValue>(
  operator: 'in' | 'not in',
  entry: fc.Arbitrary<Value>,
  makeValue: Made,
  own: (value: ContractValue) => OracleValue,
): fc.Arbitrary<ContractFilter> =>
  fc
    .array(entry, { minLength: 1, maxLength: 4 })
    .map((list) => makeValue(list, (value) => isAmong(own(value), list) === (operator === 'in')))
