import { actionRows } from '../actions/action-rows.ts'
import { runAfterCommit } from '../actions/after-commit.ts'
import { assertExpectedCount } from '../actions/assert-count.ts'
import { readInput } from '../actions/form-input.ts'
import { assertNoNearMiss, rowActionKeys } from '../actions/known-keys.ts'
import { pipelineStatements } from '../actions/pipeline-statements.ts'
import { findRefusal, keepUndoData, runOnRow } from '../actions/run-row-action.ts'
import type { Run, Transaction } from '../db/transaction.ts'
import { actionFault } from '../errors/action-fault.ts'
import { RequestError, refuse, validationFailed } from '../errors/request-error.ts'
import { type Bilingual, type Label, translate } from '../i18n/language.ts'
import { rowsStatement } from '../query/page-statement.ts'
import { actionPaths, guardBasePath } from '../routes.ts'
import { isLink } from '../rows/cell.ts'
import { type CellText, cellText } from '../rows/cell-text.ts'
import { actionText, type CellForm } from '../rows/item.ts'
import { type JsonText, jsonList, jsonObject, jsonTextValue } from '../rows/json-text.ts'
import { keyText } from '../rows/key-text.ts'
import { readItems } from '../rows/read-items.ts'
import { encodePathId, maxSelectedRows, readIds, readPathId, toRowId } from '../rows/row-id.ts'
import { safeUrl } from '../rows/safe-url.ts'
import { actionContext, actionPath, formKeys, rowOnSuccess } from '../table/action-entry.ts'
import { columnValueType } from '../table/column-entry.ts'
import type { CompiledColumn, RowAction } from '../table/compiled-table.ts'
import type { AnyRow, ResponseContext } from '../table/context.ts'
import { stepKey } from '../table/params-query.ts'
import type { ResponseOnSuccess } from '../wire/vocabulary.ts'
import { type ActionConditions, readConditions } from './action-conditions.ts'
import { type ActionTransaction, auditFailure, inActionTransaction, withFirstResponse } from './action-transaction.ts'
import { findEffects } from './find-effects.ts'
import { findRowAction } from './find-row-action.ts'
import { findUndoOffer } from './find-undo-offer.ts'
import { assertNoPlan } from './open-plan.ts'
import type { ReadEffects } from './plan-effects.ts'
import { downloadData, isReply, type Reply } from './reply.ts'
import { runOnSelectedRows } from './row-bulk-table-action.ts'
import type { Payload, TableRequest } from './table-request.ts'
import { findVersionCheck, type VersionCheck } from './version-check.ts'

/**
 * Runs an action on one row inside the caller's scope. Locks the row before it checks whether the action applies, so
 * that only one of two calls at once finds the row as it was.
 */
export async function rowTableAction(request: TableRequest): Promise<Payload | Reply> {
  const action = await findRowAction(request, request.view.rowActions, 'row')
  const isForSeveral = await auditFailure(request, action.key, 'row', async () => {
    const allowsSeveral = action.definition.bulk !== undefined
    assertNoPlan(
      request.body,
      formKeys(action.definition),
      allowsSeveral ? 'no_plan_of_one_row' : 'no_plan_of_row_action',
    )
    return allowsSeveral && namesOtherRows(request)
  })
  if (isForSeveral) {
    await request.assertAdmitted('rowBulkTableAction')
    return runOnSelectedRows(request, action)
  }
  return auditFailure(request, action.key, 'row', async () => {
    assertNoNearMiss(request.body, formKeys(action.definition), rowActionKeys)
    const found = await withFirstResponse(request, action.key, 'row', () => findEffects(request, action.definition))
    if (isReply(found)) return found
    const { asked, readEffects } = found
    // Before the transaction, because it may ask the database by another connection.
    const versions = await findVersionCheck(asked, action, 'one')
    const conditions = { ...readConditions(asked.body), versions }
    if (conditions.dryRun && !opensForm(asked, action)) return dryRun(asked, action, conditions)
    const run = (running: ActionTransaction) => runOne(asked, action, { ...conditions, readEffects }, running)
    return inActionTransaction(asked, action.key, 'row', run, { changesOnlyRows: action.definition.preview })
  })
}

/**
 * Whether `selected_ids` names several rows, or another than the path does: clients send all ticked rows to the URL of
 * the first. Throws `validation_failed` for anything but a list of ids.
 */
function namesOtherRows({ body, path, table: { key } }: TableRequest): boolean {
  if (!Object.hasOwn(body, 'selected_ids')) return false
  const ids = readIds(body['selected_ids'], 'selected_ids', 0, maxSelectedRows)
  const own = readPathId(path['id'] ?? '')
  const ownKey = keyText(key, own) ?? own
  return ids.some((id) => (keyText(key, id) ?? String(id)) !== ownKey)
}

