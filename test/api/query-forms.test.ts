import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { listIds, selectedIds } from '../support/fixtures/list-ids.ts'

const api = await startFixtureApi()

const hammers = [1, 2]

describe('forms of filters, all meaning the same', () => {
  const listed = { operator: 'like', value: 'HAMMER' }
  it.each([
    ['a list with field', [{ field: 'name', ...listed }]],
    ['a list with filter_name', [{ filter_name: 'name', ...listed }]],
    ['a list with key', [{ key: 'name', ...listed }]],
    ['field before filter_name before key', [{ field: 'name', filter_name: 'stock', key: 'note', ...listed }]],
    ['filter_name before key', [{ filter_name: 'name', key: 'note', ...listed }]],
    ['an object keyed by filter name', { name: listed }],
    ['key before the object’s key', { '0': { key: 'name', ...listed } }],
    [
      'the client’s whole entry',
      { name: { key: 'name', type: 'text', label: 'Name', loadIf: true, props: {}, ...listed } },
    ],
    ['operator of props', { name: { value: 'HAMMER', props: { operators: ['like', '='] } } }],
    ['operator before that of props', { name: { ...listed, props: { operators: ['='] } } }],
    ['the filter’s first operator', { name_any: { value: 'HAMMER' } }],
    ['the filter’s first operator in a list', [{ field: 'name_any', value: 'HAMMER' }]],
    ['a value alone', { name_any: 'HAMMER' }],
  ])('%s', async (_, filters) => {
    expect(await selectedIds(api, 'products', filters)).toEqual(hammers)
  })

  it.each([undefined, null, [], {}])('%j is no filter', async (filters) => {
    expect(await selectedIds(api, 'products', filters)).toHaveLength(22)
  })

  it.each([
    ['name', 'filters'],
    [5, 'filters'],
    [true, 'filters'],
    [['name'], 'filters.0.field'],
    [[null], 'filters.0.field'],
    [[[]], 'filters.0.field'],
    [[{}], 'filters.0.field'],
    [[{ operator: '=', value: 1 }], 'filters.0.field'],
    [[{ field: 5, value: 1 }], 'filters.0.field'],
    [[{ field: { name: 1 }, value: 1 }], 'filters.0.field'],
    [{ name: null }, 'filters.name'],
    [{ name: {} }, 'filters.name'],
    [[{ field: 'name' }], 'filters.name'],
  ])('%j is neither form, which is 422 naming it', async (filters, field) => {
    const response = await api.post('query-table/products', { filters })
    expectFailure(response, { status: 422, code: 'validation_failed', field })
  })
})

describe('forms of sorts, all meaning the same', () => {
  it.each([
    ['a list', [{ field: 'stock', direction: 'desc' }]],
    ['one object with the field as an extra key', { label: 'Stock', direction: 'desc', stock: 'desc' }],
    ['its direction alone', { label: 'Stock', direction: 'desc', stock: '' }],
    ['its extra key alone', { stock: 'desc' }],
    ['one object of field and direction', { field: 'stock', direction: 'desc' }],
  ])('%s', async (_, sorts) => {
    const ids = listIds(await api.post('query-table/products', { sorts, perPage: 3 }))
    expect(ids).toEqual([13, 4, 3])
  })
})

describe('contract: request keys that the server does not know', () => {
  it('are ignored, such as the junk keys of the client', async () => {
    const junk = { '0': 'x', '1': { y: 1 }, selected_ids: 'not even a list', __proto__x: 1, constructor: 1 }
    const [plain, withJunk] = await Promise.all([
      api.post('query-table/products', { perPage: 3 }),
      api.post('query-table/products', { perPage: 3, ...junk }),
    ])
    expect(withJunk.json).toEqual(plain.json)
  })

  it('are never prototypes', async () => {
    const body = '{"__proto__": {"perPage": 1, "polluted": true}, "constructor": {"prototype": {"page": 9}}}'
    const { json } = await api.post('query-table/products', body)
    expect(json.pagination).toMatchObject({ current_page: 1, per_page: 20 })
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('unknown filters', () => {
  it.each([
    'nothing',
    'Name',
    'name ',
    'tenant',
    'supplier__name',
    'made_on',
    '__proto__',
    'constructor',
    'toString',
    "' or 1=1 --",
    '',
  ])('a filter "%s" is left out, with a warning that names it', async (field) => {
    const { status, json } = await api.post('query-table/products', { filters: [{ field, operator: '=', value: 'x' }] })
    expect(status).toBe(200)
    expect(json.pagination.total).toBe(22)
    expect(json.warnings).toEqual([{ code: 'unknown_filter', field }])
  })

  it('are named in the object form too, also as __proto__', async () => {
    const { json } = await api.post(
      'query-table/products',
      '{"filters": {"__proto__": {"value": 1}, "nothing": {"value": 1}}}',
    )
    expect(json.warnings.map((warning: { field: string }) => warning.field)).toEqual(['__proto__', 'nothing'])
  })

  it('leave the known ones in force', async () => {
    const filters = [
      { field: 'nothing', value: 1 },
      { field: 'stock', value: 7 },
    ]
    const response = await api.post('query-table/products', { filters })
    expect(listIds(response)).toEqual([8])
    expect(response.json.warnings).toHaveLength(1)
  })

  it('do not echo more than a name’s worth of text', async () => {
    const body = { perPage: 1, filters: [{ field: 'x'.repeat(100_000), value: 1 }] }
    const { warnings } = (await api.post('query-table/products', body)).json
    expect(warnings).toEqual([{ code: 'unknown_filter', field: 'x'.repeat(100) }])
  })

  it.each([
    ['next_cursor', 'cursor', 'abc'],
    ['per_page', 'perPage', 1],
    ['current_page', 'page', 2],
    ['limit', 'perPage', 1],
    ['pageSize', 'perPage', 1],
    ['filter', 'filters', []],
    ['sort', 'sorts', []],
  ])('are not the only ones that get a hint: %s was meant to be %s', async (field, meant, value) => {
    const asked = { page: 1, perPage: 3, cursor: undefined, [meant]: undefined, [field]: value }
    const { status, json } = await api.post('query-table/products', asked)
    expect(status).toBe(200)
    expect(json.pagination.current_page).toBe(1)
    expect(json.warnings).toEqual([{ code: 'unknown_key', field, meant }])
  })

  it('give no warning for a misspelt key beside the right one, for null, or for a key of the client’s own', async () => {
    const body = { page: 1, current_page: 2, perPage: 1, per_page: 5, next_cursor: null, selected: [], mode: 'server' }
    expect((await api.post('query-table/products', body)).json).not.toHaveProperty('warnings')
  })

  it('warnings are absent where there are none', async () => {
    expect((await api.post('query-table/products', { perPage: 1 })).json).not.toHaveProperty('warnings')
  })
})
