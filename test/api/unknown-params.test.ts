import { eq, gt } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { and, createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, oneMore, orderColumns } from '../support/fixtures/orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'

const api = await startDeliveringApi()
beforeEach(() => api.reset())

const shape = { state: z.string().optional(), warehouse: z.string().optional() }

const narrow = (name: string, params: z.ZodType<{ state?: string | undefined }>) =>
  defineFixture({
    ...ofOrders,
    name,
    params,
    scope: ({ identity, params: { state } }) =>
      and(ofOrders.scope({ identity }), state === undefined ? undefined : eq(orders.state, state)),
    columns: orderColumns,
    filters: { title: { label: 'Title', type: 'text' } },
    rowActions: {
      count: { bulk: true, run: ({ db }) => db.update(orders).set({ runs: oneMore }).where(gt(orders.id, 0)) },
    },
    bulkActions: {
      touch: { run: ({ db }) => db.update(orders).set({ runs: oneMore }).where(gt(orders.id, 0)) },
      touch_later: { response: 'websocket', run: () => {} },
      export_now: { export: 'csv' },
    },
  })

const registry = createRegistry(
  [
    narrow('plain', z.object(shape)),
    narrow('wrapped', z.object(shape).optional().default({}).readonly()),
    narrow('joined', z.intersection(z.object({ state: shape.state }), z.object({ warehouse: shape.warehouse }))),
    narrow('either', z.union([z.object({ state: z.string() }), z.object(shape)])),
    narrow('loose', z.looseObject(shape)),
    narrow(
      'other',
      z.preprocess((sent) => ({ state: Reflect.get(Object(sent), 'status') }), z.object(shape)),
    ),
    defineFixture({
      ...ofOrders,
      name: 'without',
      columns: orderColumns,
      bulkActions: { touch: { run: () => {} }, export_now: { export: 'csv' } },
    }),
  ],
  { claims: fixtureClaims },
)
const tables = api.variant({}, registry)
const runs = async () => (await api.sql`select sum(runs)::int as sum from orders`)[0]?.['sum']

