import { describe, expect, it } from 'vitest'
import { agGridDatasource } from '../../../lib/client/adapters/ag-grid.ts'
import { dataTablesAjax } from '../../../lib/client/adapters/data-tables.ts'
import { muiDataSource } from '../../../lib/client/adapters/mui-data-grid.ts'
import { reactAdminProvider } from '../../../lib/client/adapters/react-admin.ts'
import { refineDataProvider } from '../../../lib/client/adapters/refine.ts'
import { rowsOfState } from '../../../lib/client/adapters/tanstack-table.ts'
import { createTableClient } from '../../../lib/client/index.ts'
import { createFailure } from '../../support/requests/table-clients.ts'

const baseUrl = 'http://127.0.0.1'

/** A client whose service answers every page with no rows; what was asked for, and how the response goes on. */
function emptyService(pagination: object = {}) {
  const asked: {
    readonly filters?: readonly unknown[]
    readonly filter_groups?: unknown
    readonly sorts?: readonly unknown[]
    readonly page?: number
    readonly perPage?: number
  }[] = []
  const page = { current_page: 1, per_page: 20, total: 0, total_kind: 'exact', next_cursor: null, ...pagination }
  const client = createTableClient({
    baseUrl,
    token: () => 'token',
    fetch: async (_, init) => {
      init?.signal?.throwIfAborted()
      asked.push(JSON.parse(String(init?.body)))
      return Response.json({ success: true, items: [], pagination: page, bindings: {} })
    },
  })
  return { client, asked }
}

/** The request of each grid to its adapter, reduced to the parts that differ. */
const grids = {
  ag: (client, request) =>
    new Promise((success, reject) => {
      const columns = { rowGroupCols: [], groupKeys: [], valueCols: [], pivotMode: false }
      const asked = { startRow: 0, endRow: 10, ...columns, filterModel: {}, sortModel: [] }
      const params = { request: { ...asked, ...request }, success, fail: () => {} }
      agGridDatasource(client, 'orders', { onError: reject }).getRows(params as never)
    }),
  mui: (client, { items = [], ...request }) => {
    const filterModel = { items, ...request }
    const asked = { start: 0, end: 9, sortModel: [], filterModel, ...request }
    return muiDataSource(client, 'orders', { dates: ['placed_on'] }).getRows(asked as never)
  },
  tanstack: (client, state) => rowsOfState(client, 'orders', state),
  refine: (client, request) => refineDataProvider(client, baseUrl).getList({ resource: 'orders', ...request }),
  reactAdmin: (client, params) => reactAdminProvider(client).getList('orders', params),
  dataTables: (client, { value = '', ...request }) =>
    new Promise((resolve, reject) => {
      const columns = [{ data: 'state', name: '', search: { value, regex: false, fixed: [] } }]
      const asked = { draw: 1, start: 0, length: 10, columns, ...request }
      dataTablesAjax(client, 'orders', { onError: reject }).call({} as never, asked as never, resolve, {} as never)
    }),
} as const satisfies Record<
  string,
  (client: ReturnType<typeof createTableClient>, request: GridRequest) => Promise<unknown>
>

// Each grid has a shape of its own for what it asks, and the adapters' types say which.
// biome-ignore lint/suspicious/noExplicitAny: see above
type GridRequest = any

type Grid = keyof typeof grids

const from = { field: 'placed_on_from', operator: '>=', value: '2026-01-02' }
const to = { field: 'placed_on_to', operator: '<=', value: '2026-01-02' }
const number = (type: string, filter: number) => ({ filterType: 'number', type, filter })
const date = (type: string, dateTo?: string) => ({ filterType: 'date', type, dateFrom: '2026-01-02 00:00:00', dateTo })

