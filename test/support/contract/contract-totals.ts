import { expect } from 'vitest'
import { hasGroups } from '../../../lib/query/group-keys.ts'
import { hasPattern, isDate, isNumber, isRaw, type RawColumn } from '../../../lib/table/raw-column.ts'
import { compareValues } from '../oracle/oracle-values.ts'
import { adviseOnAll } from './contract-advice.ts'
import type { ContractRow, ContractValue } from './contract-data.ts'
import { expectFacets, listFacets } from './contract-facets.ts'
import { canonicalNumber, exactTotals, isClose } from './contract-numbers.ts'
import { findCell } from './contract-queries.ts'
import { type OfferedParts, sendQuery } from './contract-requests.ts'
import type { ContractSubject, SubjectCaller } from './contract-subject.ts'

const maxKeys = 3
const maxAggregates = 20

/** Asks for every aggregate, group and facet that the table offers a caller, several in a request. */
export async function expectTotals(
  subject: ContractSubject,
  caller: SubjectCaller,
  offered: OfferedParts,
): Promise<void> {
  const columns = subject.table.columns.filter(({ key }) => offered.columns.has(key)).filter(isRaw)
  // A relation that multiplies rows, or a computed value, is only to blame for what is asked for beside it.
  const byRelation = Object.values(
    Object.groupBy(columns, ({ source: { join, kind } }) => join?.alias ?? (kind === 'unknown' ? 'computed' : '')),
  )
  const totals = byRelation.flatMap((some = []) => chunk(some.flatMap(listTotals(subject)), maxAggregates))
  const keys = byRelation.flatMap((some = []) => chunk(some.flatMap(listKeys(subject)), maxKeys))
  const facets = chunk(listFacets(subject, offered), 10)
  const count = Math.max(totals.length, keys.length, facets.length)
  for (let at = 0; at < count; at += 1) {
    const [someTotals = [], someKeys = [], someFacets = []] = [totals[at], keys[at], facets[at]]
    const body = {
      perPage: 1,
      time_zone: 'UTC',
      aggregates: someTotals.map(({ key, fn }) => ({ field: key, fn })),
      group_by: someKeys.map(({ sent }) => sent),
      ...(someKeys.length > 0 && { groups_page: { limit: 1_000 } }),
      facets: someFacets.map(({ name }) => name),
    }
    const { json, message } = await sendQuery(subject, caller, body)
    const partial = `${message} has no ${json.partial?.join(' and no ')}: a computed column fails for some of the rows`
    expect(json.partial, partial).toBeUndefined()
    for (const total of someTotals) expectTotal(subject, caller, total, json.aggregates[total.key][total.fn].value)
    if (someKeys.length > 0) expectGroups(subject, caller, someKeys, json.groups)
    for (const facet of someFacets) expectFacets(subject, caller, facet, json.facets[facet.name])
  }
}

const chunk = <T>(list: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))

interface ContractTotal {
  readonly key: string
  readonly fn: string
  readonly column: RawColumn
}

