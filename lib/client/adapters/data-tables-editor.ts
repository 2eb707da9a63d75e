import { type CellsOutcome, type RowsOutcome, toRefusal } from '../change-outcomes.ts'
import { TableError } from '../table-error.ts'
import type { AnyTable } from '../table-types.ts'
import { type AnyChanges, type Cells, type EditedTable, findIncluded, gridChanges, toCells } from './grid-changes.ts'
import { createUnsupported, type GridItem } from './grid-client.ts'

type Outcome = CellsOutcome<AnyTable> | RowsOutcome<AnyTable>

interface EditorOptions {
  readonly params?: unknown
  /** Returns the row of an id as the table shows it: its version is the one that the row must still have. */
  readonly findRow: (id: string) => GridItem | undefined
  /** Called after each change, such as to offer its `undo`, or to show rows that were refused or have changed. */
  readonly onOutcome?: (outcome: Outcome) => void
}

/** A request of Editor: the values of fields by the id of the row. */
export interface EditorRequest {
  readonly action?: string
  readonly data?: Readonly<Record<string, Cells>>
}

export interface EditorResponse {
  readonly data?: readonly object[]
  /** The ids of the rows that were not changed, if others were. */
  readonly cancelled?: readonly string[]
  readonly fieldErrors?: readonly { readonly name: string; readonly status: string }[]
  readonly error?: string
}

type EditorAjax = (
  method: unknown,
  url: unknown,
  request: EditorRequest,
  success: (response: EditorResponse) => void,
  failure?: unknown,
) => void

/**
 * Creates the `ajax` function of DataTables Editor for the action `edit`, with `idSrc: 'id'`. The names of fields are
 * those of columns. Rows that get the same values are changed together.
 *
 * @example
 * new DataTable.Editor({ table: '#orders', idSrc: 'id', fields: [{ name: 'title' }],
 *   ajax: dataTablesEditorAjax(changes, structure, {
 *   findRow: (id) => table.rows().data().toArray().find((row) => String(row.id) === id) }) })
 */
export function dataTablesEditorAjax(changes: AnyChanges, table: EditedTable, options: EditorOptions): EditorAjax {
  return (_method, _url, request, success) => {
    saveRows(changes, table, request, options).then(success, (error: unknown) => success({ error: toText(error) }))
  }
}

/** Rows with their ids as the grid writes them, and the cells that all of them get. */
interface EqualEdits {
  readonly cells: Cells
  readonly rows: Map<string, GridItem>
}

async function saveRows(
  changes: AnyChanges,
  table: EditedTable,
  { action, data = {} }: EditorRequest,
  { params, findRow, onOutcome }: EditorOptions,
): Promise<EditorResponse> {
  if (action !== 'edit') throw createUnsupported(`the action "${action}" of Editor`)
  const { unchanged, edits } = groupEdits(table, data, findRow)
  const saved: object[] = [...unchanged]
  const refusals: [ids: readonly string[], response: EditorResponse][] = []
  for (const { cells, rows } of edits) {
    const [first, ...others] = rows.values()
    if (first === undefined) continue
    const asked = { include: findIncluded(first), params }
    const change: Promise<Outcome> =
      others.length === 0
        ? gridChanges(changes).updateCells(table.tableName, first, cells, asked)
        : gridChanges(changes).updateRows(table.tableName, [first, ...others], cells, asked)
    // Rows that are saved are returned although a later change fails.
    const outcome = await change.catch(toFailedChange)
    onOutcome?.(outcome)
    if ('error' in outcome) refusals.push([[...rows.keys()], toFailure(outcome)])
    else {
      // A row that has left the table stays until the next draw.
      saved.push(...('items' in outcome ? outcome.items : [outcome.row ?? first]))
      if (outcome.outcome === 'partly') refusals.push([listFailed(outcome), { error: outcome.message }])
    }
  }
  const [refused] = refusals
  if (refused !== undefined && (saved.length === 0 || onOutcome === undefined)) return refused[1]
  return { data: saved, ...(refused !== undefined && { cancelled: refusals.flatMap(([ids]) => ids) }) }
}

function groupEdits(table: EditedTable, data: NonNullable<EditorRequest['data']>, findRow: EditorOptions['findRow']) {
  const unchanged: GridItem[] = []
  const edits = new Map<string, EqualEdits>()
  for (const [id, values] of Object.entries(data)) {
    const row = findRow(id) ?? { id }
    const cells = toCells(table, row, values)
    if (Object.keys(cells).length === 0) unchanged.push(row)
    else {
      const name = JSON.stringify(cells)
      const equal = edits.get(name) ?? { cells, rows: new Map() }
      edits.set(name, { cells, rows: equal.rows.set(id, row) })
    }
  }
  return { unchanged, edits: edits.values() }
}

function toFailure({ error, ...outcome }: Extract<Outcome, { readonly error: unknown }>): EditorResponse {
  const fields: Readonly<Record<string, readonly string[] | undefined>> = 'fields' in outcome ? outcome.fields : {}
  const fieldErrors = Object.entries(fields).flatMap(([name, texts = []]) =>
    texts.length === 0 ? [] : [{ name, status: texts.join('; ') }],
  )
  return fieldErrors.length > 0 ? { fieldErrors } : { error: error.message }
}

const toFailedChange = (cause: unknown): Outcome =>
  toRefusal(cause instanceof TableError ? cause : new TableError('unreachable', toText(cause), { cause }))

const toText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const listFailed = ({ results }: RowsOutcome<AnyTable>): readonly string[] =>
  results.filter(({ success }) => !success).map(({ id }) => String(id))