describe('a filter of a grid', () => {
  it.each<[Grid, GridRequest, readonly unknown[]]>([
    [
      'ag',
      { filterModel: { state: { filterType: 'set', values: ['a', 'b'] } } },
      [{ field: 'state', operator: 'in', value: ['a', 'b'] }],
    ],
    [
      'ag',
      { filterModel: { total: { operator: 'AND', conditions: [number('greaterThan', 1), number('notEqual', 5)] } } },
      [
        { field: 'total', operator: '>', value: 1 },
        { field: 'total', operator: '!=', value: 5 },
      ],
    ],
    ['ag', { filterModel: { placed_on: date('equals') } }, [from, to]],
    ['ag', { filterModel: { placed_on: date('inRange', '2026-02-01') } }, [from, { ...to, value: '2026-02-01' }]],
    [
      'mui',
      { items: [{ field: 'state', operator: 'isAnyOf', value: ['a'] }] },
      [{ field: 'state', operator: 'in', value: ['a'] }],
    ],
    ['mui', { items: [{ field: 'state', operator: 'contains', value: '' }] }, []],
    ['mui', { groupKeys: [], groupFields: [], aggregationModel: {}, pivotModel: undefined }, []],
    ['mui', { items: [{ field: 'placed_on', operator: 'is', value: new Date(2026, 0, 2) }] }, [from, to]],
    [
      'tanstack',
      { columnFilters: [{ id: 'total', value: { operator: '<', value: 3 } }] },
      [{ field: 'total', operator: '<', value: 3 }],
    ],
    ['tanstack', { columnFilters: [{ id: 'state', value: 'a' }] }, [{ field: 'state', value: 'a' }]],
    ['tanstack', { columnFilters: [{ id: 'state', value: ['a', 'b'] }] }, [{ field: 'state', value: ['a', 'b'] }]],
    [
      'tanstack',
      {
        columnFilters: [
          { id: 'placed_on', value: { from: '2026-01-02' } },
          { id: 'placed_on_from', value: { operator: 'within', value: 'this_year' } },
        ],
      },
      [
        { field: 'placed_on_from', value: { from: '2026-01-02' } },
        { field: 'placed_on_from', operator: 'within', value: 'this_year' },
      ],
    ],
    [
      'refine',
      { filters: [{ operator: 'and', value: [{ field: 'total', operator: 'between', value: [1, 2] }] }] },
      [{ field: 'total', operator: 'between', value: [1, 2] }],
    ],
    ['refine', { filters: [{ field: 'state', operator: 'contains', value: undefined }] }, []],
    [
      'reactAdmin',
      { filter: { total_gte: 5, state_eq_any: ['a'], placed_on_from: '2026-01-02' } },
      [
        { field: 'total', operator: '>=', value: 5 },
        { field: 'state', operator: 'in', value: ['a'] },
        { field: 'placed_on_from', value: '2026-01-02' },
      ],
    ],
    ['dataTables', { value: 'a' }, [{ field: 'state', value: 'a' }]],
  ])('is sent to the server: %s, %j', async (grid, request, filters) => {
    const { client, asked } = emptyService()
    await grids[grid](client, request)
    expect(asked).toMatchObject([{ filters }])
  })

  it.each<[string, readonly unknown[]]>([
    ['lastWeek', ['last_1_weeks']],
    ['thisQuarter', ['this_quarter']],
    ['nextYear', ['next_1_years']],
    // The grid counts today as well.
    ['last7Days', ['last_7_days', 'today']],
    ['yearToDate', ['year_to_date', 'today']],
  ])('is a period of the service for the period %s of AG Grid', async (type, periods) => {
    const { client, asked } = emptyService()
    await grids.ag(client, { filterModel: { placed_on: { filterType: 'date', type } } })
    const [{ filters = [], filter_groups } = {}] = asked
    const leaves = periods.map((value) => ({ field: 'placed_on_from', operator: 'within', value }))
    expect([filters, filter_groups]).toEqual(leaves.length === 1 ? [leaves, undefined] : [[], { any: leaves }])
  })

  it('has the days of the last months of AG Grid, with the time of day where the grid has one', async () => {
    const { client, asked } = emptyService()
    await grids.ag(client, { filterModel: { placed_on: { filterType: 'date', type: 'last6Months' } } })
    await grids.ag(client, {
      filterModel: { placed_on: { filterType: 'date', type: 'greaterThanOrEqual', dateFrom: '2026-01-02 08:30:00' } },
    })
    const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
    expect(asked.map(({ filters }) => filters)).toMatchObject([
      [
        { ...from, value: day },
        { ...to, value: day },
      ],
      [{ ...from, value: '2026-01-02T08:30:00' }],
    ])
  })

  it.each<[Grid, GridRequest, RegExp]>([
    ['ag', { filterModel: { state: { filterType: 'text', type: 'matches', filter: 'a' } } }, /"matches" of "state"/],
    ['ag', { filterModel: { state: { filterType: 'text', type: 'toString', filter: 'a' } } }, /"toString" of "state"/],
    ['ag', { filterModel: { total: { filterType: 'own' } } }, /type "own"/],
    ['ag', { sortModel: [{ colId: 'total', sort: 'asc', type: 'absolute' }] }, /"absolute" of "total"/],
    ['mui', { items: [{ field: 'state', operator: 'matches', value: 'a' }] }, /"matches" of "state"/],
    ['mui', { quickFilterValues: ['a', 'b'], quickFilterLogicOperator: 'or' }, /joined by "or"/],
    ['mui', { groupFields: ['state'] }, /"groupFields"/],
    ['mui', { groupKeys: ['open'] }, /"groupKeys"/],
    ['mui', { aggregationModel: { total: 'sum' } }, /"aggregationModel"/],
    ['mui', { pivotModel: { columns: [], rows: [], values: [] } }, /"pivotModel"/],
    ['tanstack', { globalFilter: { text: 'a' } }, /global filter/],
    ['tanstack', { columnFilters: [{ id: 'placed_on', value: new Date(2026, 0, 2) }] }, /give { from, to }/],
    ['refine', { filters: [{ field: 'state', operator: 'containss', value: 'a' }] }, /"containss" of "state"/],
    [
      'refine',
      { filters: [{ operator: 'or', value: [{ field: 'tags', operator: 'ina', value: ['a'] }] }] },
      /"ina" of/,
    ],
    ['reactAdmin', { filter: { tags_inc_any: ['a'] } }, /"inc_any" of "tags"/],
    ['dataTables', { search: { value: 'a', regex: true } }, /regular expression/],
    ['dataTables', { search: { value: '', fixed: [{ name: 'a', term: 'b' }] } }, /fixed search/],
    ['dataTables', { search: { value: '', groups: [{ columns: [0], term: 'b' }] } }, /group of columns/],
    [
      'dataTables',
      { searchBuilder: { criteria: [{ condition: 'like', origData: 'state', value: ['a'] }] } },
      /"like" of/,
    ],
    [
      'dataTables',
      { searchBuilder: { criteria: [{ condition: '=', type: 'array', origData: 'tags', value: ['a'] }] } },
      /lists of "tags"/,
    ],
  ])('is refused if the server has no equivalent: %s, %j', async (grid, request, message) => {
    const { client, asked } = emptyService()
    const error = await createFailure(grids[grid](client, request))
    expect([error.code, asked]).toEqual(['unsupported', []])
    expect(error.message).toMatch(message)
  })
})

