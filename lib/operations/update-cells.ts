import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import { recordChanges } from '../actions/cell-changes.ts'
import { isInvalidDate } from '../actions/cell-value.ts'
import { type CellWrite, writeCells } from '../actions/write-cells.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { type RequestError, validationFailed } from '../errors/request-error.ts'
import { type Bilingual, translate } from '../i18n/language.ts'
import { isSkipped } from '../i18n/skipped-time.ts'
import type { Refusal } from '../table/action-definition.ts'
import type { RowAction } from '../table/compiled-table.ts'
import type { AnyContext, AnyRow } from '../table/context.ts'
import { type EditableColumn, listEditableColumns } from '../table/editable-columns.ts'
import { updateCellsKey } from '../table/has-editing.ts'
import { isObject } from '../table/unknown-body.ts'
import { sealSensitive } from './offer-undo.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/**
 * Creates the action that writes the `cells` of a request. It runs as any action on rows does: locked, in scope, with
 * versions, once. Throws `validation_failed` for columns that the caller cannot edit.
 */
export function createUpdateAction(request: TableRequest): RowAction {
  const editable = listEditableColumns(request.view)
  const columns = readColumns(request, editable)
  const cells = z.strictObject(Object.fromEntries(columns.map(({ key, form }) => [key, form])))
  let change: ReturnType<NonNullable<RowAction['definition']['takeChange']>>
  const definition: RowAction['definition'] = {
    form: z.object({ cells }),
    bulk: true,
    preview: true,
    appliesTo: (row, context) => {
      const reason = findClosed(columns, row, context)
      return reason === undefined || { reason }
    },
    runAll: async ({ db, ids, input }) => {
      const writes = createWrites(request, columns, input)
      const { changes, refused } = await writeCells(db, request, writes, ids.map(String))
      const id = randomUUID()
      await recordChanges(db, request, { change: id }, changes, editable)
      change = changes.length === 0 ? undefined : { id, rows: sealSensitive(request, id, changes, editable) }
      return listRefusals(ids, refused)
    },
    takeChange: () => change,
  }
  return { key: updateCellsKey, name: updateCellsKey, definition }
}

/**
 * Finds the columns that `cells` names. Throws `validation_failed` for others, as if they were not there, and for none.
 */
function readColumns({ body }: TableRequest, editable: ReadonlyMap<string, EditableColumn>): readonly EditableColumn[] {
  const cells = ownValue(body, 'cells')
  if (cells === undefined) throw validationFailed({ cells: [fieldFault('required')] })
  if (!isObject(cells)) throw validationFailed({ cells: [fieldFault('not_an_object')] })
  const keys = Object.keys(cells)
  if (keys.length === 0) throw validationFailed({ cells: [fieldFault('empty')] })
  const strange = keys.find((key) => !editable.has(key))
  if (strange !== undefined)
    throw validationFailed({ [`cells.${strange.slice(0, maxNameLength)}`]: [notEditable(editable)] })
  return keys.flatMap((key) => editable.get(key) ?? [])
}

const maxNameLength = 100

function notEditable(editable: ReadonlyMap<string, EditableColumn>): Bilingual {
  const { en, ar } = listOptions(editable.keys())
  return { en: `is not a column that you can edit; ${en}`, ar: `ليس عمودًا يمكنك تعديله؛ ${ar}` }
}

/** Says which of the columns is closed in a row; `undefined` if all are open. */
export function findClosed(
  columns: readonly EditableColumn[],
  row: AnyRow,
  context: AnyContext,
): Bilingual | undefined {
  const closed = columns.find(({ isOpen }) => !isOpen(row, context))
  if (closed === undefined) return undefined
  const en = translate(closed.label, 'en')
  const ar = translate(closed.label, 'ar')
  return { en: `${en}: cannot be edited in this row`, ar: `${ar}: لا يمكن تعديله في هذا الصف` }
}

/** Throws `validation_failed` for an invalid date, and for a local time that the table's time zone skips. */
function createWrites(
  { context: { timeZone } }: TableRequest,
  columns: readonly EditableColumn[],
  input: unknown,
): readonly CellWrite[] {
  const { cells } = input as { readonly cells: Readonly<Record<string, unknown>> }
  return columns.map((column) => {
    const value = cells[column.key]
    if (isInvalidDate(value)) throw validationFailed({ [`cells.${column.key}`]: [fieldFault('not_a_date')] })
    if (column.source.kind === 'instant' && typeof value === 'string' && isSkipped(value, timeZone))
      throw validationFailed({ [`cells.${column.key}`]: [skippedTime] })
    return { column, value: column.toSql(value, timeZone) }
  })
}

const skippedTime: Bilingual = {
  en: 'is a time that the clocks of the time zone of the table skip; add an offset such as Z',
  ar: 'وقت تتخطاه الساعة في المنطقة الزمنية للجدول؛ أضف فرق التوقيت مثل Z',
}

/** Throws the refusal of a single row, which names its fields. */
function listRefusals(ids: readonly unknown[], refused: ReadonlyMap<string, RequestError>): readonly Refusal[] {
  const [only] = ids.length === 1 ? refused.values() : []
  if (only !== undefined) throw only
  return [...refused].map(([id, { text, code }]) => ({ id, text, code }))
}
