import { eq } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims, manager } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'
import { isManager, oneMore } from '../support/fixtures/orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { readmeHeaders, readmeSamples } from '../support/requests/readme-examples.ts'

const since = '2026-02-01'
const sunset = '2026-08-01'
const formerly = (name: string, days = { since, sunset }) => ({ formerly: { name, ...days } })
const later = { since: '2026-03-01', sunset: '2026-07-01' }

const base = {
  name: 'renamed_orders',
  from: orders,
  key: 'id',
  scope: ({ identity: { claims } }: { identity: { claims: { tenant: string } } }) => eq(orders.tenant, claims.tenant),
} as const

const before = defineFixture({
  ...base,
  columns: {
    id: { label: 'ID', sortable: true },
    title: { label: 'Title', sortable: true },
    amount: { label: 'Amount' },
  },
  filters: { state: { type: 'text', label: 'State' }, due: { type: 'date', label: 'Due' } },
})

/** The same orders, whose parts have been renamed. */
const now = defineFixture({
  ...base,
  columns: {
    id: { label: 'ID', sortable: true },
    title: { label: 'Title', sortable: true, search: true, ...formerly('name') },
    amount: { label: 'Amount', editable: true, ...formerly('price', later) },
    state: { label: 'State', editable: true },
    assignee: { label: 'Assignee', sortable: true, loadIf: isManager, ...formerly('owner') },
  },
  filters: {
    state: { type: 'select', label: 'State', options: ['open', 'done'], ...formerly('status') },
    due: { type: 'date', label: 'Due', operators: ['>=', 'within'], ...formerly('deadline') },
    assignee: { type: 'text', loadIf: isManager, ...formerly('owner') },
  },
  rowActions: {
    touch: {
      label: 'Touch',
      bulk: true,
      run: ({ db, row }) => db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id)),
      ...formerly('Poke it'),
    },
    close: { bulk: true, run: ({ db, where }) => db.update(orders).set({ state: 'done' }).where(where) },
    label: {
      form: z.object({ search: z.object({ columns: z.array(z.string()) }) }),
      run: ({ input }) => ({ data: input }),
    },
  },
  bulkActions: {
    touch_all: { run: () => {}, ...formerly('poke_all') },
    close_all: { run: async ({ db, where }) => void (await db.update(orders).set({ state: 'done' }).where(where)) },
    list: { export: 'csv', deliver: 'file', label: 'CSV', ...formerly('old_list') },
  },
})

const strikes = pgTable('bird_strikes', { id: integer().primaryKey(), origin_state: text() })

/** The bird strikes of functions/README.md. */
const documentedTable = defineFixture({
  name: 'bird_strikes',
  from: strikes,
  key: 'id',
  scope: everyRow,
  columns: { origin_state: { label: 'State', formerly: { name: 'state', since: '2026-09-01', sunset: '2027-03-01' } } },
  filters: { origin_state: { formerly: { name: 'state', since: '2026-09-01', sunset: '2027-03-01' } } },
})

const work = await startDeliveringApi()
const old = work.variant({}, createRegistry([before], { claims: fixtureClaims }))
const api = work.variant({}, createRegistry([now, documentedTable], { claims: fixtureClaims }))
beforeEach(() => work.reset())

const ask = (body: object, options = {}) => api.post('query-table/renamed_orders', body, options)
const dates = ({ headers }: { readonly headers: Readonly<Partial<Record<string, string>>> }) => [
  headers['deprecation'],
  headers['sunset'],
]
const deprecated = ['@1769904000', 'Sat, 01 Aug 2026 00:00:00 GMT']
const none = [undefined, undefined]

it('a request with former names is answered as functions/README.md shows', async () => {
  const [body, response] = readmeSamples('## Requests')
  await work.sql.unsafe(`create table bird_strikes as select 9997 as id, 'Texas' as origin_state;
    grant select on bird_strikes to public`)
  const { json, headers } = await api.post('query-table/bird_strikes', body)
  expect(json).toMatchObject(response ?? {})
  expect(json.items).toEqual(response?.['items'])
  const shown = readmeHeaders('## Requests', headers)
  expect(shown.received).toEqual(shown.expected)
})