describe('a page of a grid', () => {
  it.each<[Grid, GridRequest]>([
    ['ag', { startRow: 20, endRow: 30 }],
    ['mui', { start: 20, end: 29 }],
    ['tanstack', { pagination: { pageIndex: 2, pageSize: 10 } }],
    ['refine', { pagination: { currentPage: 3, pageSize: 10 } }],
    ['reactAdmin', { pagination: { page: 3, perPage: 10 } }],
    ['dataTables', { start: 20, length: 10 }],
  ])('is the one that begins with the first row of the request: %s, %j', async (grid, request) => {
    const { client, asked } = emptyService()
    await grids[grid](client, request)
    expect(asked).toMatchObject([{ page: 3, perPage: 10 }])
  })

  it.each<[Grid, GridRequest]>([
    ['ag', { startRow: 5, endRow: 15 }],
    ['ag', { startRow: undefined, endRow: undefined }],
    ['mui', { start: 'a row', end: 14 }],
    ['mui', { start: 0, end: -2, paginationModel: { page: 0, pageSize: -1 } }],
    ['refine', { pagination: { mode: 'off' } }],
    ['dataTables', { length: -1 }],
  ])('is refused if the server has no such page: %s, %j', async (grid, request) => {
    const { client, asked } = emptyService()
    const error = await createFailure(grids[grid](client, request))
    expect([error.code, asked]).toEqual(['unsupported', []])
  })

  it('is empty in DataTables if it could not be loaded, with the reason for its user', async () => {
    const { client } = emptyService()
    const ajax = dataTablesAjax(client, 'orders')
    const asked = { draw: 3, start: 0, length: -1, columns: [] }
    const shown = new Promise((resolve) => ajax.call({} as never, asked as never, resolve, {} as never))
    const error = 'The server has no equivalent of all rows at once'
    expect(await shown).toEqual({ draw: 3, recordsTotal: 0, recordsFiltered: 0, data: [], error })
  })

  it('has no certain total where the service only guesses it', async () => {
    const { client } = emptyService({ total: 1_000, total_kind: 'capped', next_cursor: 'next' })
    expect(await grids.ag(client, {})).not.toHaveProperty('rowCount')
    expect(await grids.mui(client, {})).toMatchObject({ rowCount: -1, pageInfo: { hasNextPage: true } })
    const list = await grids.reactAdmin(client, {})
    expect(list).toMatchObject({ pageInfo: { hasNextPage: true, hasPreviousPage: false } })
    expect(list).not.toHaveProperty('total')
  })

  it.each([
    ['one more than the page shows while rows follow', { total: 40, to: 40, next_cursor: 'next' }, 41],
    ['the estimate where that is more', { total: 3_000_000, to: 40, next_cursor: 'next' }, 3_000_000],
    ['the rows seen where none follow', { total: 40, to: 40, next_cursor: null }, 40],
  ])('has as many rows for grids that need a number as %s', async (_, pagination, rows) => {
    const { client } = emptyService({ total_kind: 'at_least', ...pagination })
    expect(await grids.tanstack(client, {})).toMatchObject({ rowCount: rows })
    expect(await grids.refine(client, {})).toMatchObject({ total: rows })
    expect(await grids.dataTables(client, {})).toMatchObject({ recordsTotal: rows, recordsFiltered: rows })
  })
})

