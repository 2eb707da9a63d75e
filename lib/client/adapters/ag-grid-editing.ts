import type { CellEditRequestEvent, GridApi, GridOptions, IRowNode } from 'ag-grid-community'
import type { CellsOutcome } from '../change-outcomes.ts'
import type { AnyTable } from '../table-types.ts'
import { refreshAfterEdits } from './ag-grid-refresh.ts'
import { type AnyChanges, type Cells, type EditedTable, findSchema, toCell } from './grid-changes.ts'
import type { GridItem } from './grid-client.ts'
import { createRowEdits, toVersion } from './row-edits.ts'

/** Cells that a user has changed together. The grid keeps nothing of an edit that was not saved. */
interface AgGridEdit {
  /** The row as the user has seen it. */
  readonly row: GridItem
  readonly cells: Cells
}

interface AgGridEditingOptions {
  readonly params?: unknown
  /**
   * Called after each change with the row that the user has seen, such as to offer its `undo` or to show the cells of a
   * `conflict`.
   */
  readonly onOutcome?: (outcome: CellsOutcome<AnyTable>, before: GridItem, edit: AgGridEdit) => void
  /** Called with any other error, such as that of a lost connection. */
  readonly onError?: (error: unknown, edit: AgGridEdit) => void
}

type EditingOptions = Required<
  Pick<
    GridOptions<GridItem>,
    'readOnlyEdit' | 'defaultColDef' | 'onCellEditingStarted' | 'onCellEditingStopped' | 'onCellEditRequest'
  >
>

/**
 * Creates the options of AG Grid with which it edits cells: it shows a value once the service has written it, so that a
 * refused one is never in the row. Cells of a row that are pasted together are written together. The version is that of
 * the row when the editor opened. After a conflict, the row is shown as it is now.
 *
 * @example
 * const { defaultColDef, ...editing } = agGridEditing(changes, await client.loadTable('orders'), { onOutcome: show })
 * createGrid(element, { ...editing, defaultColDef: { ...defaultColDef, flex: 1 }, columnDefs,
 *   rowModelType: 'serverSide',
 *   serverSideDatasource: agGridDatasource(client, 'orders', { query: { include: ['version'] } }) })
 */
export function agGridEditing(
  changes: AnyChanges,
  table: EditedTable,
  options: AgGridEditingOptions = {},
): EditingOptions {
  const { params, onOutcome, onError } = options
  const edits = createRowEdits(changes, table, params)
  const opened = new Map<string, GridItem>()
  /** Cells that are changed at the same moment, such as those that are pasted together. */
  const together = new Map<IRowNode<GridItem>, AgGridEdit>()
  const save = async ({ row, cells }: AgGridEdit, { node, api }: CellEditRequestEvent<GridItem>) => {
    const seen = findNode(api, node, row).data
    const outcome = await edits.write(row, cells)
    const shown = findNode(api, node, row)
    const now = shown.data ?? row
    if (outcome.outcome === 'conflict') {
      // A row that was replaced meanwhile, such as by a live message, is as new or newer.
      if (seen === undefined || toVersion(now) === toVersion(seen)) shown.setData(outcome.current)
    } else if (outcome.outcome === 'saved') {
      if (outcome.row === undefined) removeRow(api, now)
      else if (outcome.row['_version'] === undefined || toVersion(edits.findLatest(now)) === toVersion(outcome.row))
        shown.setData(outcome.row)
    }
    onOutcome?.(outcome, row, { row, cells })
  }
  const saveTogether = (event: CellEditRequestEvent<GridItem>) => {
    const change = together.get(event.node)
    together.delete(event.node)
    if (change === undefined) return
    const work = async () => {
      const latest = { ...change, row: edits.findLatest(change.row) }
      await save(latest, event).catch((error: unknown) => onError?.(error, latest))
    }
    void edits.run(change.row, work)
  }
  const edit = (event: CellEditRequestEvent<GridItem>) => {
    const { node, colDef, newValue } = event
    const { field = '' } = colDef
    const before = together.get(node)
    const row = before?.row ?? opened.get(cellName(event)) ?? event.data
    if (row === undefined) return
    try {
      together.set(node, { row, cells: { ...before?.cells, [field]: toCell(table, field, newValue) } })
    } catch (error) {
      return onError?.(error, { row, cells: { [field]: newValue } })
    }
    if (before === undefined) queueMicrotask(() => saveTogether(event))
  }
  return {
    readOnlyEdit: true,
    defaultColDef: {
      editable: ({ node, colDef: { field } }) => node.group !== true && findSchema(table, field) !== undefined,
    },
    onCellEditingStarted: (event) => {
      if (event.data !== undefined) opened.set(cellName(event), event.data)
    },
    onCellEditingStopped: (event) => void opened.delete(cellName(event)),
    onCellEditRequest: edit,
  }
}

/** Finds the node that shows the row: a grid that loads its rows again may have made another one. */
function findNode(api: GridApi<GridItem>, node: IRowNode<GridItem>, { id }: GridItem): IRowNode<GridItem> {
  const shown = api.getRowNode(String(node.id))
  return shown?.data?.id === id ? shown : node
}

const cellName = ({ node, colDef }: Pick<CellEditRequestEvent<GridItem>, 'node' | 'colDef'>): string =>
  `${node.id} ${colDef.field}`

/** Rows of the server-side model are in groups and blocks, which the grid reads again. */
function removeRow(api: GridApi<GridItem>, row: GridItem): void {
  if (api.getGridOption('rowModelType') === 'serverSide') refreshAfterEdits(api)
  else api.applyTransaction({ remove: [row] })
}