describe('a former name in query-table', () => {
  it.each([
    ['a filter', { filters: [{ field: 'status', value: 'done' }] }, { filters: [{ field: 'state', value: 'done' }] }],
    ['a filter of an object', { filters: { status: 'done' } }, { filters: { state: 'done' } }],
    [
      'a filter under filter_name',
      { filters: [{ filter_name: 'status', value: 'done' }] },
      { filters: { state: 'done' } },
    ],
    ['an end of a date', { filters: { deadline_from: '2026-01-05' } }, { filters: { due_from: '2026-01-05' } }],
    [
      'a filter of a group',
      { filter_groups: { any: [{ none: [{ field: 'status', value: 'done' }] }] } },
      { filter_groups: { any: [{ none: [{ field: 'state', value: 'done' }] }] } },
    ],
    ['a sort', { sorts: [{ field: 'name', direction: 'desc' }] }, { sorts: [{ field: 'title', direction: 'desc' }] }],
    ['a sort of an object', { sorts: { name: 'desc' } }, { sorts: { title: 'desc' } }],
    [
      'a searched column',
      { search: { q: 'order 11', columns: ['name'] } },
      { search: { q: 'order 11', columns: ['title'] } },
    ],
    ['a group', { group_by: [{ field: 'name' }] }, { group_by: [{ field: 'title' }] }],
  ])('means the present one as the name of %s', async (_, former, present) => {
    const response = await ask(former)
    const expected = await ask(present)
    expect(response.status).toBe(200)
    expect(response.json.items).toEqual(expected.json.items)
    expect(response.json.pagination.total).toBe(expected.json.pagination.total)
    expect(response.json.warnings).toBeUndefined()
    expect([dates(response), dates(expected)]).toEqual([deprecated, none])
  })

  it('is the key of what is asked for by it, in totals, facets, groups and items', async () => {
    const { json, headers } = await ask({
      aggregates: [{ field: 'price', fn: 'sum' }],
      facets: ['status'],
      group_by: [{ field: 'title' }],
      groups_page: { limit: 1 },
      columns: ['name', 'amount'],
      include: ['raw'],
      perPage: 1,
    })
    expect(json.aggregates.price).toEqual(json.aggregates.amount)
    expect(json.facets.status).toEqual(json.facets.state)
    expect(json.groups[0].aggregates.price).toEqual(json.groups[0].aggregates.amount)
    expect(Object.keys(json.items[0])).toEqual(['id', 'name', 'amount', '_raw'])
    expect(Object.keys(json.items[0]._raw)).toEqual(['name', 'amount'])
    expect(dates({ headers })).toEqual(['@1769904000', 'Wed, 01 Jul 2026 00:00:00 GMT'])
  })

  it('is unknown to callers who may not know what it names', async () => {
    const filters = [{ field: 'owner', value: 'x' }]
    const response = await ask({ filters, sorts: [{ field: 'owner', direction: 'asc' }] })
    expect(response.json.warnings).toEqual([
      { code: 'unknown_filter', field: 'owner' },
      { code: 'unknown_sort', field: 'owner' },
    ])
    expect(dates(response)).toEqual(none)
    expect(dates(await ask({ filters }, { as: manager }))).toEqual(deprecated)
    const refused = await ask({ columns: ['owner'] })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'columns.0' })
    expect(refused.text).not.toContain('assignee')
  })

  it('is the name of its filter in explanations and periods, and of its column in matches', async () => {
    const named = await ask({
      filters: { status: 'done', deadline_from: { operator: 'within', value: 'today' } },
      explain: true,
      search: 'order',
      include: ['matches'],
      columns: ['name', 'title'],
    })
    expect(named.json.explain.without.map(({ filter }: { filter: string }) => filter)).toEqual([
      'status',
      'deadline_from',
      'search',
    ])
    expect(['status', 'deadline_from']).toContain(named.json.explain.most)
    expect(named.json.resolved).toMatchObject([{ field: 'deadline_from', operator: 'within' }])
    const one = await ask({ filters: { status: 'done' }, explain: { row_id: 1 } })
    expect(one.json.explain).toEqual({ row_id: 1, excluded_by: ['status'] })
    const found = await ask({ search: 'order', include: ['matches'], columns: ['name'], perPage: 1 })
    expect(found.json.items[0]._matches).toEqual(['name'])
    const both = await ask({ search: 'order', include: ['matches'], columns: ['name', 'title'], perPage: 1 })
    expect(both.json.items[0]._matches.toSorted()).toEqual(['name', 'title'])
  })

  it.each([
    ['filters.status', { filters: { status: 'done', state: 'open' } }],
    ['filters.status', { filters: { state: 'open', status: { value: 'done' } } }],
    ['sorts.name', { sorts: { name: 'asc', title: 'desc' } }],
  ])('is refused at %s beside the present one in an object, of which one would be lost: %j', async (field, body) => {
    for (const path of ['query-table/renamed_orders', 'bulk-table-action/renamed_orders/touch_all']) {
      const refused = await api.post(path, body)
      expectFailure(refused, { status: 422, code: 'validation_failed', field })
      expect(refused.json.fields[field][0]).toMatch(/"(state|title)"/)
    }
    const arabic = await ask(body, { headers: { ln: 'ar' } })
    expect(arabic.json.fields[field][0]).toContain('الاسم السابق')
    expect(await work.runs(1, 2, 3)).toEqual([0, 0, 0])
  })

  it('holds beside the present one in a list, as two conditions', async () => {
    const filters = [
      { field: 'status', value: 'done' },
      { field: 'state', value: 'open' },
    ]
    expect((await ask({ filters })).json.pagination.total).toBe(0)
  })

  it('is said in the headers of refusals as well', async () => {
    const refused = await ask({ filters: { status: 'nothing' } })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'filters.state' })
    expect(dates(refused)).toEqual(deprecated)
    const twice = await ask({ filters: { status: 'done', state: 'open' } })
    expect([twice.status, dates(twice)]).toEqual([422, deprecated])
    expect(dates(await api.post('row-table-action/renamed_orders/poke_it/404'))).toEqual(deprecated)
    expect(dates(await ask({ filters: { state: 'nothing' } }))).toEqual(none)
  })

  it('adds nothing where it is only a value, or a request has none', async () => {
    expect(dates(await ask({ search: 'status name' }))).toEqual(none)
    expect(dates(await ask({}))).toEqual(none)
  })

  it.each([
    ['filters', 'status'],
    ['sorts', ['name']],
    ['filter_groups', { any: [{ field: ['status'] }] }],
    ['columns.0', [['name']]],
  ])('is not looked for in %s that cannot be read: %j', async (field, value) => {
    const response = await ask({ [field.replace('.0', '')]: value, search: 'status' })
    expect(response.status).toBe(422)
  })
})

