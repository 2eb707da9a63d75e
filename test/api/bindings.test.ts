import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { south } from '../support/fixtures/identities.ts'

const api = await startFixtureApi()

const bindings = async (body: object, options = {}) =>
  (await api.post('query-table/products', body, options)).json.bindings
const listSeen = async (body: object, options = {}) => JSON.parse((await bindings(body, options)).seen[0].label)

describe('bindings', () => {
  it('are lists of { value, label } by field name', async () => {
    expect((await bindings({})).supplier).toEqual([
      { value: 1, label: 'Acme' },
      { value: 2, label: 'مؤسسة النور' },
      { value: 3, label: 'Nowhere Ltd' },
      { value: 4, label: 'Acme Orient' },
    ])
  })

  it('can change with each query, such as those of a dependent dropdown', async () => {
    const { supplier } = await bindings({ filters: [{ field: 'country', value: 'FR' }] })
    expect(supplier).toEqual([{ value: 1, label: 'Acme' }])
  })

  it.each(['bare', 'tasks', 'ledger'])('are an empty object where %s provides none', async (table) => {
    expect((await api.post(`query-table/${table}`)).json.bindings).toEqual({})
    expect((await api.get(`load-table/${table}/true`)).json.bindings).toEqual({})
  })

  it('see the filters as they were read, in every form of the request', async () => {
    const expected = {
      stock: { operator: '>=', value: '5' },
      active: { operator: '=', value: true },
      categories: { operator: 'in', value: ['tool', 'toy'] },
      sold_at_from: { operator: '>=', value: { from: '2026-01-01' } },
    }
    const listed = [
      { field: 'stock', operator: '>=', value: 5 },
      { field: 'active', value: '1' },
      { field: 'categories', value: 'tool,toy' },
      { field: 'sold_at_from', value: { from: '01-01-2026', to: '' } },
    ]
    expect((await listSeen({ filters: listed })).filters).toEqual(expected)
    expect(
      (await listSeen({ filters: Object.fromEntries(listed.map(({ field, ...entry }) => [field, entry])) })).filters,
    ).toEqual(expected)
  })

  it('do not see keys that name no filter', async () => {
    expect(
      (
        await listSeen({
          filters: [
            { field: 'tenant', value: 'south' },
            { field: '__proto__', value: 1 },
          ],
        })
      ).filters,
    ).toEqual({})
  })

  it('see the caller, the guard and the language', async () => {
    expect(await listSeen({}, { guard: 'web', headers: { ln: 'ar' } })).toMatchObject({ guard: 'web', language: 'ar' })
    expect((await bindings({}, { as: south })).seen[0].value).toBe(south.sub)
  })

  it('see params', async () => {
    const { json } = await api.post('query-table/stocked', { params: { min_stock: '50', warehouse: 'main' } })
    expect(JSON.parse(json.bindings.echo[0].label)).toEqual({ min_stock: 50, warehouse: 'main' })
  })
})
