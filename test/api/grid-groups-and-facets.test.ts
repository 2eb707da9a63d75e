import { describe, expect, it } from 'vitest'
import { agGridSetValues } from '../../lib/client/adapters/ag-grid.ts'
import { reactAdminProvider } from '../../lib/client/adapters/react-admin.ts'
import { refineDataProvider } from '../../lib/client/adapters/refine.ts'
import { groupsOfState, rowsOfState, serverFacets } from '../../lib/client/adapters/tanstack-table.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import {
  createAgGridLoader,
  createDataTablesLoader,
  criterion,
  readIds,
  searchBuilder,
  startGridApi,
} from '../support/fixtures/grid-api.ts'
import { createFailure } from '../support/requests/table-clients.ts'

const client = await startGridApi()

describe("AG Grid's row groups", () => {
  const column = (id: string, aggFunc?: string) => ({ id, field: id, displayName: id, aggFunc })
  const groupRequest = (groupKeys: readonly string[], rest: object = {}) => ({
    rowGroupCols: [column('category'), column('active')],
    groupKeys,
    valueCols: [column('stock', 'sum'), column('id', 'count')],
    ...rest,
  })
  const createLoader = (options: object = {}) => createAgGridLoader(client, options)

  it('are counted with their totals, and opened down to their rows', async () => {
    const load = createLoader()
    const sortModel = [
      { colId: 'name', sort: 'desc' },
      { colId: 'ag-Grid-AutoColumn', sort: 'asc' },
    ]
    const { rowData, rowCount, grandTotalData } = await load({
      ...groupRequest([], { sortModel }),
      needsGrandTotal: true,
    })
    expect(rowData).toEqual([
      { id: 'group:["tool"]', category: 'tool', text: 'tool', stock: 17, childCount: 3 },
      { id: 'group:["food"]', category: 'food', text: 'food', stock: 250, childCount: 3 },
      { id: 'group:["toy"]', category: 'toy', text: 'toy', stock: -1, childCount: 3 },
      { id: 'group:[""]', category: '', text: '-', stock: null, childCount: 1 },
    ])
    expect([rowCount, grandTotalData]).toEqual([4, { stock: 266, id: 10 }])
    const { rowData: below } = await createLoader()(groupRequest(['tool']))
    expect(below).toMatchObject([
      { id: 'group:["tool","false"]', active: 'false', childCount: 1 },
      { active: 'true', childCount: 2 },
    ])
    const rows = await load(groupRequest(['tool', 'true'], { sortModel }))
    expect([readIds(rows.rowData), rows.rowCount]).toEqual([[8, 1], 2])
  })

  it('open where the data source has not read their level, also for missing values', async () => {
    expect(readIds((await createLoader()(groupRequest(['food', 'true']))).rowData)).toEqual([3, 4])
    expect(readIds((await createLoader()(groupRequest(['', '']))).rowData)).toEqual([7])
  })

  it('follow the filters and the search', async () => {
    const load = createLoader({ query: () => ({ search: 'hammer' }) })
    const request = { ...groupRequest([]), filterModel: { active: { filterType: 'boolean', type: 'false' } } }
    const { rowData } = await load(request)
    expect(rowData).toMatchObject([{ category: 'tool', childCount: 1 }])
    expect((await load(groupRequest(['tool']))).rowData).toHaveLength(2)
  })

  it('are read in pages from any start row of the grid', async () => {
    const load = createLoader()
    const keys = async (startRow: number, endRow: number, from = load) => {
      const { rowData, rowCount } = await from({ ...groupRequest([]), startRow, endRow })
      return [rowData.map(({ category }: { category: string }) => category), rowCount]
    }
    expect(await keys(0, 2)).toEqual([['tool', 'food'], undefined])
    expect(await keys(2, 4)).toEqual([['toy', ''], 4])
    expect(await keys(3, 6)).toEqual([[''], 4])
    expect(await keys(8, 10, createLoader())).toEqual([[], 8])
  })

  it('are those of days, months or ranges if the data source names buckets', async () => {
    const request = { rowGroupCols: [column('made_on')], groupKeys: [], valueCols: [] }
    const { rowData } = await createLoader({ buckets: { made_on: 'year' } })(request)
    expect(rowData).toMatchObject([
      { made_on: '2024-01-01', text: '2024', childCount: 1 },
      { made_on: '2026-01-01', text: '2026', childCount: 7 },
      { made_on: '', text: '-', childCount: 2 },
    ])
  })

  it.each([
    [
      'a descending order of groups',
      groupRequest([], { sortModel: [{ colId: 'ag-Grid-AutoColumn', sort: 'desc' }] }),
      /descending/,
    ],
    [
      'an order by totals',
      groupRequest([], { sortModel: [{ colId: 'stock', sort: 'asc' }] }),
      /sorted by their totals/,
    ],
    ['the last value of groups', groupRequest([], { valueCols: [column('stock', 'last')] }), /"last" of "stock"/],
    [
      'two totals of one column',
      groupRequest([], { valueCols: [column('stock', 'sum'), { ...column('stock', 'avg'), id: 'stock_1' }] }),
      /two totals.* of "stock"/,
    ],
    ['a total of the grouped column', groupRequest([], { valueCols: [column('category', 'count')] }), /of "category"/],
    ['a group that does not exist', groupRequest(['plant']), /"plant"/],
    ['pivoting', groupRequest([], { pivotMode: true }), /pivoting/],
  ])('refuse %s', async (_, request, message) => {
    const error = await createFailure(createLoader()(request))
    expect([error.code, error.message]).toEqual(['unsupported', expect.stringMatching(message)])
  })
})

