import { randomUUID } from 'node:crypto'
import { type ActionTarget, actionRows, lockRows, type RowsByKey } from '../actions/action-rows.ts'
import { recordChanges } from '../actions/cell-changes.ts'
import { type RowFailure, rowFailure } from '../actions/row-outcome.ts'
import { type CellChange, type GivenValues, type RowChange, writeCells, writeGiven } from '../actions/write-cells.ts'
import type { Run, Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { changedRowsStatement } from '../query/keys-statement.ts'
import type { KeptChange } from '../storage/undos.ts'
import { type EditableColumn, listEditableColumns } from '../table/editable-columns.ts'
import { presentCells, presentColumnNames } from '../table/former-names.ts'
import { openKept, sealSensitive } from './offer-undo.ts'
import type { TableRequest } from './table-request.ts'
import { findClosed } from './update-cells.ts'

/** The outcome of an undo, by the texts of keys. */
export interface Undone {
  readonly keys: readonly string[]
  readonly failed: ReadonlyMap<string, RowFailure>
  /** The rows that were inside the scope before. */
  readonly inside: ReadonlySet<string>
  /** The change that this undo has made, which can itself be undone. */
  readonly change?: Pick<KeptChange, 'id' | 'rows'>
}

interface Columns {
  readonly editable: ReadonlyMap<string, EditableColumn>
  readonly present: ReadonlyMap<string, string>
}

/** A row of a change, with the values of its sensitive cells. */
interface Restored extends AuditedRow {
  readonly columns: readonly EditableColumn[]
}

/** Writes the cells of a change back as they were, in each row where nothing has changed them since. */
export async function undoCells(request: TableRequest, transaction: Transaction, kept: KeptChange): Promise<Undone> {
  const { run } = transaction
  const editable = listEditableColumns(request.view)
  const present = presentColumnNames(request.view.columns)
  const audited = await readAuditedRows(run, request.table.name, kept.id, present)
  if (audited.length === 0) throw new RequestError('undo_not_found')
  const keys = audited.map(({ key }) => key)
  const entries = audited.map((row) => completeRow(request, kept, row, { editable, present }))
  await lockRows(transaction, request, keys)
  const states = await lockStates(request, run, keys, [...editable.values()])
  const later = await findLaterChanges(run, request.table.name, audited, present)
  const failed = new Map<string, RowFailure>()
  for (const entry of entries) {
    const state = states.get(entry.key)
    const code = state === undefined ? 'row_not_found' : findConflict(entry, state, later)
    // A failure must not tell anything about a row outside the scope.
    if (code !== undefined) failed.set(entry.key, rowFailure(state?.isInside === true ? code : 'row_not_found'))
  }
  const inside = new Set(keys.filter((key) => states.get(key)?.isInside === true))
  const left = entries.filter(({ key }) => !failed.has(key))
  const { changes, failed: refused } = await restoreRows(request, transaction, left)
  const id = randomUUID()
  await recordChanges(transaction.drizzle, request, { change: id, undoes: kept.id }, changes, editable)
  for (const [key, failure] of refused) failed.set(key, inside.has(key) ? failure : rowFailure('row_not_found'))
  return {
    keys,
    inside,
    failed,
    ...(changes.length > 0 && { change: { id, rows: sealSensitive(request, id, changes, editable) } }),
  }
}

function completeRow(
  request: TableRequest,
  kept: KeptChange,
  row: AuditedRow,
  { editable, present }: Columns,
): Restored {
  const opened = openKept(request, kept.id, row.key, kept.rows[row.key] ?? {}) ?? {}
  const cells = { ...row.cells, ...presentCells(present, opened as Readonly<Record<string, CellChange>>) }
  return { ...row, cells, columns: Object.keys(cells).flatMap((name) => editable.get(name) ?? []) }
}

/** A row as it is now, without the scope of a caller. */
interface RowState {
  readonly isInside: boolean
  /** Texts by the keys of columns. */
  readonly cells: ReadonlyMap<string, string | null>
}

async function lockStates(
  request: TableRequest,
  run: Run,
  keys: readonly string[],
  columns: readonly EditableColumn[],
): Promise<ReadonlyMap<string, RowState>> {
  const names = columns.map(({ attribute }) => attribute.name)
  const { text, parameters } = changedRowsStatement(request, keys, names, false)
  const rows = await run(text, parameters)
  return new Map(
    rows.map(([key, isInside, , ...texts]) => [
      String(key),
      {
        isInside: isInside === true,
        cells: new Map(columns.map((column, index) => [column.key, textOrNull(texts[index])])),
      },
    ]),
  )
}

const textOrNull = (value: unknown): string | null => (value === null || value === undefined ? null : String(value))

/** Finds why a row cannot be restored. */
function findConflict({ key, cells, columns }: Restored, state: RowState, later: ReadonlySet<string>) {
  if (columns.length < Object.keys(cells).length) return 'action_not_applicable'
  if (later.has(key)) return 'undo_conflict'
  const values = Object.entries(cells)
  // The values were sealed with another secret and cannot be opened.
  if (values.some(([, { before, after }]) => before === undefined || after === undefined)) return 'undo_expired'
  return values.some(([name, { after }]) => state.cells.get(name) !== after) ? 'undo_conflict' : undefined
}

interface Restoring {
  readonly changes: readonly RowChange[]
  readonly failed: ReadonlyMap<string, RowFailure>
}

/**
 * Restores rows that their caller could edit before or can edit after: a change may have taken a row out of the scope,
 * or have closed its own column. The others stay as they are.
 */
async function restoreRows(
  request: TableRequest,
  transaction: Transaction,
  entries: readonly Restored[],
): Promise<Restoring> {
  const failed = new Map<string, RowFailure>()
  const { run } = transaction
  const read = (rows: readonly Restored[]) =>
    actionRows(
      transaction,
      request,
      rows.map(({ key }) => key),
      'look',
    )
  const before = await read(entries)
  let left = entries
  while (left.length > 0) {
    await run('savepoint undoing', [])
    const { changes, refused } = await write(request, transaction, left)
    const written = left.filter(({ key }) => !refused.has(key))
    const after = await read(written)
    const closed = new Map(
      written.flatMap((entry) => {
        const failure = findRefusal(request, entry, [after, before])
        return failure === undefined ? [] : [[entry.key, failure] as const]
      }),
    )
    if (closed.size === 0) return { changes, failed: new Map([...failed, ...refused]) }
    await run('rollback to savepoint undoing', [])
    for (const [key, failure] of closed) failed.set(key, failure)
    left = left.filter(({ key }) => !closed.has(key))
  }
  return { changes: [], failed }
}

/** Returns why the caller cannot edit a row in any of these states of it; `undefined` if one of them is editable. */
function findRefusal(
  { context }: ActionTarget,
  { key, columns }: Restored,
  states: readonly RowsByKey[],
): RowFailure | undefined {
  const rows = states.map((state) => state.get(key)).filter((row) => row !== undefined)
  const reasons = rows.map((row) => findClosed(columns, row, context))
  if (reasons.includes(undefined)) return undefined
  const [text] = reasons
  return text === undefined ? rowFailure('row_not_found') : { ...rowFailure('action_not_applicable'), text }
}

async function write(
  { view }: TableRequest,
  { drizzle }: Transaction,
  entries: readonly Restored[],
): Promise<{ readonly changes: readonly RowChange[]; readonly refused: ReadonlyMap<string, RowFailure> }> {
  const given: GivenValues = Object.fromEntries(
    entries.map(({ key, cells }) => [
      key,
      Object.fromEntries(Object.entries(cells).map(([name, { before = null }]) => [name, before])),
    ]),
  )
  const columns = new Map(entries.flatMap(({ columns: own }) => own.map((column) => [column.key, column])))
  const writes = [...columns.values()].map(writeGiven)
  const keys = entries.map(({ key }) => key)
  const { changes, refused } = await writeCells(drizzle, { view }, writes, keys, given)
  return { changes, refused: new Map([...refused].map(([key, { code, text }]) => [key, { code, text }])) }
}

/** The cells of one row that a change has changed. Both values of a sensitive cell are absent. */
interface AuditedRow {
  readonly id: bigint
  readonly key: string
  readonly cells: Readonly<Record<string, Partial<CellChange>>>
}

/** Reads the rows of a change from the audit, their cells by the present names of columns. */
async function readAuditedRows(
  run: Run,
  table: string,
  change: string,
  present: ReadonlyMap<string, string>,
): Promise<readonly AuditedRow[]> {
  const text = `select id::text, row_key, cells::text from table_control.cell_changes
    where change = $1 and table_name = $2 order by cell_changes.id`
  const rows = await run(text, [change, table])
  return rows.map(([id, key, cells]) => ({
    id: BigInt(String(id)),
    key: String(key),
    cells: presentCells<Partial<CellChange>>(present, JSON.parse(String(cells))),
  }))
}

/** An entry of the audit about one row. */
interface Entry {
  readonly change: string
  readonly undoes: string | null
}

const maxEntries = 100

const selection = `select later.row_key, later.change, later.undoes
  from jsonb_to_recordset(($2::text)::jsonb) as changed (key text, id bigint, names text[]), lateral (
    select row_key, change, undoes, id from table_control.cell_changes
    where table_name = $1 and row_key = changed.key and cell_changes.id > changed.id and cells ?| changed.names
    order by id limit ${maxEntries + 1}
  ) later order by later.id`

/**
 * Finds the rows whose cells have been changed again after these changes. An undone change does not count, so that two
 * changes of one cell can be undone one after the other. The rows must be locked.
 */
async function findLaterChanges(
  run: Run,
  table: string,
  rows: readonly AuditedRow[],
  present: ReadonlyMap<string, string>,
): Promise<ReadonlySet<string>> {
  const asked = rows.map(({ key, id, cells }) => {
    const former = [...present].filter(([, name]) => Object.hasOwn(cells, name)).map(([name]) => name)
    return { key, id: String(id), names: [...Object.keys(cells), ...former] }
  })
  const found = await run(selection, [table, JSON.stringify(asked)])
  const byKey = Map.groupBy(found, ([key]) => String(key))
  const conflicting = rows.filter(({ key }) => {
    const entries = (byKey.get(key) ?? []).map(
      ([, change, undoes]): Entry => ({
        change: String(change),
        undoes: typeof undoes === 'string' ? undoes : null,
      }),
    )
    return entries.length > maxEntries || hasLasting(entries)
  })
  return new Set(conflicting.map(({ key }) => key))
}

/** Whether one of these entries was not undone and does more than to undo another of them. */
function hasLasting(entries: readonly Entry[]): boolean {
  const changes = new Set(entries.map(({ change }) => change))
  const undone = new Set<string>()
  for (const { change, undoes } of entries.toReversed()) if (undoes !== null && !undone.has(change)) undone.add(undoes)
  return entries.some(({ change, undoes }) => !undone.has(change) && !(undoes !== null && changes.has(undoes)))
}
