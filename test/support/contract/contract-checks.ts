import fc from 'fast-check'
import { expect } from 'vitest'
import { isEveryRow } from '../../../lib/table/define-table.ts'
import { inOrder } from '../oracle/oracle-query.ts'
import type { ContractRow } from './contract-data.ts'
import { anyFilter, anySorts, type ContractFilter, type ContractSort, checkable, findCell } from './contract-queries.ts'
import { scopeEndpoints } from './contract-scope.ts'
import type { ContractSubject, SubjectCaller } from './contract-subject.ts'

interface Query {
  readonly filters: readonly ContractFilter[]
  readonly sorts: readonly ContractSort[]
}

/** The rules that every table keeps, by their title; each throws if the table breaks it. */
export const contractChecks: Readonly<Record<string, (subject: ContractSubject) => Promise<void>>> = {
  'shows each caller the rows of their own, and none beside them, at every endpoint': async (subject) => {
    expectDifference(subject)
    for (const caller of subject.callers) await scopeEndpoints(subject, caller)
  },
  'has the same rows in pages of any size, by number and by cursor, each once': (subject) =>
    forEachCaller(subject, async (caller, { sorts }) => {
      const size = fc.integer({ min: Math.ceil(caller.rows.length / 8), max: 100 }).filter((perPage) => perPage > 0)
      const query = fc.record({ sorts: anySorts(sorts, subject.data), perPage: size })
      await fc.assert(
        fc.asyncProperty(query, (one) => expectPages(subject, caller, one)),
        { numRuns: 12 },
      )
    }),
  'sorts by whatever it offers as its values say, with missing ones last and ties by the key': (subject) =>
    forEachCaller(subject, async (caller, { sorts }) => {
      for (const field of checkable(sorts, subject.data))
        for (const direction of ['asc', 'desc'] as const)
          await expectRows(subject, caller, { filters: [], sorts: [{ field, direction }] })
      await fc.assert(
        fc.asyncProperty(anySorts(sorts, subject.data), (some) =>
          expectRows(subject, caller, { filters: [], sorts: some }),
        ),
        { numRuns: 20 },
      )
    }),
  'keeps the rows that its filters say, and no others': (subject) =>
    forEachCaller(subject, async (caller, { sorts, filters }) => {
      const filter = anyFilter(subject.table, filters, subject.data)
      if (filter === undefined) return
      const some = fc.array(filter, { minLength: 1, maxLength: 2 })
      const query = fc.record({ filters: some, sorts: anySorts(sorts, subject.data) })
      await fc.assert(
        fc.asyncProperty(query, (one) => expectRows(subject, caller, one)),
        { numRuns: 60 },
      )
    }),
}

interface Offered {
  readonly sorts: readonly string[]
  readonly filters: ReadonlySet<string>
}

async function forEachCaller(
  subject: ContractSubject,
  check: (caller: SubjectCaller, offered: Offered) => Promise<void>,
): Promise<void> {
  for (const caller of subject.callers) await check(caller, await offeredTo(subject, caller))
}

async function offeredTo({ api, table }: ContractSubject, { identity }: SubjectCaller): Promise<Offered> {
  const { status, json, text } = await api.get(`load-table/${encodeURIComponent(table.name)}`, { as: identity })
  expect(status, text).toBe(200)
  const named: readonly { readonly filter_name: string }[] = [...json.filters, ...json.advancedFilters]
  return { sorts: json.sortables, filters: new Set(named.map(({ filter_name }) => filter_name)) }
}

