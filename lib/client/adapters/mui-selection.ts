import type { useGridApiRef } from '@mui/x-data-grid'
import { createSelection, type GridSelection } from './grid-selection.ts'
import { type MuiOptions, readFilterModel } from './mui-data-grid.ts'

type SelectableGrid = Pick<NonNullable<ReturnType<typeof useGridApiRef>['current']>, 'state'>

/**
 * Returns the rows that are selected in MUI X's data grid, for a bulk action. `options` are those of its data source. A
 * selection of no rows is `unsupported`.
 *
 * @example
 * client.bulkAction(structure, 'assign', { ...muiSelection(apiRef.current), assignee: 'dana' })
 */
export function muiSelection({ state }: SelectableGrid, options: MuiOptions = {}): GridSelection {
  const { type, ids } = state.rowSelection
  return createSelection(
    { isAll: type === 'exclude', ids: [...ids] },
    readFilterModel(state.filter.filterModel, options),
    options,
  )
}
