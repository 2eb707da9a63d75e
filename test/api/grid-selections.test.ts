import { describe, expect, it } from 'vitest'
import { agGridSelection } from '../../lib/client/adapters/ag-grid-selection.ts'
import { muiSelection } from '../../lib/client/adapters/mui-selection.ts'
import { selectionOfState } from '../../lib/client/adapters/tanstack-selection.ts'
import { groupsOfState } from '../../lib/client/adapters/tanstack-table.ts'
import { createAgGridLoader, type GridRequest, startGridApi } from '../support/fixtures/grid-api.ts'
import { createFailure } from '../support/requests/table-clients.ts'

const client = await startGridApi()
const structure = await client.loadTable('shelf')
const query = { search: 'hammer' }

const agState = (state: GridRequest, filterModel: object = {}, advanced?: object) =>
  agGridSelection({
    getServerSideSelectionState: () => state,
    getFilterModel: () => filterModel,
    getAdvancedFilterModel: () => advanced,
    getGridOption: () => advanced !== undefined,
  } as GridRequest)
const mui = (type: 'include' | 'exclude', ids: readonly number[], items: readonly object[] = [], options = {}) => {
  const state = { rowSelection: { type, ids: new Set(ids) }, filter: { filterModel: { items } } }
  return muiSelection({ state } as GridRequest, options)
}

/** The number of rows on which an action would run. */
const count = async (selection: object) =>
  (await client.bulkAction(structure, 'settle', { ...selection, dry_run: true })).counts?.selected

const tools = { category: { filterType: 'set', values: ['tool'] } }
const isTool = { field: 'category', operator: 'isAnyOf', value: ['tool'] }
const columnFilters = [{ id: 'category', value: { operator: 'in', value: ['tool'] } }]
const late = { field: 'sold_at', operator: 'is', value: new Date('2026-01-03T12:30Z') }

describe('the selection of a grid', () => {
  it.each<[string, () => object, number]>([
    ['the rows of AG Grid', () => agState({ selectAll: false, toggledNodes: ['1', '8'] }, tools), 2],
    ['all rows of AG Grid that its filters select', () => agState({ selectAll: true, toggledNodes: [] }, tools), 3],
    ['all rows of AG Grid but one', () => agState({ selectAll: true, toggledNodes: ['8'] }, tools), 2],
    [
      'all rows of the advanced filter',
      () =>
        agState({ selectAll: true, toggledNodes: [] }, {}, { filterType: 'set', colId: 'category', values: ['toy'] }),
      3,
    ],
    ['the rows of MUI X', () => mui('include', [1, 8], [isTool]), 2],
    ['all rows of MUI X but one', () => mui('exclude', [8], [isTool]), 2],
    ['all rows of MUI X that the search selects', () => mui('exclude', [], [], { query }), 2],
    ['all rows of MUI X at a time', () => mui('exclude', [], [late], { dateTimes: ['sold_at'] }), 1],
    ['the rows of TanStack Table', () => selectionOfState({ rowSelection: { 1: true }, columnFilters }), 1],
    [
      'all rows of TanStack Table that its filters select',
      () => selectionOfState({ rowSelection: 'all', columnFilters, globalFilter: 'hammer' }),
      2,
    ],
  ])('is that of a bulk action: %s', async (_, select, selected) => {
    expect(await count(select())).toBe(selected)
  })

  it('is that of a saved view, of the revision that the page names', async () => {
    const saved = await client.saveView('shelf', {
      name: 'Tools',
      query: { filters: [{ field: 'category', value: 'tool' }] },
    })
    const view = { view: saved.id, view_revision: saved.revision }
    expect(await count(selectionOfState({ rowSelection: 'all', query: view }))).toBe(3)
  })

  it('is refused for a group, whose id names no row', async () => {
    const rowGroupCols = [{ id: 'category', field: 'category', displayName: 'Category' }]
    const [group] = (await createAgGridLoader(client)({ rowGroupCols, groupKeys: [] })).rowData
    const { data } = await groupsOfState(client, 'shelf', { grouping: ['category'] })
    const selections = [
      () => agState({ selectAll: true, toggledNodes: [group.id] }),
      () => agState({ selectAllChildren: true, toggledNodes: [] }),
      () => selectionOfState({ rowSelection: { [String(data[0]?.id)]: true } }),
    ]
    for (const select of selections) {
      expect(await createFailure((async () => select())())).toMatchObject({ code: 'unsupported' })
    }
  })

  it.each<[string, () => object]>([
    ['AG Grid', () => agState({ selectAll: false, toggledNodes: [] })],
    ['MUI X', () => mui('include', [])],
    ['TanStack Table', () => selectionOfState({ rowSelection: {} })],
  ])('is refused if it has no rows, which the service takes for all of them: %s', (_, select) => {
    expect(select).toThrow(/no rows/)
  })
})
