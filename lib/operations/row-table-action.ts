import { actionRows } from '../actions/action-rows.ts'
import { findAction } from '../actions/find-action.ts'
import { readInput } from '../actions/form-input.ts'
import { assertNoNearMiss, rowActionKeys } from '../actions/known-keys.ts'
import { isApplicable, runOnRow } from '../actions/run-row-action.ts'
import { sendAlong } from '../actions/send-along.ts'
import type { Transaction } from '../db/transaction.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { rowsStatement } from '../query/page-statement.ts'
import { keyText, readIds, readPathId, toRowId } from '../rows/row-id.ts'
import { formKeys } from '../table/action-entry.ts'
import type { RowAction } from '../table/compiled-table.ts'
import type { AnyRow } from '../table/context.ts'
import { stepKey } from '../table/params-query.ts'
import { type ActionGuards, assertExpected, readGuards } from './action-guards.ts'
import { type ActionTransaction, auditingFailure, inActionTransaction } from './action-transaction.ts'
import type { Reply } from './reply.ts'
import { openedForm, rowActionPayload, showsRow } from './row-action-payload.ts'
import { maxSelectedRows, runOnSelectedRows } from './row-bulk-table-action.ts'
import type { Payload, TableRequest } from './table-request.ts'

/**
 * Runs an action on one row inside the caller's scope. Locks the row before it checks whether the action applies, so that only one
 * of two calls at once finds the row as it was.
 */
export async function rowTableAction(request: TableRequest): Promise<Payload | Reply> {
  const action = findAction(request.view.rowActions, request.path['action'])
  if (action.definition.bulk !== undefined && namesOtherRows(request)) {
    await request.assertAdmitted('rowBulkTableAction')
    return runOnSelectedRows(request, action)
  }
  assertNoNearMiss(request.body, formKeys(action.definition), rowActionKeys)
  return auditingFailure(request, action.key, 'row', async () => {
    const guards = readGuards(request.body)
    if (guards.dryRun && !opensForm(request, action)) return dryRun(request, action, guards)
    return inActionTransaction(request, action.key, 'row', (running) => runOne(request, action, guards, running))
  })
}

/**
 * Whether `selected_ids` names several rows, or another than the path does: clients send all ticked rows to the URL of the first.
 * Throws `validation_failed` for anything but a list of ids.
 */
function namesOtherRows({ body, path, table: { key } }: TableRequest): boolean {
  if (!Object.hasOwn(body, 'selected_ids')) return false
  const ids = readIds(body['selected_ids'], 'selected_ids', 0, maxSelectedRows)
  const own = readPathId(path['id'] ?? '')
  const ownKey = keyText(key, own) ?? own
  return ids.some((id) => (keyText(key, id) ?? String(id)) !== ownKey)
}

/** Checks all that a run would check before it changes the row. */
async function dryRun(request: TableRequest, action: RowAction, guards: ActionGuards): Promise<Payload> {
  assertOneRow(request)
  readInput(action.definition, request.body)
  const { key } = await applicableRow(request, action, { run: request.database.read }, 'look')
  assertExpected(guards, 1)
  const id = toRowId(request.table.key, key)
  return { dry_run: true, results: [{ id, success: true }], counts: { succeeded: 1, failed: 0 } }
}

function assertOneRow(request: TableRequest): void {
  if (namesOtherRows(request)) throw validationFailed({ selected_ids: [fieldFault('one_row_only')] })
}

async function runOne(
  request: TableRequest,
  action: RowAction,
  guards: ActionGuards,
  running: ActionTransaction,
): Promise<Payload> {
  const { transaction } = running
  const { definition } = action
  assertOneRow(request)
  const opening = opensForm(request, action)
  const input = opening ? undefined : readInput(definition, request.body)
  const changes = !opening && (definition.run !== undefined || definition.runAll !== undefined)
  const { key, row } = await applicableRow(request, action, transaction, changes ? 'lock' : 'look')
  assertExpected(guards, 1)
  if (opening) return openedForm(request, action, row, key)
  const work = () => runOnRow(transaction, request, definition, row, input)
  const { answer, sent, isLast } = await sendAlong(
    transaction,
    definition,
    () => afterwards(request, action, key, running),
    work,
  )
  const fresh = isLast ? sent?.rows : undefined
  const read: Transaction['run'] = fresh === undefined ? transaction.run : () => fresh
  const payload = rowActionPayload(request, read, action, key, row, answer)
  const [answered] = await Promise.all([payload, sent?.audited ?? running.audit(1), sent?.rows])
  return answered
}

/** Adds the change of a row to the audit, and reads the row as it is then if the response shows it. */
function afterwards(
  request: TableRequest,
  { definition }: RowAction,
  key: string,
  { transaction, audit }: ActionTransaction,
) {
  const { text, parameters } = rowsStatement(request, [key])
  const rows = showsRow(definition) ? transaction.run(text, parameters) : undefined
  const audited = audit(1)
  // If the change itself fails, this result is not awaited.
  audited.catch(() => {})
  return { rows, audited }
}

/** Returns the row of the path. Throws `row_not_found` or `action_not_applicable`. */
async function applicableRow(
  request: TableRequest,
  { definition }: RowAction,
  session: Pick<Transaction, 'run'>,
  lock: 'lock' | 'look',
): Promise<{ readonly key: string; readonly row: AnyRow }> {
  const key = keyText(request.table.key, readPathId(request.path['id'] ?? ''))
  const row = key === undefined ? undefined : (await actionRows(session, request, [key], lock)).get(key)
  if (key === undefined || row === undefined) throw new RequestError('row_not_found')
  if (!isApplicable(definition, row, request)) throw new RequestError('action_not_applicable')
  return { key, row }
}

/** The first step of a form in two steps: a body without any of the form's fields asks for the form itself. */
const opensForm = ({ body, query }: TableRequest, { definition }: RowAction): boolean =>
  definition.onSuccess === 'OpenModalForm' &&
  new URLSearchParams(query).get(stepKey) !== 'submit' &&
  !formKeys(definition).some((key) => Object.hasOwn(body, key))
