import type { GridCellParams, GridUpdateRowParams, useGridApiRef } from '@mui/x-data-grid'
import { type AnyChanges, type EditedTable, findSchema, requireSaved, toCells } from './grid-changes.ts'
import type { GridItem } from './grid-client.ts'
import { createRowEdits } from './row-edits.ts'

/** A row that the grid removes. */
type RemovedRow = Pick<GridItem, 'id'> & { readonly _action: 'delete' }

interface MuiEditingOptions {
  readonly params?: unknown
  /**
   * Returns the grid, so that `updateRow` adds no row to another page: the grid adds each row that is written after its
   * user has gone on.
   */
  readonly getGrid?: () => Pick<NonNullable<ReturnType<typeof useGridApiRef>['current']>, 'getRow'> | null
}

export interface MuiEditing {
  readonly isCellEditable: (cell: Pick<GridCellParams, 'field'>) => boolean
  /** Keeps the version of a row for the cell that is opened: the row may be replaced before the cell is written. */
  readonly onCellEditStart: (cell: Pick<GridCellParams, 'id' | 'field' | 'row'>) => void
  /** For a grid with `rows`. A refusal is given to `onProcessRowUpdateError`. */
  readonly processRowUpdate: (after: GridItem, before: GridItem) => Promise<GridItem | RemovedRow>
  /** For a grid with a data source, as a member of it. A refusal is the `cause` of what `onDataSourceError` gets. */
  readonly updateRow: (change: GridUpdateRowParams) => Promise<GridItem | RemovedRow>
}

const maxOpened = 1_000

/**
 * Creates the editing of MUI X's data grid: the changed cells of a row are written at once, or none of them, after the
 * edits of the row before. A refused cell stays open; the error of a row that has changed meanwhile has the row as
 * `response.current`. Rows need `include: ['version']` for that.
 *
 * @example
 * const { updateRow, ...editing } = muiEditing(changes, structure, { getGrid: () => apiRef.current })
 * const source = muiDataSource(client, 'orders', { query: { include: ['version'] } })
 * <DataGrid {...editing} dataSource={{ ...source, updateRow }} />
 */
export function muiEditing(
  changes: AnyChanges,
  table: EditedTable,
  { params, getGrid }: MuiEditingOptions = {},
): MuiEditing {
  const edits = createRowEdits(changes, table, params)
  /** The rows as they were when cells were opened. */
  const opened = new Map<string, GridItem>()
  const save: MuiEditing['processRowUpdate'] = async (after, before) => {
    const cells = toCells(table, before, after)
    const names = Object.keys(cells).map((field) => `${before.id} ${field}`)
    if (names.length === 0) return before
    const seen = names.map((name) => opened.get(name)).find((row) => row !== undefined) ?? before
    const outcome = await edits.run(before, () => edits.write(edits.findLatest(seen), cells))
    for (const name of names) {
      // A refused cell stays open, and its user is told of the row as it is now.
      if (outcome.outcome === 'conflict' && opened.has(name)) opened.set(name, outcome.current)
      else if (outcome.outcome === 'saved') opened.delete(name)
    }
    return requireSaved(outcome) ?? { id: before.id, _action: 'delete' }
  }
  return {
    isCellEditable: ({ field }) => findSchema(table, field) !== undefined,
    onCellEditStart: ({ id, field, row }) => {
      // Cells that were closed without a change are still in it.
      if (opened.size >= maxOpened) opened.clear()
      opened.set(`${id} ${field}`, row)
    },
    processRowUpdate: save,
    updateRow: async ({ updatedRow, previousRow }) => {
      const row = await save(updatedRow as GridItem, previousRow as GridItem)
      return getGrid?.()?.getRow(row.id) === null ? { id: row.id, _action: 'delete' } : row
    },
  }
}
