import { randomUUID } from 'node:crypto'
import type { RowChange } from '../actions/write-cells.ts'
import type { Run } from '../db/transaction.ts'
import { changedRowsStatement } from '../query/keys-statement.ts'
import { openText, sealText } from '../query/sealed-text.ts'
import { guardBasePath, undoPath } from '../routes.ts'
import { hasVersions } from '../rows/row-version.ts'
import { insertUndo, type KeptChange, type KeptRow } from '../storage/undos.ts'
import { actionContext } from '../table/action-entry.ts'
import type { RowAction } from '../table/compiled-table.ts'
import type { EditableColumn } from '../table/editable-columns.ts'
import { withQuery } from '../table/params-query.ts'
import { requestPlace } from './request-place.ts'
import type { Payload, TableRequest } from './table-request.ts'

const undoContext = ({ identity, table }: TableRequest, change: string, key: string): string =>
  `undo\n${JSON.stringify([table.name, identity.subject, change, key])}`

/** The most characters that an action may keep of one row. */
const maxKeptLength = 65_536

/** Seals what only the undo of a change may read of a row. */
function sealKept(request: TableRequest, change: string, key: string, value: unknown): string {
  const text = JSON.stringify(value ?? null)
  if (text.length > maxKeptLength) throw new Error(`the undo data of a row has more than ${maxKeptLength} characters`)
  return sealRow(request, change, key, text)
}

const sealRow = (request: TableRequest, change: string, key: string, text: string): string =>
  sealText(request.config.SERVICE_SECRET, undoContext(request, change, key), text)

/** Opens what was sealed; `undefined` where nothing was, or with another secret. */
export function openKept(request: TableRequest, change: string, key: string, { sealed }: KeptRow): unknown {
  const text = openText(request.config.SERVICE_SECRET, undoContext(request, change, key), sealed)
  return text === undefined ? undefined : JSON.parse(text)
}

/**
 * Seals the sensitive cells of changed rows, which the audit does not have, for as long as the change can be undone.
 */
export function sealSensitive(
  request: TableRequest,
  change: string,
  changes: readonly RowChange[],
  columns: ReadonlyMap<string, EditableColumn>,
): KeptChange['rows'] {
  const rows: [key: string, row: KeptRow][] = []
  for (const { key, cells } of changes) {
    const sensitive = Object.entries(cells).filter(([name]) => columns.get(name)?.isSensitive === true)
    if (sensitive.length === 0) continue
    const text = JSON.stringify(Object.fromEntries(sensitive))
    // The edit of longer cells is done all the same; their undo says that it cannot be made.
    if (text.length <= maxKeptLength) rows.push([key, { sealed: sealRow(request, change, key, text) }])
  }
  return Object.fromEntries(rows)
}

/** Stores a change that can be undone, and returns the `undo` of a response. */
export async function offerUndo(request: TableRequest, run: Run, change: KeptChange): Promise<Payload> {
  const expires = await insertUndo(run, requestPlace(request), change)
  const { view, context, guard, baseUrl } = request
  const path = `${guardBasePath(guard)}${undoPath}/${encodeURIComponent(view.table.name)}/${change.id}`
  return { undo: { url: baseUrl + withQuery(path, actionContext(view, context).query), expires_at: expires } }
}

/** The undo data of rows that an action has returned, by the texts of their keys. */
export type UndoData = ReadonlyMap<string, unknown>

/**
 * Stores what a declared action has returned for its undo, with the versions of the rows after the change. Returns the
 * `undo` of the response, or nothing if there is nothing to undo.
 */
export async function offerActionUndo(
  request: TableRequest,
  run: Run,
  { key, definition }: RowAction,
  kind: KeptChange['kind'],
  data: UndoData,
): Promise<Payload> {
  const own = definition.takeChange?.()
  if (own !== undefined) return offerUndo(request, run, { ...own, action: key, kind })
  if (definition.undo === undefined || data.size === 0) return {}
  const id = randomUUID()
  const { text, parameters } = changedRowsStatement(
    request,
    [...data.keys()],
    [],
    await hasVersions({ read: run }, request.table),
  )
  const places = new Map([...data.keys()].map((name, place) => [name, place]))
  const rows = (await run(text, parameters)).map(([row, , version]): readonly [string, KeptRow] => {
    const name = String(row)
    const sealed = sealKept(request, id, name, data.get(name))
    return [name, { place: places.get(name) ?? 0, ...(typeof version === 'string' && { version }), sealed }]
  })
  return offerUndo(request, run, { id, action: key, kind, rows: Object.fromEntries(rows) })
}
