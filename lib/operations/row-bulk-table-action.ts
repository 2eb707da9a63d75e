import type { KeepVersion } from '../actions/action-rows.ts'
import { runAfterCommit } from '../actions/after-commit.ts'
import { assertExpectedCount } from '../actions/assert-count.ts'
import { planFields, readInput } from '../actions/form-input.ts'
import { assertKnownParams, assertNoAllRows, assertNoNearMiss } from '../actions/known-keys.ts'
import { countsMessage, rowFailure } from '../actions/row-outcome.ts'
import { findApplicableRows, runOnRows } from '../actions/run-row-action.ts'
import type { Transaction } from '../db/transaction.ts'
import { translate } from '../i18n/language.ts'
import { type AskedRow, readRows } from '../rows/asked-row.ts'
import { jsonList } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { maxSelectedRows, toRowId } from '../rows/row-id.ts'
import { hasVersions } from '../rows/row-version.ts'
import { formKeys, hasOpenForm, rowBulkOnSuccess } from '../table/action-entry.ts'
import type { AnyRowAction, RowAction } from '../table/compiled-table.ts'
import { updateCellsKey } from '../table/has-editing.ts'
import type { RowBulkOnSuccess } from '../wire/vocabulary.ts'
import { type ActionConditions, readConditions } from './action-conditions.ts'
import { type ActionTransaction, auditFailure, inActionTransaction, withFirstResponse } from './action-transaction.ts'
import { createPlan } from './create-plan.ts'
import { findEffects } from './find-effects.ts'
import { editsCells, findRowAction } from './find-row-action.ts'
import { findUndoOffer } from './find-undo-offer.ts'
import { findOutdated, readPlanned } from './open-plan.ts'
import type { ReadEffects } from './plan-effects.ts'
import { isReply, type Reply } from './reply.ts'
import { assertDone, createOutcome, type RowResults } from './several-rows.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'
import { findVersionCheck, type VersionCheck } from './version-check.ts'

/**
 * Runs a row action on several rows: each for itself, or all or none where its author says so. The response
 * tells the outcome of every id; ids that do not exist and ids outside the scope look alike.
 */
export async function rowBulkTableAction(request: TableRequest): Promise<Payload | Reply> {
  const severalRows = request.view.rowActions.filter(({ definition }) => definition.bulk !== undefined)
  // The action that edits cells is created from `cells`, which are in the body of the plan if one is applied.
  const planned = editsCells(request)
    ? await auditFailure(request, updateCellsKey, 'row_bulk', () =>
        readPlanned(request, { key: updateCellsKey, kind: 'row_bulk' }, ['cells']),
      )
    : request
  return isReply(planned) ? planned : runOnSelectedRows(planned, await findRowAction(planned, severalRows, 'row_bulk'))
}

/** Runs an action that several rows allow on the `selected_ids` of the body. */
export async function runOnSelectedRows(request: TableRequest, action: RowAction): Promise<Payload | Reply> {
  return auditFailure(request, action.key, 'row_bulk', async () => {
    assertNoNearMiss(request.body, formKeys(action.definition))
    assertNoAllRows(request.body, formKeys(action.definition))
    assertKnownParams(request.view, request)
    const planned = await readPlanned(request, { key: action.key, kind: 'row_bulk' }, planFields(action.definition))
    if (isReply(planned)) return planned
    const found = await withFirstResponse(planned, action.key, 'row_bulk', () =>
      findEffects(planned, action.definition),
    )
    if (isReply(found)) return found
    const { asked: running, readEffects } = found
    const versions = await findVersionCheck(running, action, 'several')
    const asked = { ...readAsked(running, action), versions, readEffects }
    if (asked.conditions.dryRun) return dryRun(running, action, asked)
    const work = running.isPlanning === true ? planMany : runMany
    return inActionTransaction(running, action.key, 'row_bulk', (begun) => work(running, action, asked, begun), {
      changesOnlyRows: action.definition.preview,
    })
  })
}

interface RowBulkRun {
  readonly rows: readonly AskedRow[]
  readonly keys: readonly string[]
  readonly conditions: ActionConditions
  readonly input: unknown
  readonly versions: VersionCheck | undefined
  readonly readEffects: ReadEffects
}

function readAsked(
  { body, table, plan }: TableRequest,
  { definition }: RowAction,
): Omit<RowBulkRun, 'versions' | 'readEffects'> {
  // A plan may have no row that is left to run on.
  const min = plan === undefined ? 1 : 0
  const rows = readRows(table.key, ownValue(body, 'selected_ids'), 'selected_ids', min, maxSelectedRows)
  const keys = rows.flatMap(({ key }) => key ?? [])
  return { rows, keys, conditions: readConditions(body), input: readInput(definition, body) }
}

async function dryRun(request: TableRequest, { definition }: RowAction, asked: RowBulkRun): Promise<Payload> {
  const session = { run: request.database.read }
  const { rows, failed } = await unchangedRows(session, request, definition, asked, 'look')
  assertExpectedCount(asked.conditions, rows.size)
  return { dry_run: true, ...createOutcome(asked.rows, failed) }
}

