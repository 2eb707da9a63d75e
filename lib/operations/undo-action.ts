import { actionRows } from '../actions/action-rows.ts'
import { findAction } from '../actions/find-action.ts'
import { type RowFailure, rowFailure } from '../actions/row-outcome.ts'
import { attempt, createWork } from '../actions/run-row-action.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { parseWith } from '../errors/schema-faults.ts'
import { changedRowsStatement } from '../query/keys-statement.ts'
import { toRowId } from '../rows/row-id.ts'
import { hasVersions } from '../rows/row-version.ts'
import type { KeptChange } from '../storage/undos.ts'
import type { AnyRowAction } from '../table/compiled-table.ts'
import { openKept } from './offer-undo.ts'
import type { TableRequest } from './table-request.ts'
import type { Undone } from './undo-cells.ts'

/** Runs the undo of a declared action on each row that has not changed since. Throws `action_not_defined` if the caller may no longer run it. */
export async function undoAction(
  request: TableRequest,
  transaction: Transaction,
  kept: KeptChange,
): Promise<Undone & { readonly isAtomic: boolean }> {
  const { definition } = findAction(request.view.rowActions, kept.action)
  const { undo, atomic } = definition
  if (undo === undefined) throw new RequestError('undo_not_found')
  const keys = Object.keys(kept.rows)
  const isVersioned = await hasVersions({ read: transaction.run }, request.table)
  const { text, parameters } = changedRowsStatement(request, keys, [], isVersioned)
  const states = new Map((await transaction.run(text, parameters)).map(([key, ...state]) => [String(key), state]))
  const failed = new Map<string, RowFailure>()
  for (const key of keys) {
    const [isInside, version] = states.get(key) ?? [false]
    const failure = states.has(key)
      ? await undoRow(request, transaction, undo, kept, { key, version, isInside: isInside === true })
      : rowFailure('row_not_found')
    // A failure must not tell anything about a row outside the scope.
    if (failure !== undefined) failed.set(key, isInside === true ? failure : rowFailure('row_not_found'))
  }
  const inside = new Set(keys.filter((key) => states.get(key)?.[0] === true))
  return { keys, failed, inside, isAtomic: atomic === true }
}

interface LockedRow {
  readonly key: string
  readonly version: unknown
  readonly isInside: boolean
}

async function undoRow(
  request: TableRequest,
  transaction: Transaction,
  undo: NonNullable<AnyRowAction['undo']>,
  kept: KeptChange,
  { key, version, isInside }: LockedRow,
): Promise<RowFailure | undefined> {
  const row = kept.rows[key] ?? {}
  if (row.version !== undefined && row.version !== version) return rowFailure('undo_conflict')
  const opened = openKept(request, kept.id, key, row)
  if (opened === undefined) return rowFailure('undo_expired')
  const { table } = request
  const attempted = await attempt(transaction, async (db) => {
    const data = parseWith(undo.data, opened, [])
    const { rows: _, ...work } = createWork(request, db, undefined, {
      rows: [{ [table.definition.key]: table.key.decode(key) }],
    })
    await undo.run({ ...work, id: toRowId(table.key, key), data })
    if (!isInside && !(await actionRows(transaction, request, [key], 'look')).has(key))
      throw new RequestError('row_not_found')
  })
  return 'failure' in attempted ? attempted.failure : undefined
}
