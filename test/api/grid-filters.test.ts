import { describe, expect, it } from 'vitest'
import { muiDataSource } from '../../lib/client/adapters/mui-data-grid.ts'
import { reactAdminProvider } from '../../lib/client/adapters/react-admin.ts'
import { refineDataProvider } from '../../lib/client/adapters/refine.ts'
import { rowsOfState } from '../../lib/client/adapters/tanstack-table.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import {
  createAgGridLoader,
  createDataTablesLoader,
  criterion,
  type GridRequest,
  readIds,
  searchBuilder,
  startGridApi,
} from '../support/fixtures/grid-api.ts'

const client = await startGridApi()

/** Loads the first page of each grid as the grid itself asks for it. */
const grids = {
  ag: async (filterModel) => readIds((await createAgGridLoader(client)({ filterModel })).rowData),
  mui: async (filterModel) => {
    const asked = { start: 0, end: 99, sortModel: [], filterModel: { items: [], ...filterModel } }
    const options = { dates: ['made_on'], dateTimes: ['sold_at'] }
    return readIds((await muiDataSource(client, 'shelf', options).getRows(asked)).rows)
  },
  refine: async (filters) => {
    const provider = refineDataProvider(client, publicUrl, { dates: ['made_on'] })
    return readIds((await provider.getList({ resource: 'shelf', filters, pagination: { pageSize: 100 } })).data)
  },
  reactAdmin: async (filter) => {
    const provider = reactAdminProvider(client, { dates: ['made_on'] })
    return readIds((await provider.getList('shelf', { filter, pagination: { page: 1, perPage: 100 } })).data)
  },
  dataTables: async (asked) => readIds((await createDataTablesLoader(client)(asked)).data),
  tanstack: async (state) => readIds((await rowsOfState(client, 'shelf', state)).data),
} as const satisfies Record<string, (asked: GridRequest) => Promise<readonly unknown[]>>

type Grid = keyof typeof grids

