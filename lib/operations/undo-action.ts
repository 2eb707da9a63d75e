import { actionRows, type RowsByKey } from '../actions/action-rows.ts'
import { findAction } from '../actions/find-action.ts'
import { type RowFailure, rowFailure } from '../actions/row-outcome.ts'
import { attempt, createWork, findRefusal } from '../actions/run-row-action.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError, refuse } from '../errors/request-error.ts'
import { parseWith } from '../errors/schema-faults.ts'
import { changedRowsStatement } from '../query/keys-statement.ts'
import { toRowId } from '../rows/row-id.ts'
import { hasVersions } from '../rows/row-version.ts'
import type { KeptChange } from '../storage/undos.ts'
import type { AnyRowAction } from '../table/compiled-table.ts'
import type { AnyRow } from '../table/context.ts'
import { openKept } from './offer-undo.ts'
import type { TableRequest } from './table-request.ts'
import type { Undone } from './undo-cells.ts'

/**
 * Runs the undo of a declared action on each row that has not changed since, if the action applies to the row before or after the undo.
 * Throws `action_not_defined` if the caller may no longer run the action.
 */
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
  const before = await actionRows(transaction, request, definition.appliesTo === undefined ? [] : keys, 'look')
  const failed = new Map<string, RowFailure>()
  for (const key of keys) {
    const [isInside, version] = states.get(key) ?? [false]
    const failure = states.has(key)
      ? await undoRow(request, transaction, { ...definition, undo }, kept, {
          key,
          version,
          isInside: isInside === true,
          before,
        })
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
  /** The rows that were inside the scope before the undo, if the action has a condition on its rows. */
  readonly before: RowsByKey
}

async function undoRow(
  request: TableRequest,
  transaction: Transaction,
  action: AnyRowAction & Required<Pick<AnyRowAction, 'undo'>>,
  kept: KeptChange,
  { key, version, isInside, before }: LockedRow,
): Promise<RowFailure | undefined> {
  const row = kept.rows[key] ?? {}
  if (row.version !== undefined && row.version !== version) return rowFailure('undo_conflict')
  const opened = openKept(request, kept.id, key, row)
  if (opened === undefined) return rowFailure('undo_expired')
  const { table } = request
  const attempted = await attempt(transaction, async (db) => {
    const data = parseWith(action.undo.data, opened, [])
    const { rows: _, ...work } = createWork(request, db, undefined, {
      rows: [{ [table.definition.key]: table.key.decode(key) }],
    })
    await action.undo.run({ ...work, id: toRowId(table.key, key), data })
    if (isInside && action.appliesTo === undefined) return
    const after = (await actionRows(transaction, request, [key], 'look')).get(key)
    if (!isInside && after === undefined) throw new RequestError('row_not_found')
    const failure = findStateRefusal(request, action, [after, before.get(key)])
    if (failure !== undefined) throw refuse(failure.text, failure.code)
  })
  return 'failure' in attempted ? attempted.failure : undefined
}

/** Finds why an action applies to a row in none of these states. An action may end its own condition, so that only the restored row meets it. */
function findStateRefusal(
  request: TableRequest,
  action: AnyRowAction,
  states: readonly (AnyRow | undefined)[],
): RowFailure | undefined {
  const refusals = states.flatMap((row) => (row === undefined ? [] : [findRefusal(action, row, request)]))
  return refusals.includes(undefined) ? undefined : refusals[0]
}