describe("the values of AG Grid's set filter", () => {
  const readValues = (colId: string, field = colId) =>
    new Promise<unknown>((success, reject) => {
      const values = agGridSetValues(client, 'shelf', { onError: reject })
      values({ colDef: { colId, field }, column: { getColId: () => colId }, success } as never)
    })

  it.each([
    ['category', ['food', 'tool', 'toy', null]],
    ['active', ['1', '0']],
  ])('are those of the facet, and one for missing values where the filter allows `is null`: %s', async (name, all) => {
    const values = await readValues(name)
    expect(values).toHaveLength(all.length)
    expect(values).toEqual(expect.arrayContaining(all))
  })

  it('are those of the filter that the `colId` of the column names', async () => {
    expect(await readValues('active', 'name')).toHaveLength(2)
  })

  it('keep the rows without a value when a user excludes one', async () => {
    const values = ((await readValues('category')) as readonly (string | null)[]).filter((value) => value !== 'tool')
    const load = createAgGridLoader(client)
    const { rowData } = await load({ filterModel: { category: { filterType: 'set', values } } })
    expect(readIds(rowData)).toEqual([3, 4, 5, 6, 7, 9, 10])
  })

  it('are refused for ranges and for texts', async () => {
    expect(await createFailure(readValues('stock'))).toMatchObject({ code: 'unsupported' })
    expect(await createFailure(readValues('name'))).toMatchObject({ code: 'validation_failed' })
  })
})

describe('TanStack Table', () => {
  it('has facets of the rows that the other columns select', async () => {
    const columnFilters = [{ id: 'category', value: { operator: 'in', value: ['tool'] } }]
    const { meta } = await rowsOfState(client, 'shelf', { columnFilters, query: { facets: ['category', 'stock'] } })
    const table = { options: { meta } }
    const values = serverFacets.facetedUniqueValues(table, 'category')()
    expect(Object.fromEntries(values)).toEqual({ tool: 3, food: 3, toy: 3 })
    const [min = Number.NaN, max = Number.NaN] = serverFacets.facetedMinMaxValues(table, 'stock')() ?? []
    expect([min <= 5, max > 7, max < 50]).toEqual([true, true, true])
    expect(serverFacets.facetedMinMaxValues(table, 'category')()).toBeUndefined()
    expect(serverFacets.facetedUniqueValues({ options: {} }, 'category')().size).toBe(0)
  })

  it('groups by the columns of its state, level by level', async () => {
    const query = { aggregates: [{ field: 'stock', fn: 'max' }] } as const
    const state = { grouping: ['category', 'active'], query }
    const { data, next } = await groupsOfState(client, 'shelf', state)
    expect(data).toMatchObject([
      { category: 'tool', text: 'tool', count: 3, depth: 0, stock_max: 7 },
      { category: 'food', stock_max: 100 },
      { category: 'toy' },
      { category: null, count: 1, stock_max: null },
    ])
    expect(next).toBeUndefined()
    const [tool] = data
    if (tool === undefined) expect.unreachable()
    const { data: below } = await groupsOfState(client, 'shelf', state, { parent: tool })
    expect(below).toMatchObject([
      { active: false, count: 1, depth: 1 },
      { active: true, count: 2 },
    ])
    const rows = await rowsOfState(client, 'shelf', { query: { group: below[1]?.token ?? null } })
    expect(readIds(rows.data)).toEqual([1, 8])
    const [deepest] = below
    const error = await createFailure(groupsOfState(client, 'shelf', state, { ...(deepest && { parent: deepest }) }))
    expect(error.code).toBe('unsupported')
  })
})