const text = (type: string, filter?: string) => ({ filterType: 'text', type, filter })
const number = (type: string, filter?: number, filterTo?: number) => ({ filterType: 'number', type, filter, filterTo })
const day = (type: string, dateFrom: string | null = null, dateTo: string | null = null) => ({
  made_on: { filterType: 'date', type, dateFrom, dateTo },
})
const third = '2026-01-03 00:00:00'
const join = (type: 'AND' | 'OR', ...conditions: readonly object[]) => ({ filterType: 'join', type, conditions })
const leaf = (colId: string, model: object) => ({ ...model, colId })
const item = (field: string, operator: string, value?: unknown) => ({ field, operator, value })
describe('a filter of a grid', () => {
  it.each<[Grid, GridRequest, readonly number[]]>([
    ['ag', { category: { filterType: 'set', values: ['tool', null] } }, [1, 2, 7, 8]],
    ['ag', { category: { filterType: 'set', values: [null] } }, [7]],
    ['ag', { category: { filterType: 'set', values: [] } }, []],
    [
      'ag',
      { stock: { filterType: 'number', operator: 'OR', conditions: [number('lessThan', 1), number('blank')] } },
      [5, 6, 7],
    ],
    [
      'ag',
      {
        stock: { filterType: 'number', operator: 'AND', conditions: [number('greaterThan', 1), number('notEqual', 5)] },
      },
      [3, 4, 8, 9, 10],
    ],
    ['ag', { stock: number('inRange', 5, 7) }, [1, 2, 8]],
    ['ag', { name: text('startsWith', 'ha'), note: text('notBlank') }, [1, 2]],
    ['ag', { name: text('endsWith', 'R') }, [1, 2, 9]],
    ['ag', { name: { filterType: 'multi', filterModels: [null, text('notContains', 'a')] } }, [4, 6, 7, 10]],
    ['ag', day('equals', third), [3, 4]],
    ['ag', day('notEqual', third), [1, 2, 5, 6, 7, 8, 9, 10]],
    ['ag', day('lessThan', third), [1, 2, 10]],
    ['ag', day('lessThanOrEqual', third), [1, 2, 3, 4, 10]],
    ['ag', day('greaterThan', third), [6, 8, 9]],
    ['ag', day('inRange', '2026-01-02', '2026-01-31'), [2, 3, 4, 6]],
    ['ag', day('blank'), [5, 7]],
    ['ag', day('tomorrow'), []],
    [
      'ag',
      join(
        'OR',
        leaf('name', text('contains', 'appl')),
        join('AND', leaf('stock', number('greaterThan', 4)), leaf('active', { filterType: 'boolean', type: 'true' })),
      ),
      [1, 3, 4, 8],
    ],
    [
      'ag',
      join(
        'AND',
        leaf('category', { filterType: 'set', type: 'isNoneOf', values: ['tool', null] }),
        leaf('made_on', { filterType: 'dateString', type: 'greaterThan', filter: '2026-01-03' }),
      ),
      [6, 9],
    ],
    ['ag', leaf('category', { filterType: 'set', type: 'isAnyOf', values: ['tool'] }), [1, 2, 8]],
    ['ag', leaf('category', { filterType: 'set', type: 'isNoneOf', values: ['tool'] }), [3, 4, 5, 6, 7, 9, 10]],
    [
      'mui',
      { logicOperator: 'or', items: [item('name', 'startsWith', 'k'), item('category', 'isAnyOf', ['food'])] },
      [3, 4, 6, 9],
    ],
    ['mui', { items: [item('made_on', 'isEmpty')] }, [5, 7]],
    ['mui', { items: [item('stock', 'isNotEmpty'), item('name', 'doesNotContain', 'a')] }, [4, 6, 10]],
    ['mui', { items: [item('made_on', 'not', '2026-01-03')] }, [1, 2, 5, 6, 7, 8, 9, 10]],
    ['mui', { items: [item('made_on', 'before', new Date(2026, 0, 2))] }, [1, 10]],
    ['mui', { items: [item('sold_at', 'is', new Date('2026-01-01T23:59:30Z'))] }, [2]],
    ['mui', { items: [item('sold_at', 'is', new Date('2026-01-01T23:58Z'))] }, []],
    ['mui', { items: [item('sold_at', 'is', new Date('2026-01-03T12:30Z'))] }, [4]],
    ['mui', { items: [item('sold_at', 'not', new Date('2026-01-31T23:59Z'))] }, [1, 2, 3, 4, 5, 7, 8, 9, 10]],
    ['mui', { items: [item('category', 'isAnyOf', [])] }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['mui', { quickFilterValues: ['hammer'] }, [1, 2]],
    [
      'refine',
      [
        {
          operator: 'or',
          value: [
            { field: 'name', operator: 'nstartswith', value: 'h' },
            {
              operator: 'and',
              value: [
                { field: 'stock', operator: 'eq', value: 5 },
                { field: 'active', operator: 'eq', value: false },
              ],
            },
          ],
        },
      ],
      [2, 3, 4, 5, 6, 7, 8, 9, 10],
    ],
    ['refine', [{ field: 'stock', operator: 'nbetween', value: [0, 10] }], [3, 4, 6, 7, 9]],
    ['refine', [{ field: 'category', operator: 'nin', value: ['tool', 'toy'] }], [3, 4, 7, 9]],
    [
      'refine',
      [
        { field: 'note', operator: 'null', value: true },
        { field: 'stock', operator: 'nnull', value: true },
      ],
      [3],
    ],
    [
      'refine',
      [
        { field: 'name', operator: 'endswith', value: 'R' },
        { field: 'made_on', operator: 'lt', value: '2026-01-02' },
      ],
      [1],
    ],
    [
      'refine',
      [
        { field: 'name', operator: 'nendswith', value: 'r' },
        { field: 'name', operator: 'ncontains', value: 'a' },
      ],
      [4, 6, 7, 10],
    ],
    ['reactAdmin', { q: 'hammer', stock_gte: 5 }, [1, 2]],
    ['reactAdmin', { stock_between: [0, 5], name_nq: 'a' }, [10]],
    ['reactAdmin', { made_on_gte: '2026-02-01' }, [8, 9]],
    ['reactAdmin', { note_null: true, category_neq: 'food' }, [7]],
    ['reactAdmin', { name_startswith: 'h', made_on: '2026-01-02' }, [2]],
    ['dataTables', { search: { value: 'kite', regex: false, fixed: [] } }, [6]],
    ['dataTables', { searchPanes: { category: { 0: 'tool', 1: null }, name: {} } }, [1, 2, 7, 8]],
    [
      'dataTables',
      {
        searchBuilder: searchBuilder(
          'OR',
          searchBuilder('AND', criterion('name', 'string', '!starts', 'h'), criterion('stock', 'num', '<', '3')),
          criterion('category', 'string', 'null'),
          criterion('made_on', 'date', '>', '2026-02-01'),
        ),
      },
      [5, 6, 7, 9, 10],
    ],
    [
      'dataTables',
      {
        searchBuilder: searchBuilder(
          'AND',
          criterion('stock', 'num', '!between', '0', '10'),
          criterion('name', 'string', '!ends', 'a'),
          criterion('made_on', 'date', '=', ''),
          {},
        ),
      },
      [3, 4, 6, 7, 9],
    ],
    ['dataTables', { searchBuilder: {} }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['tanstack', { globalFilter: 'kite' }, [6]],
    [
      'tanstack',
      { columnFilters: [{ id: 'category', value: { operator: 'not in', value: ['tool', 'food'] } }] },
      [5, 6, 7, 10],
    ],
    ['tanstack', { columnFilters: [{ id: 'stock', value: { operator: 'is null' } }] }, [7]],
    ['tanstack', { columnFilters: [{ id: 'made_on', value: { from: '2026-02-01' } }] }, [8, 9]],
  ])('selects the rows that it means: %s, %j', async (grid, request, selected) => {
    expect(await grids[grid](request)).toEqual(selected)
  })
})

describe("MUI X's data grid that loads as a user scrolls", () => {
  const source = muiDataSource(client, 'shelf')
  const ask = (start: number, end: number, pageSize = 3, items: readonly object[] = []) =>
    ({ start, end, sortModel: [], filterModel: { items }, paginationModel: { page: 0, pageSize } }) as GridRequest

  it.each<[string, readonly [start: number, end: number], readonly number[], boolean]>([
    ['several pages', [3, 8], [4, 5, 6, 7, 8, 9], true],
    ['a page that ends with the rows', [9, 9], [10], false],
    ['pages of which the last ends with the rows', [6, 9], [7, 8, 9, 10], false],
    ['rows across two pages', [2, 4], [3, 4, 5], true],
    ['pages behind the last row', [6, 14], [7, 8, 9, 10], false],
  ])('gets %s', async (_, [start, end], ids, hasNextPage) => {
    const { rows, ...rest } = await source.getRows(ask(start, end))
    expect(readIds(rows)).toEqual(ids)
    expect(rest).toEqual({ rowCount: 10, pageInfo: { hasNextPage } })
  })

  it('has the rows counted once, however many pages it asks for', async () => {
    const counts: unknown[] = []
    const queryTable: typeof client.queryTable = (table, query, options) => {
      counts.push(query?.count)
      return client.queryTable(table, query, options)
    }
    const { rowCount } = await muiDataSource({ ...client, queryTable }, 'shelf').getRows(ask(0, 8))
    expect({ rowCount, counts }).toEqual({ rowCount: 10, counts: ['none', 'none', undefined] })
  })

  it('gets the rows of a filter up to the last one', async () => {
    const { rows } = await source.getRows(ask(2, 3, 2, [item('stock', '>', 6)]))
    expect(readIds(rows)).toEqual([8, 9])
  })
})
