import { randomUUID } from 'node:crypto'
import { actionRows, lockRows } from '../actions/action-rows.ts'
import { recordChanges } from '../actions/cell-changes.ts'
import { checkCellValue } from '../actions/cell-value.ts'
import { assertNoVersions, refuseKeys } from '../actions/known-keys.ts'
import { countsMessage } from '../actions/row-outcome.ts'
import { type RowValues, readRowValues } from '../actions/row-values.ts'
import { type CellWrite, writeRows } from '../actions/write-cells.ts'
import type { Transaction } from '../db/transaction.ts'
import { actionFault } from '../errors/action-fault.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { type ImportRefusal, importError, importRefusal } from '../errors/import-error.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { translate } from '../i18n/language.ts'
import { isSkipped } from '../i18n/skipped-time.ts'
import { importSeal, listNamingColumns } from '../jobs/import-facts.ts'
import { openText } from '../query/sealed-text.ts'
import { valueDigest } from '../reports/row-token.ts'
import { toRowId } from '../rows/row-id.ts'
import {
  completeImport,
  type ImportEntry,
  isSealed,
  listImportChanges,
  lockImport,
  type StoredImport,
} from '../storage/imports.ts'
import type { KeptChange } from '../storage/undos.ts'
import type { AnyRow } from '../table/context.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import { presentColumnNames } from '../table/former-names.ts'
import { updateCellsKey } from '../table/has-editing.ts'
import { type ActionTransaction, auditFailure, inActionTransaction, withFirstResponse } from './action-transaction.ts'
import { writeRights } from './claim-plan.ts'
import { assertMayImport, readImportId } from './create-import.ts'
import { findEffects, listOtherKeys } from './find-effects.ts'
import { offerUndo, sealSensitive } from './offer-undo.ts'
import { readPlanId } from './open-plan.ts'
import { replay } from './replay.ts'
import { isReply, type Reply } from './reply.ts'
import { requestPlace } from './request-place.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

/**
 * Makes the changes of an import that its caller has seen, once. Conflicts are left alone, and so is each cell that has
 * changed since. Throws `import_not_planned`, `plan_not_found` or `import_not_found`.
 */
export function applyImport(request: TableRequest): Promise<Payload | Reply> {
  return auditFailure(request, updateCellsKey, 'row_bulk', async () => {
    await assertMayImport(request)
    const id = readImportId(request.path['id'])
    const planId = readAppliedPlan(request)
    assertNoVersions(request, [])
    const asked = await withFirstResponse(request, updateCellsKey, 'row_bulk', () => findEffects(request, {}))
    if (isReply(asked)) return asked
    const apply = async ({ transaction, audit }: ActionTransaction): Promise<Payload | Reply> => {
      const found = await lockImport(transaction.run, requestPlace(request), id)
      if (found === undefined) throw importError('import_not_found')
      if (found.planId === undefined) throw importError('import_not_planned')
      if (found.planId !== planId) throw new RequestError('plan_not_found')
      if (found.response !== undefined) return replayImport(request, found)
      const outcome = await applyChanges(request, transaction, id, await listImportChanges(transaction.run, id))
      await audit(outcome.keys.length)
      const undo =
        outcome.keys.length === 0
          ? {}
          : await offerUndo(request, transaction.run, {
              id: outcome.change,
              action: updateCellsKey,
              kind: 'row_bulk',
              rows: outcome.kept,
            })
      const payload = { ...describeOutcome(request, outcome), ...undo }
      await completeImport(transaction.run, id, JSON.stringify(payload), writeRights(request))
      return { ...payload, ...(await asked.readEffects(transaction.run, outcome.keys)) }
    }
    return inActionTransaction(asked.asked, updateCellsKey, 'row_bulk', apply, { changesOnlyRows: true })
  })
}

function readAppliedPlan({ body }: TableRequest): string {
  refuseKeys(listOtherKeys(body, ['plan_id', 'params']), actionFault('not_with_plan_id'))
  const id = ownValue(body, 'plan_id') ?? undefined
  if (id === undefined) throw validationFailed({ plan_id: [fieldFault('required')] })
  return readPlanId(id)
}

function replayImport(request: TableRequest, { response = '{}', rights }: StoredImport): Promise<Reply> {
  const { results, ...counts } = JSON.parse(response)
  const shown = rights === writeRights(request) ? { ...counts, results } : counts
  const marked = { success: true, code: 'plan_already_applied', replayed: true, ...shown }
  return replay(request, JSON.stringify(marked))
}

/** A cell, or a row without `field`, that was not changed. */
interface Refused extends ImportRefusal {
  readonly key: string
  readonly field: string | undefined
}

interface Outcome {
  /** The keys of the rows in which a cell has changed, and the number of these cells. */
  readonly keys: readonly string[]
  readonly cells: number
  readonly change: string
  readonly refused: readonly Refused[]
  /** The sealed values that only the undo may read. */
  readonly kept: KeptChange['rows']
}

const rowsAtOnce = 500