describe('a former name elsewhere', () => {
  it('is read from the query of load-table', async () => {
    const query = `filter_groups=${encodeURIComponent('{"all":[{"field":"status","value":"done"}]}')}`
    const response = await api.get(`load-table/renamed_orders/true?${query}`)
    expect(response.json.pagination.total).toBe(4)
    expect(dates(response)).toEqual(deprecated)
  })

  it('stands in the URL of an action on one row, on several and in the toolbar', async () => {
    const one = await api.post('row-table-action/renamed_orders/poke_it/1')
    const several = await api.post('row-bulk-table-action/renamed_orders/Poke it', { selected_ids: [1, 2] })
    const all = await api.post('bulk-table-action/renamed_orders/poke_all', {
      filters: { status: 'done' },
      expected_count: 4,
    })
    expect([one.status, several.status, all.status]).toEqual([200, 200, 200])
    expect(await work.runs(1, 2, 3)).toEqual([2, 1, 0])
    expect([one, several, all].map(dates)).toEqual([deprecated, deprecated, deprecated])
    expectFailure(await api.post('bulk-table-action/renamed_orders/poke_it'), {
      status: 422,
      code: 'action_not_defined',
    })
  })

  it('names the cells of update_cells', async () => {
    const cells = { price: '77' }
    const one = await api.post('row-table-action/renamed_orders/update_cells/1', { cells })
    const several = await api.post('row-bulk-table-action/renamed_orders/update_cells', { cells, selected_ids: [2] })
    expect([one.status, several.status]).toEqual([200, 200])
    expect(dates(one)).toEqual(['@1772323200', 'Wed, 01 Jul 2026 00:00:00 GMT'])
    const rows = await work.sql`select amount::float8 as amount from orders where id in (1, 2)`
    expect(rows.map(({ amount }) => amount)).toEqual([77, 77])
    const both = await api.post('row-table-action/renamed_orders/update_cells/1', { cells: { price: 1, amount: 2 } })
    expectFailure(both, { status: 422, code: 'validation_failed', field: 'cells.price' })
  })

  it.each([
    ['an action on one row', 'row-table-action/renamed_orders/close/1', {}],
    ['an action on several rows', 'row-bulk-table-action/renamed_orders/close', { selected_ids: [1] }],
    ['an action of the toolbar', 'bulk-table-action/renamed_orders/close_all', { selected_ids: [1] }],
    ['update_cells', 'row-table-action/renamed_orders/update_cells/1', { cells: { state: 'done' } }],
  ])('describes the page on which the effects of %s show', async (_, path, body) => {
    const page = { include: ['effects'], columns: ['name'] }
    const left = await api.post(path, { ...body, ...page, filters: [{ field: 'status', value: 'open' }] })
    expect(left.json.effects).toMatchObject({ rows: [], removed: [1] })
    expect(dates(left)).toEqual(deprecated)
    const stays = await api.post(path, { ...body, ...page, filters: [{ field: 'status', value: 'done' }] })
    expect(stays.json.effects).toMatchObject({ rows: [{ id: 1, name: 'Order 1' }], removed: [] })
  })

  it('is a text of the author’s in a field of a form', async () => {
    const form = { search: { columns: ['name'] } }
    const { json } = await api.post('row-table-action/renamed_orders/label/1', { ...form, include: ['effects'] })
    expect([json.data.search, json.effects.removed]).toEqual([form.search, []])
  })

  it('stands in the structure beside what it names now, where the caller sees that', async () => {
    const { json } = await api.get('load-table/renamed_orders')
    const names = (parts: readonly { formerly?: { name: string } }[]) => parts.map(({ formerly: own }) => own?.name)
    expect(names(json.columns).slice(0, 3)).toEqual([undefined, 'name', 'price'])
    expect(json.columns[1].formerly).toEqual({ name: 'name', since, sunset })
    expect(names(json.filters)).toEqual(['status', 'deadline_from', 'deadline_to'])
    expect(json.rowActions.touch.formerly).toEqual({ name: 'poke_it', since, sunset })
    expect(names(json.bulkActions)).toEqual(expect.arrayContaining(['poke_all', 'old_list']))
    const { json: page } = await api.get('load-table/renamed_orders/true')
    expect(page.data[0].row.actions.touch.formerly).toBeUndefined()
  })

  it('works in the columns, sorts and filters of an export', async () => {
    const body = { columns: ['name', 'id'], sorts: { name: 'desc' }, filters: { status: 'done' } }
    const response = await api.post('bulk-table-action/renamed_orders/old_list', body)
    expect(
      response.text
        .split(/\r?\n/)
        .map((line: string) => line.replace('\ufeff', ''))
        .slice(0, 2),
    ).toEqual(['Title,ID', '"Order 9",9'])
    expect(dates(response)).toEqual(deprecated)
  })

  it('goes on in a saved view, which is listed with the present names', async () => {
    const query = {
      filters: [{ field: 'state', operator: '=', value: 'done' }],
      sorts: [{ field: 'title', direction: 'desc' }],
    }
    const { json } = await old.post('views/renamed_orders', { name: 'Done', query })
    await work.sql`update table_control.views set query = replace(replace(query::text, '"state"', '"status"'), '"title"', '"name"')::jsonb`
    const page = await ask({ view: json.view.id })
    expect(listIds(page)).toEqual([9, 12, 11, 10])
    expect(dates(page)).toEqual(deprecated)
    const reading = `load-table/renamed_orders/true?view=${json.view.id}&columns=["nothing"]`
    for (const refused of [await ask({ view: json.view.id, columns: ['nothing'] }), await api.get(reading)])
      expect([refused.status, dates(refused)]).toEqual([422, deprecated])
    const listed = await api.get('views/renamed_orders')
    expect(listed.json.items[0].query).toEqual(query)
    expect(dates(listed)).toEqual(none)
    const saved = await api.post('views/renamed_orders', {
      name: 'Again',
      query: { filters: [{ field: 'status', operator: '=', value: 'done' }] },
    })
    expect(saved.json.view.query.filters[0].field).toBe('state')
  })
})

