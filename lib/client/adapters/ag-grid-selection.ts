import type { GridApi } from 'ag-grid-community'
import { toFilters } from './ag-grid-filters.ts'
import { createUnsupported } from './grid-client.ts'
import { toSelection } from './grid-filters.ts'
import { createSelection, type GridSelection, type SelectionOptions } from './grid-selection.ts'

type SelectableGrid = Pick<
  GridApi,
  'getGridOption' | 'getFilterModel' | 'getAdvancedFilterModel' | 'getServerSideSelectionState'
>

/**
 * Returns the rows that are selected in AG Grid's server-side row model, for a bulk action. Groups are `unsupported`,
 * and so is a selection of no rows.
 *
 * @example
 * client.bulkAction(structure, 'assign', { ...agGridSelection(grid), assignee: 'dana' })
 */
export function agGridSelection(grid: SelectableGrid, options: SelectionOptions = {}): GridSelection {
  const state = grid.getServerSideSelectionState()
  if (state === null || !('selectAll' in state)) throw createUnsupported('a selection by groups')
  const isAdvanced = grid.getGridOption('enableAdvancedFilter') === true
  const model = isAdvanced ? grid.getAdvancedFilterModel() : grid.getFilterModel()
  return createSelection({ isAll: state.selectAll, ids: state.toggledNodes }, toSelection(toFilters(model)), options)
}