describe('a data source of AG Grid', () => {
  const request = {
    startRow: 0,
    endRow: 10,
    rowGroupCols: [],
    groupKeys: [],
    valueCols: [],
    filterModel: {},
    sortModel: [],
  }

  it('loads rows again after the grid has destroyed it, and reports no requests that end by that', async () => {
    const { client } = emptyService()
    const errors: unknown[] = []
    const source = agGridDatasource(client, 'orders', { onError: (error) => errors.push(error) })
    const load = () =>
      new Promise((resolve) => {
        source.getRows({ request, success: () => resolve('loaded'), fail: () => resolve('failed') } as never)
      })
    const pending = load()
    source.destroy?.()
    expect([await pending, await load(), errors]).toEqual(['failed', 'loaded', []])
  })
})

describe('a date of MUI X', () => {
  it.each([
    ['the day that its own input returns as midnight in UTC', 'dates', new Date('2026-01-02T00:00:00Z'), '2026-01-02'],
    ['the day of the browser', 'dates', new Date(2026, 0, 2, 14, 30), '2026-01-02'],
    ['the time in a dateTime column', 'dateTimes', new Date('2026-01-02T14:30:00Z'), '2026-01-02T14:30:00.000Z'],
  ])('is sent as %s', async (_what, option, value, sent) => {
    const { client, asked } = emptyService()
    const filterModel = { items: [{ field: 'placed_on', operator: 'onOrAfter', value }] }
    const source = muiDataSource(client, 'orders', { [option]: ['placed_on'] })
    await source.getRows({ start: 0, end: 9, sortModel: [], filterModel } as never)
    expect(asked).toMatchObject([{ filters: [{ ...from, value: sent }] }])
  })
})