describe("DataTables' SearchPanes", () => {
  it('get their options with the counts of the other filters, once for each selection', async () => {
    const load = createDataTablesLoader(client, { panes: ['category'] })
    const asked = searchBuilder('AND', criterion('stock', 'num', '>', '4'))
    const searchPanes = { category: { 0: 'tool' } }
    const first = await load({ searchBuilder: asked, searchPanes, length: 2 })
    expect(readIds(first.data)).toEqual([1, 2])
    expect(first.searchPanes.options.category).toEqual([
      { value: 'food', label: 'food', count: 3, total: 3 },
      { value: 'tool', label: 'tool', count: 3, total: 3 },
    ])
    const second = await load({ searchBuilder: asked, searchPanes, start: 2, length: 2 })
    expect([readIds(second.data), second.searchPanes]).toEqual([[8], undefined])
    expect((await load({ searchPanes })).searchPanes.options.category).toHaveLength(3)
  })

  it('are refused for ranges', async () => {
    const load = createDataTablesLoader(client, { panes: ['stock'] })
    expect(await createFailure(load({}))).toMatchObject({ code: 'unsupported' })
  })
})

describe('a data provider', () => {
  const query = { facets: ['active'], aggregates: [{ field: 'stock', fn: 'sum' }], search: 'hammer' }
  const parts = {
    aggregates: { stock: { sum: { value: 10 } } },
    facets: { active: { options: [{ count: 1 }, { count: 1 }] } },
  }

  it('returns what meta.query asks for beside the rows', async () => {
    const list = await reactAdminProvider(client).getList('shelf', { meta: { query } })
    expect([readIds(list.data), list.meta]).toMatchObject([[1, 2], parts])
    const found = await refineDataProvider(client, publicUrl).getList({ resource: 'shelf', meta: { query } })
    expect(found).toMatchObject({ ...parts, total: 2 })
  })

  it('puts missing values first if meta.query says so, and reads only its columns', async () => {
    const meta = { query: { nulls: 'first', columns: ['stock'], include: ['version'] } }
    const sort = { field: 'stock', order: 'DESC' } as const
    const { data } = await reactAdminProvider(client).getList('shelf', { sort, meta })
    expect(data[0]).toEqual({ id: 7, stock: null, _version: expect.any(String) })
  })

  it('refuses a change of a row that has changed since it was read', async () => {
    const provider = reactAdminProvider(client)
    const { data } = await provider.getList('shelf', {
      filter: { name: 'Saw' },
      meta: { query: { include: ['version'] } },
    })
    const [previousData] = data
    const change = () => provider.update('shelf', { id: 8, data: {}, previousData, meta: { action: 'rename' } })
    expect(await change()).toMatchObject({ data: { id: 8, note: 'renamed' } })
    expect(await createFailure(change())).toMatchObject({ code: 'row_version_conflict' })
    const meta = { action: 'rename', expectedVersion: previousData?.['_version'] }
    const refine = refineDataProvider(client, publicUrl)
    const error = await createFailure(refine.update({ resource: 'shelf', id: 8, variables: {}, meta }))
    expect(error).toMatchObject({ code: 'row_version_conflict', statusCode: 422 })
  })
})
