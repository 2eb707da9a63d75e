import type { RowSelectionState } from '@tanstack/react-table'
import { createSelection, type GridSelection } from './grid-selection.ts'
import { readSelection, type ServerState } from './tanstack-table.ts'

/**
 * Returns the rows that are selected in a table, for a bulk action: `'all'` are those that its filters select. The
 * table needs `getRowId: ({ id }) => String(id)`. Groups are `unsupported`, and so is a selection of no rows.
 *
 * @example
 * const selection = selectionOfState({ ...state, rowSelection })
 * client.bulkAction(structure, 'assign', { ...selection, assignee: 'dana' })
 */
export function selectionOfState({
  rowSelection,
  ...state
}: ServerState & { readonly rowSelection: RowSelectionState | 'all' }): GridSelection {
  const isAll = rowSelection === 'all'
  return createSelection({ isAll, ids: isAll ? [] : Object.keys(rowSelection) }, readSelection(state), state)
}