const listTotals =
  ({ data }: ContractSubject) =>
  (column: RawColumn): readonly ContractTotal[] => {
    const { key } = column
    const kind = data.kinds.get(key)
    const list = (fns: readonly string[]) => fns.map((fn) => ({ key, fn, column }))
    if (kind === undefined || kind === 'json' || kind === 'array' || /^(char\(|citext)/.test(column.source.sqlType))
      return kind === undefined ? [] : list(['count'])
    if (isNumber(column)) return list(['sum', 'avg', 'min', 'max', 'median', 'count', 'count_distinct', 'count_empty'])
    const counts = ['count', 'count_distinct', 'count_empty']
    return list(isDate(column) && !hasPattern(column) ? ['min', 'max', ...counts] : counts)
  }

function expectTotal(subject: ContractSubject, caller: SubjectCaller, total: ContractTotal, value: unknown): void {
  const { key, fn, column } = total
  const cells = caller.rows.map((row) => findCell(row, key))
  const expected = isNumber(column) ? exactTotals(cells)[fn] : plainTotals(cells, column)[fn]
  const message = `${caller.name}: the ${fn} of "${key}" is ${value}, and of its rows' values ${expected}: ${adviseOnAll(subject.table, [key])}`
  if (isNumber(column) && !fn.startsWith('count')) expect(isClose(value, expected), message).toBe(true)
  else expect(value, message).toBe(expected)
}

/** ISO text, as JSON has dates. */
const isoText = ({ value }: ContractValue, { source: { kind } }: RawColumn): string =>
  kind === 'date' ? String(value).slice(0, 10) : `${String(value).replace(' ', 'T')}${kind === 'instant' ? 'Z' : ''}`

function plainTotals(
  cells: readonly ContractValue[],
  column: RawColumn,
): Readonly<Record<string, string | number | null | undefined>> {
  const present = cells.filter(({ text }) => text !== null)
  const [least, most] = [...present.map((cell) => isoText(cell, column))]
    .sort()
    .flatMap((text, at, all) => (at === 0 || at === all.length - 1 ? (all.length === 1 ? [text, text] : [text]) : []))
  return {
    min: least ?? null,
    max: most ?? null,
    count: present.length,
    count_empty: cells.length - present.length,
    count_distinct: new Set(present.map(({ text }) => text)).size,
  }
}

interface ContractKey {
  readonly key: string
  readonly sent: { readonly field: string; readonly bucket?: unknown }
  /** The value of a key as the response has it, as text; null where it is missing. */
  readonly read: (cell: ContractValue) => string | null
  /** Returns the value by which keys are ordered. */
  readonly order: (cell: ContractValue) => ContractValue['value']
}

/** The ways to group by a column whose values the contract can tell: by the value, by month, by tens. */
const listKeys =
  ({ data }: ContractSubject) =>
  (column: RawColumn): readonly ContractKey[] => {
    const { key, type, source } = column
    const kind = data.kinds.get(key)
    if (!hasGroups(column) || type === 'link' || type === 'image' || /^(char\(|citext)/.test(source.sqlType)) return []
    const plain = { key, sent: { field: key }, order: ({ value }: ContractValue) => value }
    if (isDate(column)) return hasPattern(column) ? [] : dateKeys(column)
    if (isNumber(column)) {
      const read = ({ text }: ContractValue) => canonicalNumber(text) ?? null
      const order = (cell: ContractValue) => (read(cell) === null ? null : cell.value)
      return [{ ...plain, read, order }, ...(kind === 'integer' ? [tens(key)] : [])]
    }
    const isPlain = source.kind === 'unknown' ? ['text', 'boolean'].includes(String(kind)) : kind !== undefined
    return isPlain && (type !== 'boolean' || kind === 'boolean') && type !== 'date'
      ? [{ ...plain, read: ({ text }) => text }]
      : []
  }

function dateKeys(column: RawColumn): readonly ContractKey[] {
  const { key } = column
  const month = (cell: ContractValue) => cell.value && `${String(cell.value).slice(0, 7)}-01`
  const day = (cell: ContractValue) => (cell.text === null ? null : isoText(cell, column))
  return [
    { key, sent: { field: key }, read: day, order: day },
    { key, sent: { field: key, bucket: 'month' }, read: (cell) => month(cell) as string | null, order: month },
  ]
}

function tens(key: string): ContractKey {
  const order = ({ value }: ContractValue) => (value === null ? null : Math.floor(Number(value) / 10) * 10)
  const read = (cell: ContractValue) => canonicalNumber(String(order(cell) ?? '')) ?? null
  return { key, sent: { field: key, bucket: { width: 10 } }, read, order }
}

interface AnsweredGroup {
  readonly keys: readonly { readonly value: unknown }[]
  readonly count: number
}

function expectGroups(
  { table }: ContractSubject,
  caller: SubjectCaller,
  keys: readonly ContractKey[],
  answered: readonly AnsweredGroup[],
): void {
  const groups = new Map<string, { readonly row: ContractRow; count: number }>()
  for (const row of caller.rows) {
    const name = JSON.stringify(keys.map(({ key, read }) => read(findCell(row, key))))
    const group = groups.get(name) ?? { row, count: 0 }
    groups.set(name, group)
    group.count += 1
  }
  const ordered = [...groups].toSorted(([, left], [, right]) => {
    for (const { key, order } of keys) {
      const a = order(findCell(left.row, key))
      const b = order(findCell(right.row, key))
      const result = a === null || b === null ? Number(a === null) - Number(b === null) : compareValues(a, b)
      if (result !== 0) return result
    }
    return 0
  })
  const named = keys.map(({ key }) => key)
  const message = `${caller.name}: the groups by ${named.map((key) => `"${key}"`).join(', ')} are not those of its rows' values: ${adviseOnAll(table, named)}`
  const written = answered.map(({ keys: own, count }) => [
    JSON.stringify(own.map(({ value }) => keyText(value))),
    count,
  ])
  expect(written, message).toEqual(ordered.slice(0, 1_000).map(([name, { count }]) => [name, count]))
}

const keyText = (value: unknown): string | null =>
  value === null ? null : typeof value === 'number' ? (canonicalNumber(String(value)) ?? null) : String(value)
