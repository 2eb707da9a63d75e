import { countsMessage } from '../actions/row-outcome.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { translate } from '../i18n/language.ts'
import { uuid } from '../query/read-value.ts'
import { jsonList } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { toRowId } from '../rows/row-id.ts'
import { completeUndo, findUndo, type KeptChange, lockUndo } from '../storage/undos.ts'
import { hasEditing, updateCellsKey } from '../table/has-editing.ts'
import { type ActionTransaction, auditingFailure, inActionTransaction, withFirstAnswer } from './action-transaction.ts'
import { findEffects, listOtherKeys } from './find-effects.ts'
import { rowActionsKey } from './item-context.ts'
import { offerUndo, undoPlace } from './offer-undo.ts'
import type { ReadEffects } from './plan-effects.ts'
import { isReply, type Reply } from './reply.ts'
import { assertDone, createOutcome } from './several-rows.ts'
import type { Payload, TableRequest } from './table-request.ts'
import { undoAction } from './undo-action.ts'
import { type Undone, undoCells } from './undo-cells.ts'

/**
 * Undoes a change of the same caller, row by row: a row that has changed since stays as it is. The permission to make the change is
 * checked again.
 */
export async function undoChange(request: TableRequest): Promise<Payload | Reply> {
  const others = listOtherKeys(request.body, ['params', rowActionsKey])
  if (others.length > 0)
    throw validationFailed(
      Object.fromEntries(others.slice(0, 10).map((key) => [key.slice(0, 100), [fieldFault('not_known')]])),
    )
  const id = (request.path['change'] ?? '').toLowerCase()
  const kept = uuid.test(id) ? await findUndo(request.database.read, undoPlace(request), id) : undefined
  if (kept === undefined) throw new RequestError('undo_not_found')
  await request.assertAdmitted(kept.kind === 'row' ? 'rowTableAction' : 'rowBulkTableAction')
  const asked = { ...request, path: { ...request.path, action: kept.action, id } }
  return auditingFailure(asked, kept.action, 'undo', async () => {
    const found = await withFirstAnswer(asked, kept.action, 'undo', () => findEffects(asked, {}))
    if (isReply(found)) return found
    return inActionTransaction(found.asked, kept.action, 'undo', (running) =>
      undoOnce(found.asked, kept, found.readEffects, running),
    )
  })
}

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
  const undone: Undone & { readonly isAtomic?: boolean } =
    kept.action === updateCellsKey && hasEditing(request.view)
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
