import type { CellEditRequestEvent, GridApi, GridOptions, IRowNode } from 'ag-grid-community'
import type { CellsOutcome } from '../change-outcomes.ts'
import type { AnyTable } from '../table-types.ts'
import { type AnyChanges, type EditedTable, findIncluded, findSchema, gridChanges, toCell } from './grid-changes.ts'
import type { GridItem } from './grid-client.ts'

interface AgGridEditingOptions {
  readonly params?: unknown
  /** Called after each change with the row as it was, such as to offer its `undo` or to show the cells of a `conflict`. */
  readonly onOutcome?: (outcome: CellsOutcome<AnyTable>, before: GridItem) => void
  /** Called with any other error, such as that of a lost connection. */
  readonly onError?: (error: unknown) => void
}

type EditingOptions = Required<Pick<GridOptions<GridItem>, 'readOnlyEdit' | 'defaultColDef' | 'onCellEditRequest'>>

/**
 * Creates the options of AG Grid with which it edits cells: it shows a value once the service has written it, so that a refused one is never
 * in the row. Cells of a row that are pasted together are written together. After a conflict, the row is shown as it is now.
 *
 * @example
 * const { defaultColDef, ...editing } = agGridEditing(changes, await client.loadTable('orders'), { onOutcome: show })
 * createGrid(element, { ...editing, defaultColDef: { ...defaultColDef, flex: 1 }, rowModelType: 'serverSide', columnDefs,
 *   serverSideDatasource: agGridDatasource(client, 'orders', { query: { include: ['version'] } }) })
 */
export function agGridEditing(
  changes: AnyChanges,
  table: EditedTable,
  options: AgGridEditingOptions = {},
): EditingOptions {
  const { params, onOutcome, onError } = options
  const waiting = new Map<IRowNode<GridItem>, Record<string, unknown>>()
  const running = new Map<IRowNode<GridItem>, Promise<void>>()
  const save = async (node: IRowNode<GridItem>, api: GridApi<GridItem>) => {
    const cells = waiting.get(node) ?? {}
    waiting.delete(node)
    // The row of the edit before, with its version.
    const { data } = node
    if (data === undefined) return
    const asked = { include: findIncluded(data), ...(params !== undefined && { params }) }
    const outcome = await gridChanges(changes).updateCells(table.tableName, data, cells, asked)
    if (outcome.outcome === 'conflict') node.setData(outcome.current)
    else if (outcome.outcome === 'saved') {
      if (outcome.row === undefined) removeRow(api, data)
      else node.setData(outcome.row)
    }
    onOutcome?.(outcome, data)
  }
  const edit = ({ node, api, colDef: { field = '' }, newValue }: CellEditRequestEvent<GridItem>) => {
    try {
      const value = toCell(table, field, newValue)
      const cells = waiting.get(node)
      waiting.set(node, { ...cells, [field]: value })
      if (cells !== undefined) return
    } catch (error) {
      return onError?.(error)
    }
    const work = (running.get(node) ?? Promise.resolve())
      .then(() => save(node, api))
      .catch((error: unknown) => onError?.(error))
      .finally(() => running.get(node) === work && running.delete(node))
    running.set(node, work)
  }
  return {
    readOnlyEdit: true,
    defaultColDef: {
      editable: ({ node, colDef: { field } }) => node.group !== true && findSchema(table, field) !== undefined,
    },
    onCellEditRequest: edit,
  }
}

/** Rows of the server-side model are in groups and blocks, which the grid reads again. */
function removeRow(api: GridApi<GridItem>, row: GridItem): void {
  if (api.getGridOption('rowModelType') === 'serverSide') api.refreshServerSide({ purge: false })
  else api.applyTransaction({ remove: [row] })
}