describe('a param of a body that the table does not take', () => {
  it.each([
    ['bulk-table-action/plain/touch', {}],
    ['bulk-table-action/plain/touch', { selected_ids: [2] }],
    ['bulk-table-action/plain/touch', { dry_run: true }],
    ['bulk-table-action/plain/touch_later', {}],
    ['bulk-table-action/plain/export_now', {}],
    ['row-bulk-table-action/plain/count', { selected_ids: [2] }],
    ['row-table-action/plain/count/2', { selected_ids: [2, 3] }],
    ['bulk-table-action/wrapped/touch', {}],
    ['bulk-table-action/joined/touch', {}],
    ['bulk-table-action/either/touch', {}],
  ])('is refused by an action on several rows: %s %j', async (path, body) => {
    const response = await tables.post(path, { ...body, params: { stat: 'done' } })
    expectFailure(response, { status: 422, code: 'validation_failed' })
    expect(response.json.fields).toEqual({ 'params.stat': ['is not known here; use state'] })
    expect(response.json.errors[1]).toBe('params.stat: غير معروف هنا؛ استخدم state')
    expect(await runs()).toBe(0)
  })

  it.each([
    ['plain', { nonsense: 1 }, { 'params.nonsense': ['is not a param of this table'] }],
    ['plain', { title: 'Order 2' }, { 'params.title': ['is not known here; use filters.title'] }],
    ['without', { state: 'done' }, { 'params.state': ['is not a param of this table'] }],
    ['plain', { __proto__x: 1, constructor: 1 }, ['params.__proto__x', 'params.constructor']],
    ['plain', { ['x'.repeat(5_000)]: 1 }, [`params.${'x'.repeat(100)}`]],
    ['plain', Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, 1])), 10],
  ])('is named with what was meant, if anything was: %s %j', async (table, params, expected) => {
    const { fields } = (await tables.post(`bulk-table-action/${table}/touch`, { params })).json
    if (typeof expected === 'number') expect(Object.keys(fields)).toHaveLength(expected)
    else if (Array.isArray(expected)) expect(Object.keys(fields)).toEqual(expected)
    else expect(fields).toEqual(expected)
  })

  it.each([
    ['plain', {}],
    ['plain', { state: 'none', warehouse: 'main' }],
    ['plain', { state: 'none', 0: 'j', 1: 'u' }],
    ['loose', { state: 'none', stat: 'done' }],
    ['other', { status: 'none' }],
  ])('is none of these: %s %j', async (table, params) => {
    expect((await tables.post(`bulk-table-action/${table}/touch`, { params })).status).toBe(200)
  })

  it('is ignored where a page was requested with it, because action URLs repeat the params of their page', async () => {
    for (const query of ['request_id=17', 'params[request_id]=17', 'params={"request_id":17}']) {
      const path = `bulk-table-action/plain/touch?${query}&state=none`
      expect((await tables.post(path, {})).status).toBe(200)
      expect((await tables.post(path, { params: { request_id: 17 } })).status).toBe(200)
    }
    expect(await runs()).toBe(0)
  })

  it('is dropped by query-table with a warning', async () => {
    const query = async (table: string, params: object, url = '') =>
      (await tables.post(`query-table/${table}${url}`, { params })).json
    const { warnings, pagination } = await query('plain', { stat: 'done', nonsense: 1 })
    expect(warnings).toEqual([
      { code: 'unknown_param', field: 'stat', meant: 'state' },
      { code: 'unknown_param', field: 'nonsense' },
    ])
    expect(pagination.total).toBe((await query('plain', {})).pagination.total)
    expect((await query('without', { state: 'done' })).warnings).toEqual([{ code: 'unknown_param', field: 'state' }])
    for (const [table, params, url] of [
      ['plain', {}, '?request_id=17&warehouse=main'],
      ['plain', { state: 'done' }, '?request_id=17'],
      ['loose', { anything: 1 }, ''],
    ] as const)
      expect(await query(table, params, url)).not.toHaveProperty('warnings')
  })

  it('is ignored by an action on the one row of its path', async () => {
    expect((await tables.post('row-table-action/plain/count/2', { params: { stat: 'done' } })).status).toBe(200)
  })
})

describe('the params that are stored with a link or a job', () => {
  const junk = { state: 'open', 0: 'x'.repeat(500_000), 17: 1 }
  const readStored = async () => ({
    links: (await api.sql`select params from table_control.downloads`).map(({ params }) => params),
    jobs: (await api.sql`select request -> 'params' as params from table_control.jobs`).map(({ params }) => params),
  })

  it('are those that the schema of the table reads', async () => {
    for (const action of ['export_now', 'touch_later']) {
      const { status, text } = await tables.post(`bulk-table-action/plain/${action}?request_id=17`, { params: junk })
      expect(status, text).toBe(200)
    }
    expect(await readStored()).toEqual({ links: [{ state: 'open' }], jobs: [{ state: 'open' }] })
  })

  it('are none of a table without params', async () => {
    const response = await tables.post('bulk-table-action/without/export_now', { params: { 0: 'x'.repeat(500_000) } })
    expect(response.status, response.text).toBe(200)
    expect(await readStored()).toMatchObject({ links: [{}] })
  })

  it.each([
    ['plain', { state: 'x'.repeat(5_000) }],
    ['loose', junk],
  ])('are no longer than those of an action URL: %s', async (table, params) => {
    for (const action of ['export_now', 'touch_later']) {
      const response = await tables.post(`bulk-table-action/${table}/${action}`, { params })
      expectFailure(response, { status: 422, code: 'validation_failed', field: 'params' })
    }
    expect(await readStored()).toEqual({ links: [], jobs: [] })
  })
})