interface RowConditions extends ActionConditions {
  readonly versions: VersionCheck | undefined
}

interface RowRun extends RowConditions {
  readonly readEffects: ReadEffects
}

/** Checks all that a run would check before it changes the row. */
async function dryRun(request: TableRequest, action: RowAction, conditions: RowConditions): Promise<Payload> {
  assertOneRow(request)
  readInput(action.definition, request.body)
  const { key } = await findApplicableRow(request, action, conditions, { run: request.database.read }, 'look')
  assertExpectedCount(conditions, 1)
  const id = toRowId(request.table.key, key)
  return { dry_run: true, results: [{ id, success: true }], counts: { succeeded: 1, failed: 0 } }
}

function assertOneRow(request: TableRequest): void {
  if (namesOtherRows(request)) throw validationFailed({ selected_ids: [actionFault('one_row_only')] })
}

async function runOne(
  request: TableRequest,
  action: RowAction,
  { readEffects, ...conditions }: RowRun,
  running: ActionTransaction,
): Promise<Payload> {
  const { transaction } = running
  const { definition } = action
  assertOneRow(request)
  const opening = opensForm(request, action)
  const input = opening ? undefined : readInput(definition, request.body)
  const changes = !opening && (definition.run !== undefined || definition.runAll !== undefined)
  const { key, row } = await findApplicableRow(request, action, conditions, transaction, changes ? 'lock' : 'look')
  assertExpectedCount(conditions, 1)
  if (opening) return createFormPayload(request, action, row, key)
  const work = () => runOnRow(transaction, request, definition, { key, row }, input)
  const {
    result: response,
    sent,
    isLast,
  } = await pipelineStatements(transaction, definition, () => auditAndRead(request, action, key, running), work)
  const fresh = isLast ? sent?.rows : undefined
  const read: Run = fresh === undefined ? transaction.run : () => fresh
  const { undo, own } = takeUndo(definition, key, response)
  const offer = await findUndoOffer(request, transaction.run, action, 'row', undo)
  const payload = createRowPayload(request, read, action, key, row, own)
  if (changes) running.onCommit(() => runAfterCommit(definition, request, action.key, [key], input))
  // If the row could not be read, its entry in the audit says only that an earlier statement has failed.
  const [answered] = await Promise.all([payload, sent?.rows, sent?.audited ?? running.audit(1)])
  return { ...answered, ...offer, ...(await readEffects(transaction.run, changes ? [key] : [])) }
}

/** Takes what the action has returned for its undo out of its response. */
function takeUndo(definition: RowAction['definition'], key: string, response: object) {
  const undo = new Map<string, unknown>()
  if (definition.undo === undefined) return { undo, own: response }
  keepUndoData(undo, key, response)
  const { undo: _, ...own } = response as { readonly undo?: unknown }
  return { undo, own }
}