/** Finds the rows that the action applies to, without those that have changed since the client read them. */
async function unchangedRows(
  session: Pick<Transaction, 'run'>,
  request: TableRequest,
  definition: AnyRowAction,
  { keys, versions }: Pick<RowBulkRun, 'keys' | 'versions'>,
  lock: 'lock' | 'look',
  keepVersion?: KeepVersion,
): ReturnType<typeof findApplicableRows> {
  const { rows, failed } = await findApplicableRows(session, request, definition, keys, lock, keepVersion)
  if (versions === undefined) return { rows, failed }
  const gone = [...failed].filter(([, { code }]) => code === 'row_not_found')
  const there = keys.filter((key) => !gone.some(([missing]) => missing === key))
  const changed = await versions.findChanged(session, there)
  const unchanged = new Map([...rows].filter(([key]) => !changed.has(key)))
  return { rows: unchanged, failed: new Map([...failed, ...changed]) }
}

/** Plans the action on the rows to which it applies. */
async function planMany(
  request: TableRequest,
  { key, definition }: RowAction,
  asked: RowBulkRun,
  { transaction }: ActionTransaction,
): Promise<Payload> {
  const versions = (await hasVersions({ read: transaction.run }, request.table)) ? new Map<string, string>() : undefined
  const keepVersion = versions && ((row: string, version: string) => void versions.set(row, version))
  const { rows, failed } = await unchangedRows(transaction, request, definition, asked, 'look', keepVersion)
  assertExpectedCount(asked.conditions, rows.size)
  const keys = [...rows.keys()]
  const refused = asked.rows.flatMap(({ id, key: own }) => {
    const failure = own === undefined ? rowFailure('row_not_found') : failed.get(own)
    return failure === undefined ? [] : [[id, failure] as const]
  })
  const preview = async (some: readonly string[]) => {
    const { rows: locked } = await findApplicableRows(transaction, request, definition, some)
    return (await runOnRows(transaction, request, definition, locked, asked.input)).succeeded
  }
  const content = {
    key,
    kind: 'row_bulk',
    formKeys: formKeys(definition),
    isOpen: hasOpenForm(definition),
    rows: { keys, ...(versions && { versions: keys.map((row) => versions.get(row) ?? '') }) },
    refused,
  } as const
  return createPlan(request, transaction, { ...content, preview: definition.preview === true ? preview : undefined })
}

async function runMany(
  request: TableRequest,
  action: RowAction,
  asked: RowBulkRun,
  { transaction, audit, onCommit }: ActionTransaction,
): Promise<Payload> {
  const { definition } = action
  const { table } = request
  const { conditions, input } = asked
  const { rows: locked, failed: gone } = await unchangedRows(transaction, request, definition, asked, 'lock')
  const outdated = await findOutdated(request, transaction, definition.atomic === true)
  const rows = new Map([...locked].filter(([key]) => !outdated.has(key)))
  const failed = new Map([...gone, ...outdated])
  assertExpectedCount(conditions, rows.size)
  const { succeeded, failed: refused, undo: data } = await runOnRows(transaction, request, definition, rows, input)
  const outcome = createOutcome(asked.rows, new Map([...failed, ...refused]))
  assertDone(definition.atomic === true, outcome)
  const [items] = await Promise.all([readItems({ read: transaction.run }, request, succeeded), audit(succeeded.length)])
  const undo = await findUndoOffer(request, transaction.run, action, 'row_bulk', data)
  onCommit(() => runAfterCommit(definition, request, action.key, succeeded, input))
  const removed = succeeded.filter((_, index) => items[index] === undefined).map((key) => toRowId(table.key, key))
  const onSuccess = responseOnSuccess(definition, outcome, removed.length)
  const message = translate(countsMessage(outcome.counts), request.language)
  const list = jsonList(items.filter((item) => item !== undefined))
  const effects = await asked.readEffects(transaction.run, succeeded)
  return { onSuccess, message, items: list, ...(removed.length > 0 && { removed }), ...outcome, ...undo, ...effects }
}

/**
 * Returns `deleteRow` only where none of the requested rows can still be shown: clients drop all of them from the page.
 * Where rows left the scope and others stay, the page is loaded again.
 */
function responseOnSuccess(definition: AnyRowAction, { results }: RowResults, removedCount: number): RowBulkOnSuccess {
  const declared = rowBulkOnSuccess(definition)
  const gone = results.filter(({ code }) => code === 'row_not_found').length
  const isRemoval = declared === 'deleteRow' || (removedCount > 0 && declared !== 'reload')
  if (!isRemoval) return declared
  const dropped = declared === 'deleteRow' ? results.filter(({ success }) => success).length : removedCount
  return dropped + gone === results.length ? 'deleteRow' : 'reload'
}
