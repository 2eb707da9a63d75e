import { expect } from 'vitest'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { inOrder } from '../oracle/oracle-query.ts'
import { compareValues, type OracleValue } from '../oracle/oracle-values.ts'
import { adviseOnAll } from './contract-advice.ts'
import type { ContractRow } from './contract-data.ts'
import { isResolved, type ResolvedBounds } from './contract-periods.ts'
import { type ContractCondition, type ContractSort, findCell, type ResolvePeriod } from './contract-queries.ts'
import type { ContractSubject, SubjectCaller } from './contract-subject.ts'

/** The selection of a request and its sorts. */
export interface ContractQuery {
  readonly conditions: readonly ContractCondition[]
  readonly sorts: readonly ContractSort[]
}

/** The parts of the structure that requests of a caller may name. */
export interface OfferedParts {
  readonly sorts: readonly string[]
  readonly filters: ReadonlySet<string>
  readonly columns: ReadonlySet<string>
  readonly searchable: readonly string[]
}

export async function forEachCaller(
  subject: ContractSubject,
  check: (caller: SubjectCaller, offered: OfferedParts) => Promise<void>,
): Promise<void> {
  for (const caller of subject.callers) await check(caller, await offeredTo(subject, caller))
}

async function offeredTo({ api, table }: ContractSubject, { identity }: SubjectCaller): Promise<OfferedParts> {
  const { status, json, text } = await api.get(`load-table/${encodeURIComponent(table.name)}`, { as: identity })
  expect(status, text).toBe(200)
  const named: readonly { readonly filter_name: string }[] = [...json.filters, ...json.advancedFilters]
  const columns: readonly { readonly data_src: string; readonly searchable?: true }[] = json.columns
  return {
    sorts: json.sortables,
    filters: new Set(named.map(({ filter_name }) => filter_name)),
    columns: new Set(columns.map(({ data_src }) => data_src)),
    searchable: columns.filter(({ searchable }) => searchable).map(({ data_src }) => data_src),
  }
}

/** Sends a query; `told` names the caller and the body for messages. */
export async function sendQuery(
  { api, table, params }: ContractSubject,
  { identity, name }: SubjectCaller,
  body: object,
) {
  const path = `query-table/${encodeURIComponent(table.name)}`
  const sent = { ...(params && { params }), ...body }
  const message = `${name}: ${JSON.stringify(sent)}`
  const { status, json, text } = await api.post(path, sent, { as: identity })
  expect(status, `${message}: ${text}`).toBe(200)
  // A range may be generated the wrong way round: it selects nothing, and the service says so.
  const warnings: readonly { readonly code: string }[] = json.warnings ?? []
  expect(
    warnings.filter(({ code }) => code !== 'empty_range'),
    message,
  ).toEqual([])
  const items: readonly { readonly id: unknown }[] = json.items
  return { ids: items.map(({ id }) => String(id)), pagination: json.pagination, json, message }
}

/** The keys of a body that select rows. */
function selectionBody(conditions: readonly ContractCondition[]): object {
  const flat = conditions.flatMap(({ filter }) => filter ?? [])
  return Object.assign({ filters: flat }, ...conditions.map(({ body }) => body ?? {}))
}

export async function expectRows(subject: ContractSubject, caller: SubjectCaller, one: ContractQuery): Promise<void> {
  const body = { ...selectionBody(one.conditions), sorts: one.sorts, perPage: subject.table.maxPerPage }
  const before = Date.now()
  const { ids, pagination, json, message } = await sendQuery(subject, caller, body)
  const resolved = readResolved(subject, json.resolved ?? [], [before, Date.now()])
  const expected = expectedRows(subject, caller, one, resolved).map(({ id }) => id)
  const read = one.conditions.flatMap(({ keys }) => keys)
  const used = [...read, ...one.sorts.map(({ field }) => field)].map((key) => `"${key}"`)
  const advice = adviseOnAll(subject.table, read, one.sorts)
  expect(
    ids,
    `${message} has other rows, or another order, than the values of ${used.join(', ')} say: ${advice}`,
  ).toEqual(expected.slice(0, subject.table.maxPerPage))
  if (pagination.total_kind === 'exact') expect(pagination.total, message).toBe(expected.length)
}

type ResolvedEntry = ResolvedBounds & { readonly field: string; readonly value: string }

/** The periods of a response. Throws where one is not what the table's calendar says. */
function readResolved(
  { table: { timeZone = 'UTC', definition } }: ContractSubject,
  entries: readonly ResolvedEntry[],
  moments: readonly [number, number],
): ResolvePeriod {
  const calendar = { timeZone, firstWeekday: definition.firstWeekday ?? 'monday' }
  for (const { field, value, from, to } of entries)
    expect(
      isResolved(value, { from, to }, calendar, moments),
      `${field} within ${value} is resolved as ${from} to ${to}: compare \`timeZone\` and \`firstWeekday\` of the table`,
    ).toBe(true)
  return ({ field, period }) => {
    const found = entries.find((entry) => entry.field === field && entry.value === period)
    if (found === undefined) throw new Error(`${field} within ${period} is not among \`resolved\` of the response`)
    return found
  }
}

const none: ResolvePeriod = ({ field }) => {
  throw new Error(`${field} was not asked for a period`)
}

/** Filters and sorts in memory, as the oracle of the contract. */
export function expectedRows(
  { table }: ContractSubject,
  { rows }: SubjectCaller,
  { conditions, sorts }: ContractQuery,
  resolved: ResolvePeriod = none,
): readonly ContractRow[] {
  const { source, direction } = table.defaultSort
  const given: readonly ContractSort[] = sorts.length > 0 ? sorts : [{ field: source.key, direction }]
  const last = given.at(-1)?.direction ?? 'asc'
  const order = given.some(({ field }) => field === table.key.key)
    ? given
    : [...given, { field: table.key.key, direction: last }]
  const reading = order.map((sort) => ({
    direction: sort.direction,
    nulls: sort.nulls,
    read: (row: ContractRow) => findCell(row, sort.field).value,
    compare: collationOrder(table, sort.field),
  }))
  return inOrder(
    rows.filter((row) => conditions.every(({ keeps }) => keeps(row, resolved))),
    reading,
  )
}

/** Compares values in the collation of their column, equal ones by code point; `undefined` for a column without one. */
function collationOrder(
  { definition }: CompiledTable,
  key: string,
): ((left: OracleValue, right: OracleValue) => number) | undefined {
  const collation: string | undefined = definition.columns[key]?.collation
  if (collation === undefined) return undefined
  // English has the order of ICU's root, which `natural` is made of.
  const collator = new Intl.Collator(collation === 'natural' ? 'en-u-kn-true' : collation)
  return (left, right) => collator.compare(String(left), String(right)) || compareValues(left, right)
}
