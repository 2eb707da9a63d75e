import { type ActionTarget, actionRows } from '../actions/action-rows.ts'
import { findAction } from '../actions/find-action.ts'
import { readInput } from '../actions/form-input.ts'
import { isApplicable, runOnRow } from '../actions/run-row-action.ts'
import { RequestError } from '../errors/request-error.ts'
import { idOfPath, keyText } from '../rows/row-id.ts'
import { formKeys } from '../table/action-entry.ts'
import type { AnyRow, RowAction } from '../table/compiled-table.ts'
import { type ActionTransaction, auditingFailure, inActionTransaction } from './action-transaction.ts'
import type { Reply } from './reply.ts'
import { openedForm, rowActionPayload } from './row-action-payload.ts'
import type { Payload, TableRequest } from './table-request.ts'

/**
 * Runs an action on one row inside the caller's scope (specification 4.4). The row is locked and the action's applicability
 * checked in the transaction that changes it, so that of two calls at once only one finds the row as it was.
 */
export async function rowTableAction(request: TableRequest): Promise<Payload | Reply> {
  const action = findAction(request.view.rowActions, request.path['action'])
  return auditingFailure(request, action.key, 'row', () =>
    inActionTransaction(request, action.key, 'row', (running) => runOne(request, action, running)),
  )
}

async function runOne(
  request: TableRequest,
  action: RowAction,
  { transaction, audit }: ActionTransaction,
): Promise<Payload> {
  const { definition } = action
  const opening = opensForm(request, action)
  const input = opening ? undefined : readInput(definition, request.body)
  const key = keyText(request.table.key, idOfPath(request.path['id'] ?? ''))
  const row = key === undefined ? undefined : await applicableRow(request, action, transaction, key, opening)
  if (key === undefined || row === undefined) throw new RequestError('row_not_found')
  if (opening) return openedForm(request, action, row, key)
  const answer = await runOnRow(transaction, request, definition, row, input)
  const [payload] = await Promise.all([rowActionPayload(request, transaction, action, key, row, answer), audit(1)])
  return payload
}

async function applicableRow(
  request: ActionTarget,
  { definition }: RowAction,
  transaction: ActionTransaction['transaction'],
  key: string,
  opening: boolean,
): Promise<AnyRow | undefined> {
  const changes = !opening && (definition.run !== undefined || definition.runAll !== undefined)
  const rows = await actionRows(transaction, request, [key], changes ? 'lock' : 'look')
  const row = rows.get(key)
  if (row !== undefined && !isApplicable(definition, row, request)) throw new RequestError('action_not_applicable')
  return row
}

/** The first step of a form in two steps: a body without any of the form's fields asks for the form itself. */
const opensForm = ({ body, query }: TableRequest, { definition }: RowAction): boolean =>
  definition.onSuccess === 'OpenModalForm' &&
  new URLSearchParams(query).get('step') !== 'submit' &&
  !formKeys(definition).some((key) => Object.hasOwn(body, key))
