import type { CellEditRequestEvent, GridApi, GridOptions, IRowNode } from 'ag-grid-community'
import type { CellsOutcome } from '../change-outcomes.ts'
import type { AnyTable } from '../table-types.ts'
import {
  type AnyChanges,
  type Cells,
  type EditedTable,
  findIncluded,
  findSchema,
  gridChanges,
  toCell,
} from './grid-changes.ts'
import type { GridItem } from './grid-client.ts'

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
  const opened = new Map<string, GridItem>()
  const waiting = new Map<IRowNode<GridItem>, AgGridEdit>()
  /** Rows as the user's own latest edits have left them, by the versions before. */
  const saved = new Map<unknown, GridItem>()
  const remember = (before: GridItem, after: GridItem) => {
    // A row may return to an earlier version.
    saved.delete(toVersion(after))
    saved.set(toVersion(before), after)
    if (saved.size > maxSaved) saved.delete(saved.keys().next().value)
  }
  const running = new Map<IRowNode<GridItem>, Promise<void>>()
  const save = async ({ row, cells }: AgGridEdit, node: IRowNode<GridItem>, api: GridApi<GridItem>) => {
    const asked = { include: findIncluded(row), params }
    const outcome = await gridChanges(changes).updateCells(table.tableName, row, cells, asked)
    if (outcome.outcome === 'conflict') {
      saved.delete(toVersion(outcome.current))
      node.setData(outcome.current)
    } else if (outcome.outcome === 'saved') {
      if (outcome.row === undefined) removeRow(api, node.data ?? row)
      else {
        remember(row, outcome.row)
        node.setData(outcome.row)
      }
    }
    onOutcome?.(outcome, row, { row, cells })
  }
  const saveWaiting = async (node: IRowNode<GridItem>, api: GridApi<GridItem>) => {
    const change = waiting.get(node)
    waiting.delete(node)
    if (change === undefined) return
    let { row } = change
    for (let next = saved.get(toVersion(row)); next !== undefined; next = saved.get(toVersion(row))) row = next
    const latest = { ...change, row }
    await save(latest, node, api).catch((error: unknown) => onError?.(error, latest))
  }
  const edit = (event: CellEditRequestEvent<GridItem>) => {
    const { node, api, colDef, newValue } = event
    const { field = '' } = colDef
    const before = waiting.get(node)
    const row = before?.row ?? opened.get(cellName(event)) ?? event.data
    if (row === undefined) return
    try {
      waiting.set(node, { row, cells: { ...before?.cells, [field]: toCell(table, field, newValue) } })
    } catch (error) {
      return onError?.(error, { row, cells: { [field]: newValue } })
    }
    const work = (running.get(node) ?? Promise.resolve())
      .then(() => saveWaiting(node, api))
      .finally(() => running.get(node) === work && running.delete(node))
    running.set(node, work)
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

const maxSaved = 1_000

/** The grid may get another object of the same row and version, such as by a live message. */
const toVersion = (row: GridItem): unknown => (row['_version'] === undefined ? row : `${row.id} ${row['_version']}`)

const cellName = ({ node, colDef }: Pick<CellEditRequestEvent<GridItem>, 'node' | 'colDef'>): string =>
  `${node.id} ${colDef.field}`

/** Rows of the server-side model are in groups and blocks, which the grid reads again. */
function removeRow(api: GridApi<GridItem>, row: GridItem): void {
  if (api.getGridOption('rowModelType') === 'serverSide') api.refreshServerSide({ purge: false })
  else api.applyTransaction({ remove: [row] })
}
