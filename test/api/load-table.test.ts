import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { publicUrl, startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { northRows } from '../support/fixtures/fixture-rows.ts'

const api = await startFixtureApi()

const structure = async (table: string) => (await api.get(`load-table/${table}`)).json

const plainFilters = [
  ...['name', 'category', 'stock', 'active'],
  ...['made_on_from', 'made_on_to', 'sold_at_from', 'sold_at_to', 'supplier'],
]

describe('the structure of a table', () => {
  it('has every field of the table resource, of its type', async () => {
    const { status, json } = await api.get('load-table/products')
    expect(status).toBe(200)
    expect(json).toMatchObject({
      success: true,
      tableName: 'products',
      columns: expect.any(Array),
      filters: expect.any(Array),
      advancedFilters: expect.any(Array),
      rowActions: expect.any(Object),
      bulkActions: expect.any(Array),
      sortables: expect.any(Array),
      defSortCol: 'name',
      defSortDir: 'desc',
    })
    expect(json.rowActions).not.toBeInstanceOf(Array)
  })

  it('a table without columns has success and an empty list of columns', async () => {
    const json = await structure('bare')
    expect(json).toMatchObject({ success: true, columns: [], filters: [], advancedFilters: [], sortables: [] })
  })

  it('defSortCol and defSortDir are there where the author set none: the key, ascending', async () => {
    expect(await structure('bare')).toMatchObject({ defSortCol: 'id', defSortDir: 'asc' })
  })

  it('lists as sortables only what the author allows', async () => {
    const { sortables, columns } = await structure('products')
    expect(sortables).toEqual(columns.filter((column: { sortable: boolean }) => column.sortable).map(dataSrc))
    expect(sortables).not.toContain('note')
  })

  it('repeats advanced filters, flagged, among the filters, for clients that read one list', async () => {
    const { filters, advancedFilters } = await structure('products')
    expect(filters.slice(0, plainFilters.length).map(filterName)).toEqual(plainFilters)
    expect(advancedFilters.map(filterName)).toContain('country_name')
    const flagged = advancedFilters.map((entry: object) => ({ ...entry, advanced: true }))
    expect(filters.slice(plainFilters.length)).toEqual(flagged)
  })

  it('keeps advanced filters apart from filters with ADVANCED_FILTERS=separate', async () => {
    const { json } = await api.variant({ ADVANCED_FILTERS: 'separate' }).get('load-table/products')
    expect(json.filters.map(filterName)).toEqual(plainFilters)
    expect(json.advancedFilters).toEqual((await structure('products')).advancedFilters)
  })

  it('a table is addressed by its registered name, in any script', async () => {
    const { json } = await api.get(`load-table/${encodeURIComponent('جدول')}`)
    expect(json).toMatchObject({ success: true, tableName: 'جدول' })
    expect(json.rowActions.show_details.action.api).toBe(
      `${publicUrl}/api/api-table/control-tables/row-table-action/${encodeURIComponent('جدول')}/show_details`,
    )
  })
})

const dataSrc = (column: { data_src: string }) => column.data_src
const filterName = (filter: { filter_name: string }) => filter.filter_name

describe('withData', () => {
  it.each(['', '/false', '/0'])('"load-table/products%s" carries no rows', async (suffix) => {
    const { status, json } = await api.get(`load-table/products${suffix}`)
    expect(status).toBe(200)
    for (const key of ['data', 'bindings', 'pagination', 'items']) expect(json).not.toHaveProperty(key)
  })

  it.each(['/true', '/1'])('"load-table/products%s" adds the first page and bindings', async (suffix) => {
    const [loaded, queried] = await Promise.all([
      api.get(`load-table/products${suffix}`),
      api.post('query-table/products'),
    ])
    expect(loaded.json.data).toEqual(queried.json.items)
    expect(loaded.json.data).toHaveLength(20)
    expect(loaded.json.bindings).toEqual(queried.json.bindings)
  })

  it('withData adds the pagination too', async () => {
    const { json } = await api.get('load-table/products/true')
    expect(json.pagination).toMatchObject({ current_page: 1, per_page: 20, total: northRows.length, last_page: 2 })
  })

  it('the rest of the structure is the same with and without rows', async () => {
    const { data: _, bindings: __, pagination: ___, ...rest } = (await api.get('load-table/products/true')).json
    expect(rest).toEqual(await structure('products'))
  })

  it.each(['TRUE', 'True', 'FALSE', 'yes', 'no', 'on', '2', '-1', '01', 'null', 'undefined', 'true false', '%00'])(
    'withData "%s" is 422 naming withData',
    async (spelling) => {
      expectFailure(await api.get(`load-table/products/${spelling}`), {
        status: 422,
        code: 'validation_failed',
        field: 'withData',
      })
    },
  )
})

it.each(['Products', 'PRODUCTS', 'product', 'products ', '__proto__', 'constructor', 'toString'])(
  'answers 404 with the documented message for "%s", which is no registered table',
  async (name) => {
    const response = await api.get(`load-table/${encodeURIComponent(name)}`)
    expectFailure(response, { status: 404, code: 'table_not_found' })
    expect(response.json.errors[0]).toBe(`Required ${name} Table Not Exists`)
  },
)
