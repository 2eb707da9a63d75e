import { describe, expect, it } from 'vitest'
import { fixtureRegistry } from '../support/fixtures/fixture-registry.ts'
import { north } from '../support/fixtures/identities.ts'
import type { ApiResponse } from '../support/requests/api.ts'
import { startWatchingInstallation } from '../support/sockets/watching-installation.ts'

const live = await startWatchingInstallation(fixtureRegistry)

const long = 'Q'.repeat(5_000)
/** A longer part of a request is no help in a message. */
const tooLong = 'Q'.repeat(201)

const page = {
  filters: [{ field: 'state', operator: '=', value: 'open' }],
  filter_groups: { any: [{ field: 'state', operator: '=', value: 'open' }] },
  sorts: [{ field: 'id', direction: 'asc', nulls: 'last' }],
  search: { q: 'order', columns: ['title'] },
  columns: ['id'],
  include: ['raw'],
  row_actions: 'keys',
  aggregates: [{ field: 'id', fn: 'sum' }],
  facets: ['state'],
  group_by: [{ field: 'id', bucket: { width: 10 } }],
  groups_page: { limit: 5, after: 'x' },
  group: 'x',
  page: 1,
  perPage: 5,
  cursor: null,
  count: 'exact',
  count_only: false,
  request_seq: 1,
  explain: true,
  view: 'x',
  time_zone: 'UTC',
  params: { a: 'x' },
  options: { field: 'state', search: 'x', page: 1, limit: 5 },
}
const rows = {
  selected_ids: [1],
  excluded_ids: [],
  select_all: false,
  expected_count: 1,
  versions: { 1: 'x' },
  expected_version: 'x',
  dry_run: true,
  effects: { row: true },
  plan_id: 'x',
  selection_token: 'x',
  cells: { title: 'x' },
  title: 'x',
  emails: ['nora@example.test'],
  columns: ['id'],
  csv_separator: ',',
  csv_raw: true,
  round_trip: true,
}

const requests: readonly (readonly [path: string, body: Readonly<Record<string, unknown>>])[] = [
  ['query-table/orders', page],
  ['query-table/products', { ...page, filters: { category: 'tool' }, sorts: { id: 'asc' } }],
  ['row-refetch/orders/1', page],
  ['multi-row-refetch/orders', { row_ids: [1], columns: ['id'], include: ['raw'], params: { a: 'x' } }],
  ['row-table-action/orders/flag/1', rows],
  ['row-bulk-table-action/orders/flag', rows],
  ['bulk-table-action/lines/export_csv', { ...page, ...rows }],
  ['undo/orders/x', rows],
  ['imports/orders', { file_name: 'x', size: 5, sha256: 'x', type: 'csv' }],
  ['views/orders', { name: 'x', shared: false, query: page, is_default: true }],
]

/** Lists copies of a value, each with one more long key or with one value that is the long text. */
function* lengthen(value: unknown): Generator<unknown> {
  yield long
  if (Array.isArray(value)) {
    yield [...value, long]
    for (const [index, part] of value.entries()) for (const other of lengthen(part)) yield value.with(index, other)
  } else if (typeof value === 'object' && value !== null) {
    yield { ...value, [long]: 'x' }
    for (const [key, part] of Object.entries(value)) {
      for (const other of lengthen(part)) yield { ...value, [key]: other }
      const { [key]: moved, ...rest } = value as Readonly<Record<string, unknown>>
      yield { ...rest, [`${key}${long}`]: moved }
    }
  }
}

/** The words of a response: those of a failure, and the warnings beside a success. */
const readWords = ({ json }: ApiResponse): string =>
  JSON.stringify([json.errors, json.message, json.fields, json.warnings, json.success ? null : json.code])

describe('the messages of a response', () => {
  it.each(requests)('repeat no long text of a request to %s', async (path, body) => {
    const bodies = Object.entries(body).flatMap(([key, part]) => [...lengthen({ [key]: part })].slice(1))
    const responses = await Promise.all(bodies.map((sent) => live.actions.post(path, sent, { isJunk: true })))
    expect(responses.map(readWords).filter((words) => words.includes(tooLong))).toEqual([])
  })

  it('repeat no long version of the header that differs from the one in the body', async () => {
    const options = { headers: { 'if-match': `"${long}"` } }
    const response = await live.actions.post('row-table-action/orders/flag/1', { expected_version: 'x' }, options)
    expect(response.json.fields.expected_version).toHaveLength(1)
    expect(readWords(response)).not.toContain(tooLong)
  })

  it('repeat no long key of a subscription', async () => {
    const watcher = await live.watch()
    const subscribe = { event: 'subscribe', id: 'page', table: 'orders', token: live.tokenFor(north) }
    const reply = await watcher.ask({ ...subscribe, query: { [long.slice(0, 1_000)]: 1 } })
    expect(Object.keys(reply.fields)).toEqual([`query.${long.slice(0, 100)}`])
  })
})