describe('a former name of a table file', () => {
  const define = (parts: object) =>
    createRegistry(
      [defineFixture({ ...base, columns: { id: { label: 'ID' }, title: { label: 'Title' } }, ...parts } as never)],
      { claims: fixtureClaims },
    )
  const createTitle = (settings: object) => ({
    columns: { id: { label: 'ID' }, title: { label: 'Title', ...settings } },
  })

  it.each([
    ['that is a column', createTitle(formerly('id')), 'the former name "id" of the column "title" is in use already'],
    [
      'that two columns have',
      { columns: { id: { label: 'ID', ...formerly('x') }, title: { label: 'Title', ...formerly('x') } } },
      'the former name "x" of the column "title" is in use already',
    ],
    [
      'that is an end of a date filter',
      {
        filters: {
          due: { type: 'date', label: 'Due' },
          state: { type: 'text', label: 'State', ...formerly('due_to') },
        },
      },
      'the former name "due_to" of the filter "state" is in use already',
    ],
    [
      'that is an action',
      { rowActions: { touch: { run: () => {}, ...formerly('Show Details') } } },
      'the former name "show_details" of the row action "touch" is in use already',
    ],
    [
      'without a name',
      createTitle({ formerly: { since, sunset } }),
      'columns.title.formerly must be {name, since, sunset}',
    ],
    ['without a sunset', createTitle({ formerly: { name: 'x', since } }), 'columns.title.formerly must be'],
    [
      'whose day is none',
      createTitle(formerly('x', { since: '2026-02-30', sunset })),
      'columns.title.formerly must be',
    ],
    [
      'whose sunset comes first',
      createTitle(formerly('x', { since: sunset, sunset: since })),
      'columns.title.formerly must be',
    ],
    ['that is no object', createTitle({ formerly: 'x' }), 'columns.title.formerly must be'],
  ])('%s is refused before the table is served', (_, parts, text) => {
    expect(() => define(parts)).toThrow(text)
  })
})
