import type { GridCellParams, GridUpdateRowParams } from '@mui/x-data-grid'
import {
  type AnyChanges,
  type EditedTable,
  findIncluded,
  findSchema,
  gridChanges,
  requireSaved,
  toCells,
} from './grid-changes.ts'
import type { GridItem } from './grid-client.ts'

/** A row that the grid removes. */
type RemovedRow = Pick<GridItem, 'id'> & { readonly _action: 'delete' }

interface MuiEditing {
  readonly isCellEditable: (cell: Pick<GridCellParams, 'field'>) => boolean
  /** For a grid with `rows`. A refusal is given to `onProcessRowUpdateError`. */
  readonly processRowUpdate: (after: GridItem, before: GridItem) => Promise<GridItem | RemovedRow>
  /** For a grid with a data source, as a member of it. A refusal is the `cause` of what `onDataSourceError` gets. */
  readonly updateRow: (change: GridUpdateRowParams) => Promise<GridItem | RemovedRow>
}

/**
 * Creates the editing of MUI X's data grid: the changed cells of a row are written at once, or none of them. A refused
 * cell stays open; the error of a row that has changed meanwhile has the row as `response.current`. Rows need `include:
 * ['version']` for that.
 *
 * @example
 * const { updateRow, ...editing } = muiEditing(changes, await client.loadTable('orders'))
 * const source = muiDataSource(client, 'orders', { query: { include: ['version'] } })
 * <DataGrid {...editing} dataSource={{ ...source, updateRow }} />
 */
export function muiEditing(
  changes: AnyChanges,
  table: EditedTable,
  { params }: { readonly params?: unknown } = {},
): MuiEditing {
  const save: MuiEditing['processRowUpdate'] = async (after, before) => {
    const cells = toCells(table, before, after)
    if (Object.keys(cells).length === 0) return before
    const options = { include: findIncluded(before), params }
    const row = requireSaved(await gridChanges(changes).updateCells(table.tableName, before, cells, options))
    return row ?? { id: before.id, _action: 'delete' }
  }
  return {
    isCellEditable: ({ field }) => findSchema(table, field) !== undefined,
    processRowUpdate: save,
    updateRow: ({ updatedRow, previousRow }) => save(updatedRow as GridItem, previousRow as GridItem),
  }
}
