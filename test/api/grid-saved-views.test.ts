import { describe, expect, it } from 'vitest'
import { muiDataSource } from '../../lib/client/adapters/mui-data-grid.ts'
import { reactAdminProvider } from '../../lib/client/adapters/react-admin.ts'
import { refineDataProvider } from '../../lib/client/adapters/refine.ts'
import { groupsOfState, rowsOfState } from '../../lib/client/adapters/tanstack-table.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import {
  createAgGridLoader,
  createDataTablesLoader,
  type GridRequest,
  readIds,
  startGridApi,
} from '../support/fixtures/grid-api.ts'

const client = await startGridApi()
const { id: view } = await client.saveView('shelf', {
  name: 'Tools, the last one first',
  query: { filters: [{ field: 'category', value: 'tool' }], sorts: [{ field: 'id', direction: 'desc' }] },
})
const query = { view }

/** Loads the rows of the view by each grid, with what the grid itself asks for. */
const grids = {
  ag: async (asked) => readIds((await createAgGridLoader(client, { query })(asked)).rowData),
  mui: async (asked) => {
    const request = { start: 0, end: 9, sortModel: [], filterModel: { items: [] }, ...asked }
    return readIds((await muiDataSource(client, 'shelf', { query }).getRows(request)).rows)
  },
  tanstack: async (state) => readIds((await rowsOfState(client, 'shelf', { ...state, query })).data),
  refine: async (asked) => {
    const provider = refineDataProvider(client, publicUrl)
    return readIds((await provider.getList({ resource: 'shelf', meta: { query }, ...asked })).data)
  },
  reactAdmin: async (asked) =>
    readIds((await reactAdminProvider(client).getList('shelf', { meta: { query }, ...asked })).data),
  dataTables: async (asked) => readIds((await createDataTablesLoader(client, { query })(asked)).data),
} as const satisfies Record<string, (asked: GridRequest) => Promise<readonly unknown[]>>

type Grid = keyof typeof grids

describe('a saved view in a grid', () => {
  it.each(Object.keys(grids) as Grid[])(
    'selects and sorts the rows as long as the grid has neither filters nor sorts: %s',
    async (grid) => {
      expect(await grids[grid]({})).toEqual([8, 2, 1])
    },
  )

  it.each<[Grid, GridRequest]>([
    ['ag', { sortModel: [{ colId: 'name', sort: 'asc' }] }],
    ['mui', { sortModel: [{ field: 'name', sort: 'asc' }] }],
    ['tanstack', { sorting: [{ id: 'name', desc: false }] }],
    ['refine', { sorters: [{ field: 'name', order: 'asc' }] }],
    ['reactAdmin', { sort: { field: 'name', order: 'ASC' } }],
    ['dataTables', { order: [{ column: 0, dir: 'asc' }] }],
  ])('keeps its filters when the grid sorts: %s', async (grid, request) => {
    expect(await grids[grid](request)).toEqual([1, 8, 2])
  })

  it('selects the rows that are grouped', async () => {
    const { data } = await groupsOfState(client, 'shelf', { grouping: ['category'], query })
    expect(data).toMatchObject([{ category: 'tool', count: 3 }])
    const rowGroupCols = [{ id: 'category', field: 'category', displayName: 'Category' }]
    const load = createAgGridLoader(client, { query })
    expect((await load({ rowGroupCols, groupKeys: [] })).rowData).toMatchObject([{ category: 'tool', childCount: 3 }])
    expect(readIds((await load({ rowGroupCols, groupKeys: ['tool'] })).rowData)).toEqual([8, 2, 1])
  })
})