/** Adds the change of a row to the audit, and reads the row as it is then if the response shows it. */
function auditAndRead(
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

/** Returns the row of the path. Throws `row_not_found`, `row_version_conflict` or `action_not_applicable`. */
async function findApplicableRow(
  request: TableRequest,
  action: RowAction,
  { versions }: RowConditions,
  session: Pick<Transaction, 'run'>,
  lock: 'lock' | 'look',
): Promise<{ readonly key: string; readonly row: AnyRow }> {
  const key = keyText(request.table.key, readPathId(request.path['id'] ?? ''))
  const row = key === undefined ? undefined : (await actionRows(session, request, [key], lock)).get(key)
  if (key === undefined || row === undefined) throw new RequestError('row_not_found')
  await versions?.assertUnchanged(session, key)
  const refusal = findRefusal(action.definition, row, request)
  if (refusal !== undefined) throw refuse(refusal.text, refusal.code)
  return { key, row }
}

/** The first step of a form in two steps: a body without any of the form's fields asks for the form itself. */
const opensForm = ({ body, query }: TableRequest, { definition }: RowAction): boolean =>
  definition.onSuccess === 'OpenModalForm' &&
  new URLSearchParams(query).get(stepKey) !== 'submit' &&
  !formKeys(definition).some((key) => Object.hasOwn(body, key))

const done: Bilingual = { en: 'Done', ar: 'تم' }

/**
 * Creates the response of an action on one row by its `onSuccess`, after the change; `read` reads in its transaction.
 */
async function createRowPayload(
  request: TableRequest,
  read: Run,
  { definition }: RowAction,
  key: string,
  row: AnyRow,
  response: object,
): Promise<Payload> {
  const { message = done, onSuccess: chosen, success: _, ...own } = response as AuthorResponse
  const onSuccess = chosen ?? rowOnSuccess(definition)
  const { context, language } = request
  const item = async (form?: CellForm) => (await readItems({ read }, request, [key], form))[0]
  const base = { onSuccess, message: translate(message, language), ...own, ...kindPayload(definition, row, context) }
  if (onSuccess === 'refetchRow' || onSuccess === 'refetchData') return withFreshRow(base, onSuccess, await item())
  const { data } = own as { readonly data?: unknown }
  if (onSuccess === 'downloadData' && typeof data === 'object' && data !== null)
    return { ...base, data: downloadData(data) }
  if (onSuccess !== 'DisplayOnModal' || 'data' in own) return base
  const cells = await item('text')
  return { ...base, data: await rowDetails(request, cells === undefined ? {} : JSON.parse(jsonTextValue(cells))) }
}

interface AuthorResponse {
  readonly message?: Label
  readonly onSuccess?: ResponseOnSuccess
  /** A callback fails by throwing. */
  readonly success?: unknown
}

/**
 * Whether an action's response shows the row as it is after the change, unless the action's own code says otherwise.
 */
const showsRow = (definition: RowAction['definition']): boolean => rowOnSuccess(definition).startsWith('refetch')

/** Adds the row as it is now. A row that left the caller's scope must leave the client's table as well. */
function withFreshRow(base: Payload, onSuccess: 'refetchRow' | 'refetchData', row: JsonText | undefined): Payload {
  if (row === undefined) return { ...base, onSuccess: 'deleteRow' satisfies ResponseOnSuccess }
  if (onSuccess === 'refetchData') return { ...base, items: jsonList([row]) }
  const { data } = base
  return { ...base, data: jsonObject({ ...(isPlain(data) ? data : { value: data }), row }) }
}

const isPlain = (data: unknown): data is object => typeof data === 'object' && data !== null && !Array.isArray(data)

function kindPayload(definition: RowAction['definition'], row: AnyRow, context: ResponseContext): Payload {
  if (definition.type === 'copy') return { copy_value: actionText(definition.copies(row)) }
  if (definition.type !== 'redirect' && definition.type !== 'external_redirect') return {}
  const target = safeUrl(definition.to(row, context))
  return { redirect_routes: { api: target, web: target } }
}

const submitQuery = `${stepKey}=submit`

/**
 * Returns the first step of `OpenModalForm`: the form, its first values, and the URL of the second step. `onSuccess` is
 * already that of the second step: clients open the form because of the entry and apply this value after the second
 * request.
 */
async function createFormPayload(
  { view, context, guard, language, config }: TableRequest,
  { key, definition }: RowAction,
  row: AnyRow,
  id: string,
): Promise<Payload> {
  const { formSchema } = await import('../table/form-schema.ts')
  const { query, ...entry } = actionContext(view, context)
  const submitted = { ...entry, query: query === '' ? submitQuery : `${query}&${submitQuery}` }
  const path = actionPath(submitted, actionPaths.row, key, encodePathId(id))
  const schema = formSchema(definition, language)
  return {
    onSuccess: rowOnSuccess(definition),
    message: translate(definition.label ?? done, language),
    payload: { schema, values: definition.formValues?.(row, context) ?? {} },
    method: 'post',
    // Clients of `web` delete the first `/api` of every URL, and one without it would be cut in the middle.
    url: `${context.baseUrl}${guardBasePath(config.GUARDS.includes('api') ? 'api' : guard)}${path}`,
  }
}

/** Returns every cell of a row with its label, as the table shows it. */
async function rowDetails(
  { view, language }: Pick<TableRequest, 'view' | 'language'>,
  cells: Readonly<Record<string, unknown>>,
): Promise<Payload> {
  const shown = view.columns.filter(({ type, key }) => type !== 'actions' && Object.hasOwn(cells, key))
  const entries = shown.map(async (column) => {
    const value = await cellText(column, cells[column.key], language)
    const label = translate(column.definition.label, language)
    return [column.key, { label, value, ...detailType(column, cells[column.key], value) }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Only a cell that is nothing but its address is still a link as text. */
function detailType(column: CompiledColumn, cell: unknown, value: CellText) {
  if (typeof value === 'number') return { type: 'text', value_type: 'number' }
  if (typeof value !== 'string') return { type: 'datalist', value_type: 'list' }
  if (isLink(column) && value === cell) return { type: 'link', value_type: columnValueType(column) }
  return { type: 'text', value_type: 'text' }
}
