import * as fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { guardBasePath } from '../../lib/routes.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { anyText } from '../support/requests/any-text.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startWorkApi({ QUEUE_URL: 'http://127.0.0.1:9/queue' })
beforeEach(() => api.reset())

type Json = ApiResponse['json']

const table = 'scoped_orders'
const page = async (params: unknown): Promise<Json> => (await api.post(`query-table/${table}`, { params })).json
const structure = async (query: string): Promise<Json> => (await api.get(`load-table/${table}${query}`)).json
const tail = (url: string) => url.split('/row-table-action/').at(-1)
/** Calls an action's URL as the existing client does: without params of its own. */
const run = (url: string, body: object = { selected_ids: [] }) => {
  const { pathname, search } = new URL(url, publicUrl)
  return api.request({ method: 'POST', path: pathname + search, body })
}
const readTouched = async () =>
  (await api.sql`select id from orders where runs > 0 order by id`).map(({ id }) => Number(id))
const bulk = (json: Json, key: string) =>
  json.bulkActions.find((action: { action_key: string }) => action.action_key === key).action.api

describe('the URLs of actions', () => {
  it('carry the params of the structure as flat query keys', async () => {
    const { rowActions, bulkActions } = await structure('?state=done&warehouse=main')
    const base = `${publicUrl}${guardBasePath('api')}`
    const query = '?state=done&warehouse=main'
    expect(rowActions.count.action.api).toBe(`${base}/row-table-action/${table}/count${query}`)
    expect(rowActions.count.bulk_actions_url.api).toBe(`${base}/row-bulk-table-action/${table}/count${query}`)
    for (const { action } of [...Object.values<Json>(rowActions), ...bulkActions]) {
      expect(action.api).toMatch(/\?state=done&warehouse=main$/)
      expect(action.web).toBe(action.api.replace('/api', ''))
    }
  })

  it('carry the params of the page in every row, behind its id', async () => {
    const { items } = await page({ state: 'done' })
    expect(items).toHaveLength(4)
    for (const { id, actions, row } of items) {
      expect(row.actions).toEqual(actions)
      expect(tail(actions.count.action.api)).toBe(`${table}/count/${id}?state=done`)
      expect(tail(actions.count.action.web)).toBe(`${table}/count/${id}?state=done`)
      expect(actions.count.bulk_actions_url.web).toMatch(/count\?state=done$/)
    }
  })

  it('have no query where the request has no params, or the table takes none', async () => {
    for (const asked of [`query-table/${table}`, 'query-table/orders?state=done', 'row-refetch/orders/1?state=done'])
      expect((await api.post(asked, {})).text).not.toMatch(/-action[^"]*\?/)
    expect((await api.get('load-table/orders?state=done')).text).not.toMatch(/-action[^"]*\?/)
  })

  it('carry the params of each response that has rows', async () => {
    const params = { state: 'done' }
    const one = (await api.post(`row-refetch/${table}/9`, { params })).json.data.row
    const many = (await api.post(`multi-row-refetch/${table}?state=done`, { row_ids: [9] })).json.items[0]
    const first = (await api.get(`load-table/${table}/true?state=done`)).json.data[0]
    const queried = (await page(params)).items[0]
    for (const item of [one, many, first]) expect(item.actions).toEqual(queried.actions)
    const changed = (await run(queried.actions.count.action.api)).json.data.row
    expect(changed.actions).toEqual(queried.actions)
  })

  it('carry the params in the template of their URLs', async () => {
    const { rowActions } = await structure('?state=done')
    const { items } = (await api.post(`query-table/${table}`, { params: { state: 'done' }, row_actions: 'keys' })).json
    const url = rowActions.count.url_template.api.replace('{id}', items[0].row.path_id)
    expect(tail(url)).toBe(`${table}/count/${items[0].id}?state=done`)
  })

  it('carry the params into the second step of a form', async () => {
    const { items } = await page({ state: 'done', step: 'submit' })
    const form = (await run(items[0].actions.note.action.api)).json
    expect(form).toMatchObject({ payload: { values: {} } })
    const { json } = await run(form.url, { title: 'Noted' })
    expect(json).toMatchObject({
      success: true,
      data: { row: { title: 'Noted' } },
      seen: { state: 'done', step: 'submit' },
    })
  })

  it('are no part of redirects, whose author decides with the params at hand', async () => {
    const { items } = await page({ state: 'done' })
    const routes = { api: '/orders/9?state=done', web: '/orders/9?state=done' }
    expect(items[0].actions.open.redirect_routes).toEqual(routes)
    expect((await run(items[0].actions.open.action.api)).json.redirect_routes).toEqual(routes)
  })

  it('answer 422 where the params fit into no URL', async () => {
    const params = { label: 'x'.repeat(4_090) }
    expect((await page(params)).items).toHaveLength(12)
    const longer = { label: 'x'.repeat(4_091) }
    const failure = { status: 422, code: 'validation_failed', field: 'params' }
    expectFailure(await api.post(`query-table/${table}`, { params: longer }), failure)
    expectFailure(await api.get(`load-table/${table}?label=${longer.label}`), failure)
    expectFailure(await api.post(`row-table-action/${table}/count/1`, { params: longer }), failure)
    expect(await readTouched()).toEqual([])
    expect((await api.post(`bulk-table-action/${table}/touch`, { params: longer })).status).toBe(200)
  })
})

describe('an action that is called by its URL alone', () => {
  it.each([
    ['a text', { state: 'done' }],
    ['Arabic text', { state: 'done', label: 'مستودع الرياض الرئيسي' }],
    ['characters that URLs give a meaning', { state: 'done', label: 'a&b=c?d#e/f%20+ "\'<>\\' }],
    ['a number that its schema reads out of a text', { id: 9 }],
    ['a number that its schema does not', { id: 9, whole: 5 }],
    ['a list', { ids: [9, 10] }],
    ['an object', { state: 'done', nested: { depth: { of: [1, null, 'عمق'] } } }],
    ['null, true and nothing', { state: 'done', none: null, yes: true, empty: '' }],
    [
      'keys that have a meaning of their own',
      { state: 'done', params: 'p', 'params[x]': 'y', step: 'submit', '': 'z' },
    ],
  ])('has the params of its page: %s', async (_, params) => {
    const { items } = await page(params)
    const response = await run(items[0].actions.count.action.api)
    expect(response.status, response.text).toBe(200)
    expect(response.json.seen).toEqual(JSON.parse(items[0].seen))
    expect(JSON.parse(response.json.data.row.seen)).toEqual(JSON.parse(items[0].seen))
  })

  it('has any params that its page had', async () => {
    const params = fc
      .dictionary(anyText({ maxLength: 20 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })
      // A null character is refused.
      .filter((any) => !JSON.stringify(any).includes('\\u0000'))
    await fc.assert(
      fc.asyncProperty(params, async (any) => {
        const asked = { ...JSON.parse(JSON.stringify(any)), state: 'done' }
        for (const key of ['id', 'ids', 'whole', 'step']) delete asked[key]
        const { items } = await page(asked)
        const { json } = await api.post(
          new URL(items[0].actions.count.action.api).href.split('/control-tables/')[1] ?? '',
        )
        expect(JSON.parse(json.data?.row.seen)).toEqual(JSON.parse(items[0].seen))
      }),
      { numRuns: 60 },
    )
  })

  it('reads keys such as __proto__ as data', async () => {
    const { json } = await api.post(
      `query-table/${table}`,
      '{"params": {"__proto__": {"x": 1}, "constructor": "c", "state": "done"}}',
    )
    const url = json.items[0].actions.count.action.api
    expect(new URL(url).searchParams.get('params')).toBe('{"__proto__":{"x":1}}')
    expect((await run(url)).json.seen).toEqual({ state: 'done', constructor: 'c' })
    const flat = await api.get(`load-table/${table}?__proto__=1&state=done`)
    expect(flat.json.rowActions.count.action.api).toMatch(/\?__proto__=1&state=done$/)
    expect({}).not.toHaveProperty('x')
  })

  it('runs on no row that its page does not show', async () => {
    const { bulkActions, rowActions } = await structure('?state=done')
    await run(bulk({ bulkActions }, 'touch'), { filters: {}, selected_ids: [] })
    expect(await readTouched()).toEqual([9, 10, 11, 12])
    await api.reset()
    await run(bulk({ bulkActions }, 'touch'), { filters: {}, selected_ids: [8, 9] })
    const several = await run(rowActions.count.bulk_actions_url.api, { selected_ids: [1, 10] })
    expect(several.json).toMatchObject({ counts: { succeeded: 1, failed: 1 }, items: [{ id: 10 }] })
    const single = await run(rowActions.count.action.api.replace('count?', 'count/2?'))
    expectFailure(single, { status: 404, code: 'row_not_found' })
    expect(await readTouched()).toEqual([9, 10])
  })

  it('takes each key of params from the body if the URL differs', async () => {
    const { items } = await page({ state: 'open', label: 'kept' })
    const url = items[0].actions.count.action.api.replace('/1?', '/9?')
    expectFailure(await run(url), { status: 404, code: 'row_not_found' })
    expectFailure(await run(url, { params: {} }), { status: 404, code: 'row_not_found' })
    expect((await run(url, { params: { state: 'done' } })).json.seen).toEqual({ state: 'done', label: 'kept' })
  })

  it('refuses params that its table does not take, as from a body', async () => {
    for (const path of ['row-table-action', 'row-bulk-table-action'])
      expectFailure(
        await run(`${guardBasePath('api')}/${path}/${table}/count${path.includes('bulk') ? '' : '/1'}?id=x`),
        {
          status: 422,
          code: 'validation_failed',
          field: 'params.id',
        },
      )
    const url = `${guardBasePath('api')}/bulk-table-action/${table}/touch?params=[1]`
    expectFailure(await run(url), { status: 422, code: 'validation_failed', field: 'params' })
  })

  it('hands its params to the job that it becomes', async () => {
    const json = await structure('?state=done')
    await run(bulk(json, 'touch_later'), { selected_ids: [] })
    const [job] = await api.sql`select request, total from table_control.jobs`
    expect(job).toEqual({ request: { selected_ids: [], params: { state: 'done' } }, total: 4 })
  })
})
