import * as z from 'zod/mini'
import { actionRows, lockRows, type RowsByKey } from '../actions/action-rows.ts'
import { findAction } from '../actions/find-action.ts'
import { assertNoVersions, refuseKeys } from '../actions/known-keys.ts'
import { countsMessage, type RowFailure, rowFailure } from '../actions/row-outcome.ts'
import { attempt, createWork, findRefusal } from '../actions/run-row-action.ts'
import type { Transaction } from '../db/transaction.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, refuse } from '../errors/request-error.ts'
import { translate } from '../i18n/language.ts'
import { changedRowsStatement } from '../query/keys-statement.ts'
import { uuid } from '../query/read-value.ts'
import { jsonList } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { toRowId } from '../rows/row-id.ts'
import { hasVersions } from '../rows/row-version.ts'
import { completeUndo, findUndo, type KeptChange, listKeptKeys, lockUndo } from '../storage/undos.ts'
import type { AnyRowAction } from '../table/compiled-table.ts'
import type { AnyRow } from '../table/context.ts'
import { findFormerAction } from '../table/former-names.ts'
import { hasEditing, updateCellsKey } from '../table/has-editing.ts'
import { type ActionTransaction, auditFailure, inActionTransaction, withFirstResponse } from './action-transaction.ts'
import { findEffects, listOtherKeys } from './find-effects.ts'
import { rowActionsKey } from './item-context.ts'
import { offerUndo, openKept } from './offer-undo.ts'
import type { ReadEffects } from './plan-effects.ts'
import { isReply, type Reply } from './reply.ts'
import { requestPlace } from './request-place.ts'
import { assertDone, createOutcome } from './several-rows.ts'
import type { Payload, TableRequest } from './table-request.ts'
import { type Undone, undoCells } from './undo-cells.ts'

/**
 * Undoes a change of the same caller, row by row: a row that has changed since stays as it is. The permission to make
 * the change is checked again.
 */
export async function undoChange(request: TableRequest): Promise<Payload | Reply> {
  refuseKeys(listOtherKeys(request.body, ['params', rowActionsKey]), fieldFault('not_known'))
  assertNoVersions(request, [])
  const id = (request.path['change'] ?? '').toLowerCase()
  const found = uuid.test(id) ? await findUndo(request.database.read, requestPlace(request), id) : undefined
  if (found === undefined) throw new RequestError('undo_not_found')
  const kept = { ...found, action: findFormerAction(request.view, found.action)?.name ?? found.action }
  await request.assertAdmitted(kept.kind === 'row' ? 'rowTableAction' : 'rowBulkTableAction')
  const asked = { ...request, path: { ...request.path, action: kept.action, id } }
  return auditFailure(asked, kept.action, 'undo', async () => {
    const effects = await withFirstResponse(asked, kept.action, 'undo', () => findEffects(asked, {}))
    if (isReply(effects)) return effects
    const run = (running: ActionTransaction) => undoOnce(effects.asked, kept, effects.readEffects, running)
    const changesOnlyRows = isUndoOfCells(request, kept)
    return inActionTransaction(effects.asked, kept.action, 'undo', run, { changesOnlyRows })
  })
}

const isUndoOfCells = ({ view }: TableRequest, { action }: KeptChange): boolean =>
  action === updateCellsKey && hasEditing(view)

async function undoOnce(
  request: TableRequest,
  kept: KeptChange,
  readEffects: ReadEffects,
  { transaction, audit }: ActionTransaction,
): Promise<Payload> {
  const { run } = transaction
  const state = await lockUndo(run, kept.id)
  if (state === undefined) throw new RequestError('undo_not_found')
  if (state.isUndone) throw new RequestError('already_undone')
  if (state.isExpired) throw new RequestError('undo_expired')
  const undone: Undone & { readonly isAtomic?: boolean } = isUndoOfCells(request, kept)
    ? await undoCells(request, transaction, kept)
    : await undoAction(request, transaction, kept)
  const { keys, failed, inside, change, isAtomic = false } = undone
  const formatId = (key: string) => toRowId(request.table.key, key)
  const outcome = createOutcome(
    keys.map((key) => ({ id: formatId(key), key })),
    failed,
  )
  assertDone(isAtomic, outcome)
  await completeUndo(run, kept.id)
  const succeeded = keys.filter((key) => !failed.has(key))
  const [items] = await Promise.all([readItems({ read: run }, request, succeeded), audit(succeeded.length)])
  const redo = change && (await offerUndo(request, run, { ...change, action: kept.action, kind: kept.kind }))
  const removed = succeeded.filter((_, index) => items[index] === undefined).map(formatId)
  // A row that has come back into the scope is on no page of the client yet.
  const isMoved = removed.length > 0 || succeeded.some((key) => !inside.has(key))
  return {
    onSuccess: isMoved ? 'reload' : 'refetchData',
    message: translate(countsMessage(outcome.counts), request.language),
    items: jsonList(items.filter((item) => item !== undefined)),
    ...(removed.length > 0 && { removed }),
    ...outcome,
    ...redo,
    ...(await readEffects(run, succeeded)),
  }
}

/**
 * Runs the undo of a declared action on each row that has not changed since, if the action applies to the row before or
 * after the undo. Throws `action_not_defined` if the caller may no longer run the action.
 */
async function undoAction(
  request: TableRequest,
  transaction: Transaction,
  kept: KeptChange,
): Promise<Undone & { readonly isAtomic: boolean }> {
  const { definition } = findAction(request.view.rowActions, kept.action)
  const { undo, atomic } = definition
  if (undo === undefined) throw new RequestError('undo_not_found')
  const keys = listKeptKeys(kept)
  const isVersioned = await hasVersions({ read: transaction.run }, request.table)
  await lockRows(transaction, request, keys)
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
  const parsed = z.safeParse(action.undo.data, opened)
  // Another version of the action has kept it.
  if (!parsed.success) return rowFailure('undo_expired')
  const { table } = request
  const attempted = await attempt(transaction, async (db) => {
    const { data } = parsed
    await action.undo.run({ ...createWork(request, db, undefined, [key]), id: toRowId(table.key, key), data })
    if (isInside && action.appliesTo === undefined) return
    const after = (await actionRows(transaction, request, [key], 'look')).get(key)
    if (!isInside && after === undefined) throw new RequestError('row_not_found')
    const failure = findStateRefusal(request, action, [after, before.get(key)])
    if (failure !== undefined) throw refuse(failure.text, failure.code)
  })
  return 'failure' in attempted ? attempted.failure : undefined
}

/**
 * Finds why an action applies to a row in none of these states. An action may end its own condition, so that only the
 * restored row meets it.
 */
function findStateRefusal(
  request: TableRequest,
  action: AnyRowAction,
  states: readonly (AnyRow | undefined)[],
): RowFailure | undefined {
  const refusals = states.flatMap((row) => (row === undefined ? [] : [findRefusal(action, row, request)]))
  return refusals.includes(undefined) ? undefined : refusals[0]
}