/** A check of rows that nobody sees, or that everybody sees, could not fail. */
function expectDifference({ callers, data, table }: ContractSubject): void {
  if (data.rows.length === 0) throw new Error('The table has no rows to check it with')
  if (callers.every(({ rows }) => rows.length === 0))
    throw new Error('No caller sees a row: name in `callers` who sees which, and in `values` what makes them see it')
  const context = { identity: { subject: 'nobody', claims: {} }, params: undefined, language: 'en', guard: 'api' }
  let open = false
  try {
    open = isEveryRow(table.definition.scope(context as unknown as Parameters<typeof table.definition.scope>[0]))
  } catch {
    // It wants to know more of a caller, so it is a restriction.
  }
  if (!open && callers.every(({ hidden }) => hidden.length === 0))
    throw new Error(
      'Every caller is to see every row, though the scope is not everyRow: name in `callers` who sees which',
    )
}

async function query({ api, table, params }: ContractSubject, { identity, name }: SubjectCaller, body: object) {
  const path = `query-table/${encodeURIComponent(table.name)}`
  const sent = { ...(params && { params }), ...body }
  const { status, json, text } = await api.post(path, sent, { as: identity })
  expect(status, `${name}: ${JSON.stringify(sent)}: ${text}`).toBe(200)
  // A range may be generated the wrong way round: it selects nothing, and the service says so.
  const warnings: readonly { readonly code: string }[] = json.warnings ?? []
  expect(
    warnings.filter(({ code }) => code !== 'empty_range'),
    `${name}: ${JSON.stringify(sent)}`,
  ).toEqual([])
  const items: readonly { readonly id: unknown }[] = json.items
  return { ids: items.map(({ id }) => String(id)), pagination: json.pagination }
}

async function expectRows(subject: ContractSubject, caller: SubjectCaller, one: Query): Promise<void> {
  const body = { filters: one.filters.map(({ sent }) => sent), sorts: one.sorts, perPage: subject.table.maxPerPage }
  const { ids, pagination } = await query(subject, caller, body)
  const expected = expectedRows(subject, caller, one).map(({ id }) => id)
  expect(ids, `${caller.name}: ${JSON.stringify(body)}`).toEqual(expected.slice(0, subject.table.maxPerPage))
  if (pagination.total_kind === 'exact') expect(pagination.total).toBe(expected.length)
}

/** Filters and sorts in memory, as the oracle of the contract. */
function expectedRows(
  { table }: ContractSubject,
  { rows }: SubjectCaller,
  { filters, sorts }: Query,
): readonly ContractRow[] {
  const { source, direction } = table.defaultSort
  const given = sorts.length > 0 ? sorts : [{ field: source.key, direction }]
  const last = given.at(-1)?.direction ?? 'asc'
  const order = given.some(({ field }) => field === table.key.key)
    ? given
    : [...given, { field: table.key.key, direction: last }]
  const reading = order.map((sort) => ({
    direction: sort.direction,
    read: (row: ContractRow) => findCell(row, sort.field).value,
  }))
  return inOrder(
    rows.filter((row) => filters.every(({ keeps }) => keeps(row))),
    reading,
  )
}

async function expectPages(
  subject: ContractSubject,
  caller: SubjectCaller,
  { sorts, perPage }: { readonly sorts: readonly ContractSort[]; readonly perPage: number },
): Promise<void> {
  const expected = expectedRows(subject, caller, { filters: [], sorts }).map(({ id }) => id)
  const told = `${caller.name}: ${JSON.stringify({ sorts, perPage })}`
  const byCursor: string[] = []
  let cursor: string | null | undefined
  do {
    const page = await query(subject, caller, { sorts, perPage, ...(cursor && { cursor }) })
    byCursor.push(...page.ids)
    cursor = page.pagination.next_cursor
  } while (cursor !== null && byCursor.length <= expected.length)
  expect(byCursor, `${told} by cursor`).toEqual(expected)
  const { maxOffset = Number.POSITIVE_INFINITY } = subject.table.definition
  for (let page = 1; (page - 1) * perPage <= Math.min(expected.length, maxOffset); page++) {
    const { ids } = await query(subject, caller, { sorts, perPage, page })
    expect(ids, `${told}, page ${page}`).toEqual(expected.slice((page - 1) * perPage, page * perPage))
  }
}