describe('a change of a data provider', () => {
  it('rejects in refine with the faults of cells by their columns', async () => {
    const client = createTableClient({
      baseUrl,
      token: () => 'token',
      fetch: async () =>
        Response.json({ code: 'validation_failed', fields: { 'cells.note': ['too long'] } }, { status: 422 }),
    })
    const change = refineDataProvider(client, baseUrl).update({ resource: 'orders', id: 7, variables: {} })
    expect(await createFailure(change)).toMatchObject({ statusCode: 422, errors: { note: ['too long'] } })
  })

  it.each([
    ['creating', () => reactAdminProvider(emptyService().client).create('orders', { data: {} })],
    [
      'creating',
      () => refineDataProvider(emptyService().client, baseUrl).create({ resource: 'orders', variables: {} }),
    ],
  ])('is refused by %s', async (_, change) => {
    expect(await createFailure(change())).toMatchObject({ code: 'unsupported' })
  })
})

describe('params of a change', () => {
  const item = { id: 7, row: { actions: { close: { action: { api: `${baseUrl}/api/close/7?tenant=a`, web: '' } } } } }
  const bulk_actions_url = { api: `${baseUrl}/api/close?tenant=a`, web: '' }

  /**
   * A client of a service that knows one row and one action; `asked` has each request's path and query with its params.
   */
  function service() {
    const asked: unknown[] = []
    const fetch = async (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit) => {
      const { pathname, search } = new URL(String(input))
      asked.push([pathname + decodeURIComponent(search), JSON.parse(String(init?.body ?? '{}')).params])
      return Response.json({
        success: true,
        data: { row: item },
        items: [item],
        results: [],
        rowActions: { close: { bulk_actions_url } },
      })
    }
    return { asked, client: createTableClient({ baseUrl, token: () => 'token', fetch }) }
  }

  const root = '/api/api-table/control-tables'
  const meta = { action: 'close', params: { tenant: 'a' } }

  it.each<[string, (client: ReturnType<typeof createTableClient>) => Promise<unknown>]>([
    [
      'refine',
      (client) => refineDataProvider(client, baseUrl).update({ resource: 'orders', id: 7, variables: {}, meta }),
    ],
    [
      'react-admin',
      (client) => reactAdminProvider(client).update('orders', { id: 7, data: {}, previousData: item, meta }),
    ],
  ])('select the row whose action runs, once each: %s', async (_, change) => {
    const { client, asked } = service()
    await change(client)
    expect(asked).toEqual([
      [`${root}/row-refetch/orders/7`, { tenant: 'a' }],
      ['/api/close/7?tenant=a', undefined],
    ])
  })

  it.each<[string, (client: ReturnType<typeof createTableClient>) => Promise<unknown> | undefined]>([
    [
      'refine',
      (client) =>
        refineDataProvider(client, baseUrl).updateMany?.({ resource: 'orders', ids: [7], variables: {}, meta }),
    ],
    ['react-admin', (client) => reactAdminProvider(client).updateMany('orders', { ids: [7], data: {}, meta })],
  ])('select the rows whose action runs, once each: %s', async (_, change) => {
    const { client, asked } = service()
    await change(client)
    expect(asked).toEqual([
      [`${root}/load-table/orders?params={"tenant":"a"}`, undefined],
      ['/api/close?tenant=a', undefined],
    ])
  })
})
