import type { TableView } from './view.ts'

/** The key of the action that edits cells. */
export const updateCellsKey = 'update_cells'

/**
 * Whether a caller can edit cells of a table. A table that declares an action of that key keeps its own in its place.
 */
export const hasEditing = ({ table, columns }: TableView): boolean =>
  columns.some(({ definition }) => definition.editable !== undefined) &&
  !table.rowActions.some(({ key }) => key === updateCellsKey)