async function applyChanges(
  request: TableRequest,
  transaction: Transaction,
  importId: string,
  entries: readonly ImportEntry[],
): Promise<Outcome> {
  const { view } = request
  const byRow = Map.groupBy(entries, ({ rowKey }) => String(rowKey))
  const keys = [...byRow.keys()]
  const change = randomUUID()
  const refused: Refused[] = []
  const writes = new Map<string, readonly CellWrite[]>()
  if (keys.length > 0) await lockRows(transaction, request, keys)
  for (let at = 0; at < keys.length; at += rowsAtOnce) {
    const some = new Map(keys.slice(at, at + rowsAtOnce).map((key) => [key, byRow.get(key) ?? []]))
    for (const [key, own] of await checkSome(request, transaction, some, { importId, refused })) writes.set(key, own)
  }
  // All at once, because a row may get a value that one of the last rows gives up.
  const written = await writeRows(transaction.drizzle, view, writes)
  const editable = listEditableColumns(view)
  for (const key of writes.keys()) {
    const error = written.refused.get(key)
    if (error !== undefined) refused.push({ key, field: undefined, code: error.code, text: error.text })
  }
  for (let at = 0; at < written.changes.length; at += rowsAtOnce)
    await recordChanges(transaction.drizzle, request, { change }, written.changes.slice(at, at + rowsAtOnce), editable)
  const cells = written.changes.reduce((sum, one) => sum + Object.keys(one.cells).length, 0)
  const kept = sealSensitive(request, change, written.changes, editable)
  return { keys: written.changes.map(({ key }) => key), cells, change, refused, kept }
}

/** Returns what is to be written into each of the rows, and adds what is not to `refused`. */
async function checkSome(
  request: TableRequest,
  transaction: Transaction,
  byRow: ReadonlyMap<string, readonly ImportEntry[]>,
  { importId, refused }: { readonly importId: string; readonly refused: Refused[] },
): Promise<ReadonlyMap<string, readonly CellWrite[]>> {
  const { columns } = request.view
  const keys = [...byRow.keys()]
  const editable = listEditableColumns(request.view)
  const present = await actionRows(transaction, request, keys, 'lock')
  const naming = listNamingColumns(request.view)
  const values = await readRowValues(transaction, request, keys, [...editable.values(), ...naming], undefined)
  const isNamed = ({ name }: PlannedValues, { texts }: RowValues) =>
    name === undefined || naming.some(({ key }) => valueDigest(texts.get(key) ?? '') === name)
  // The caller learns nothing of a column that has been hidden since.
  const shown = new Set<string | null>(columns.map(({ key }) => key))
  const writes = new Map<string, readonly CellWrite[]>()
  for (const [key, entries] of byRow) {
    const row = present.get(key)
    const now = values.get(key)
    const planned = entries.map((entry) => ({ entry, values: readPlanned(request, importId, entry) }))
    // The file may have named another row by what this one has by now.
    if (row === undefined || now === undefined || !planned.every((one) => isNamed(one.values, now))) {
      refused.push({ key, field: undefined, ...importRefusal('row_not_found') })
      continue
    }
    const checked = planned.map((one) => ({ entry: one.entry, ...checkPlanned(request, one, row, now) }))
    for (const one of checked)
      if ('refusal' in one)
        refused.push({
          key,
          field: shown.has(one.entry.field) ? (one.entry.field ?? undefined) : undefined,
          ...one.refusal,
        })
    const own = checked.flatMap((one) => ('write' in one ? [one.write] : []))
    if (own.length > 0) writes.set(key, own)
  }
  return writes
}

type Checked = { readonly write: CellWrite } | { readonly refusal: ImportRefusal }

/** The values that were stored with a planned change. */
interface PlannedValues {
  readonly file?: unknown
  readonly was?: string | null
  /** The time zone of local times. */
  readonly zone?: string
  /** The digest of the value by which the file names the row; absent where a token does. */
  readonly name?: string
}

interface PlannedChange {
  readonly entry: ImportEntry
  readonly values: PlannedValues
}

function readPlanned({ config }: TableRequest, importId: string, entry: ImportEntry): PlannedValues {
  const seal = importSeal(importId, String(entry.rowKey), entry.field ?? '')
  const text = isSealed(entry) ? openText(config.SERVICE_SECRET, seal, entry.values) : entry.values
  return JSON.parse(text ?? '{}')
}

/** Checks a planned change again: the cell, its value, the row and the caller may all be others by now. */
function checkPlanned(
  { view, context }: TableRequest,
  { entry, values }: PlannedChange,
  row: AnyRow,
  now: RowValues,
): Checked {
  const field = entry.field ?? ''
  const column = listEditableColumns(view).get(presentColumnNames(view.columns).get(field) ?? field)
  if (column === undefined) return { refusal: importRefusal('not_editable') }
  // Local times are those of the file, even if the table has another time zone by now.
  const { file, was, zone = context.timeZone } = values
  if (now.texts.get(column.key) !== was) return { refusal: importRefusal('changed_since_planned') }
  if (!column.isOpen(row, context)) return { refusal: importRefusal('closed') }
  const checked = checkCellValue(column, file)
  if ('fault' in checked) return { refusal: { code: 'validation_failed', text: checked.fault } }
  if (column.source.kind === 'instant' && typeof checked.input === 'string' && isSkipped(checked.input, zone))
    return { refusal: importRefusal('skipped_time', { zone }) }
  return { write: { column, value: column.toSql(checked.input, zone) } }
}

const maxResults = 100

function describeOutcome({ view, language }: TableRequest, { keys, cells, change, refused }: Outcome): Payload {
  const failed = new Set(refused.map(({ key }) => key)).size
  return {
    onSuccess: 'reload',
    message: translate(countsMessage({ succeeded: keys.length, failed }), language),
    counts: { succeeded: keys.length, failed },
    cells: { changed: cells, refused: refused.length },
    change,
    results: refused.slice(0, maxResults).map(({ key, field, code, text }) => ({
      id: toRowId(view.table.key, key),
      ...(field !== undefined && { field }),
      success: false,
      code,
      errors: [text.en, text.ar],
    })),
  }
}
