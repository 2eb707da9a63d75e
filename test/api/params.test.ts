import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'

const api = await startFixtureApi()

const post = (params: unknown) => api.post('query-table/stocked', { params })
const load = (query: string) => api.get(`load-table/stocked/true${query}`)
const invalid = (field: string) => ({ status: 422, code: 'validation_failed', field })

describe('params of a body', () => {
  it('are passed on to the table', async () => {
    const { json } = await post({ min_stock: 50 })
    expect(json.pagination.total).toBe(6)
    expect(JSON.parse(json.items[0].echo)).toEqual({ min_stock: 50 })
  })

  it.each([undefined, null, {}])('%j means none, so that the table’s defaults hold', async (params) => {
    expect(JSON.parse((await post(params)).json.items[0].echo)).toEqual({ min_stock: -10 })
  })

  it('unknown keys are dropped, and none of them widens the scope', async () => {
    const params = { min_stock: 0, tenant: 'south', scope: 'all', identity: { claims: { tenant: 'south' } } }
    const { json } = await post(params)
    expect(JSON.parse(json.items[0].echo)).toEqual({ min_stock: 0 })
    for (const item of json.items) expect(item.name).not.toContain('Secret')
  })

  it.each([
    [[], 'params'],
    [['min_stock'], 'params'],
    ['min_stock=5', 'params'],
    [5, 'params'],
    [true, 'params'],
    [{ min_stock: 'many' }, 'params.min_stock'],
    [{ min_stock: {} }, 'params.min_stock'],
    [{ warehouse: 'other' }, 'params.warehouse'],
    [{ warehouse: ['main'] }, 'params.warehouse'],
    [{ nested: 5 }, 'params.nested'],
    [{ nested: { depth: 'deep' } }, 'params.nested.depth'],
  ])('%j is 422 naming %s', async (params, field) => {
    expectFailure(await post(params), invalid(field))
    expectFailure(await api.post('row-refetch/stocked/1', { params }), invalid(field))
    expectFailure(await api.post('multi-row-refetch/stocked', { params, row_ids: [1] }), invalid(field))
  })

  it('prototype names are data', async () => {
    const body = '{"params": {"__proto__": {"min_stock": 50}, "constructor": 1, "min_stock": 1}}'
    const { json } = await api.post('query-table/stocked', body)
    expect(JSON.parse(json.items[0].echo)).toEqual({ min_stock: 1 })
    expect((await api.post('query-table/echo', body)).status).toBe(200)
    expect({}).not.toHaveProperty('min_stock')
  })

  it('a table that takes no params ignores them', async () => {
    expect((await api.post('query-table/products', { params: { anything: 1 } })).json.pagination.total).toBe(22)
  })

  it('text that no database holds never reaches it as a 500', async () => {
    const { status } = await api.post('query-table/echo', { params: { text: '\u0000\ud800' } })
    expect(status).toBeLessThan(500)
  })
})

describe('params of load-table', () => {
  const readEcho = async (query: string) => JSON.parse((await load(query)).json.data[0].echo)

  it.each([
    ['?min_stock=50', { min_stock: 50 }],
    ['?params[min_stock]=50', { min_stock: 50 }],
    ['?params%5Bmin_stock%5D=50', { min_stock: 50 }],
    [`?params=${encodeURIComponent('{"min_stock":50}')}`, { min_stock: 50 }],
    ['?min_stock=1&params[min_stock]=50', { min_stock: 50 }],
    ['?params[min_stock]=50&min_stock=1', { min_stock: 50 }],
    [`?params=${encodeURIComponent('{"min_stock":50}')}&params[min_stock]=1`, { min_stock: 50 }],
    [`?params=${encodeURIComponent('{"warehouse":"main"}')}&min_stock=50`, { min_stock: 50, warehouse: 'main' }],
    ['?min_stock=1&min_stock=50', { min_stock: 50 }],
    ['?min_stock=%35%30', { min_stock: 50 }],
    ['?params_version=7', { min_stock: -10, params_version: '7' }],
    ['?unknown=1', { min_stock: -10 }],
    ['', { min_stock: -10 }],
    ['?', { min_stock: -10 }],
  ])('come from the query: %s', async (query, expected) => {
    expect(await readEcho(query)).toEqual(expected)
  })

  it('come from a JSON body, which wins over the query', async () => {
    const request = (body: unknown) =>
      api.request(
        {
          method: 'GET',
          path: '/api/api-table/control-tables/load-table/stocked/true?min_stock=1&warehouse=main',
          body,
        },
        { as: { sub: 'nora', tenant: 'north' } },
      )
    expect(JSON.parse((await request({ params: { min_stock: 50 } })).json.data[0].echo)).toEqual({
      min_stock: 50,
      warehouse: 'main',
    })
    expectFailure(await request({ params: [1] }), invalid('params'))
    expectFailure(await request('['), { status: 400, code: 'invalid_body' })
  })

  it.each(['[1]', '5', 'null', 'x', '', '{', '"a"'])(
    'params=%s is no JSON object, which is 422 naming params',
    async (text) => {
      expectFailure(await load(`?params=${encodeURIComponent(text)}`), invalid('params'))
    },
  )

  it.each([
    ['?min_stock=many', 'params.min_stock'],
    ['?params[warehouse]=other', 'params.warehouse'],
    ['?nested=5', 'params.nested'],
  ])('%s is 422 naming the key', async (query, field) => {
    expectFailure(await load(query), invalid(field))
  })

  it.each([
    '?__proto__=1',
    '?params[__proto__]=1',
    `?params=${encodeURIComponent('{"__proto__":{"x":1}}')}`,
    '?constructor=1',
    '?params[]=1',
    '?=1',
  ])('keys are data, never prototypes: %s', async (query) => {
    expect((await api.get(`load-table/echo/true${query}`)).status).toBe(200)
    expect({}).not.toHaveProperty('x')
  })
})
