import type { $ZodType } from 'zod/v4/core'
import { formKeys } from './action-entry.ts'
import { bodyKeys } from './action-key.ts'
import { defaultRowActions, maxInstantRows } from './compile-actions.ts'
import type { BulkAction, RowAction } from './compiled-table.ts'
import type { LabelledForm } from './form-schema.ts'

/** Checks what types cannot see of actions: whether a call would do anything. */
export function checkActions(
  rowActions: readonly RowAction[],
  bulkActions: readonly BulkAction[],
  report: (fault: string) => void,
): void {
  for (const action of rowActions) checkRowAction(action, report)
  for (const action of bulkActions) checkBulkAction(action, report)
  for (const { key, definition } of [...rowActions, ...bulkActions]) checkForm(key, definition, report)
}

function checkRowAction({ key, definition }: RowAction, report: (fault: string) => void): void {
  const { type = 'normal', run, runAll, form, onSuccess, bulk } = definition
  const acts = run !== undefined || runAll !== undefined
  const mustAct = type === 'normal' || type === 'toggle'
  if (mustAct && !acts && !Object.hasOwn(defaultRowActions, key))
    report(`the action "${key}" has neither run nor runAll`)
  if (!mustAct && !acts && bulk !== undefined) report(`the action "${key}" has nothing to run on several rows`)
  if (onSuccess === 'OpenModalForm' && form === undefined) report(`the action "${key}" opens a form and has none`)
}

const maxChunkRows = 20_000

function checkBulkAction({ key, definition }: BulkAction, report: (fault: string) => void): void {
  const exports = definition.export !== undefined
  const runs = 'run' in definition
  if (exports === runs) report(`the bulk action "${key}" must have either an export or a run`)
  if (!runs) return
  const { chunk = 1, maxRows = 1, response = 'instant' } = definition
  if (!Number.isInteger(chunk) || chunk < 1 || chunk > maxChunkRows)
    report(`the chunk of the bulk action "${key}" must be from 1 to ${maxChunkRows}`)
  if (!Number.isInteger(maxRows) || maxRows < 1) report(`maxRows of the bulk action "${key}" must be 1 or more`)
  if (response === 'instant' && maxRows > maxInstantRows)
    report(`maxRows of the instant bulk action "${key}" must be ${maxInstantRows} or less`)
}

const reserved: ReadonlySet<string> = new Set(bodyKeys)

/** Reports fields that no client could fill in, those that a body has another meaning for, and labels of fields that are none. */
function checkForm(key: string, definition: LabelledForm, report: (fault: string) => void): void {
  const { form, formLabels = {} } = definition
  const fields = formKeys(definition)
  for (const field of fields) {
    if (reserved.has(field)) report(`the form of "${key}" has a field "${field}", which means something else in a body`)
  }
  for (const field of Object.keys(formLabels)) {
    if (!fields.includes(field)) report(`the form of "${key}" has no field "${field}" for its label`)
  }
  for (const [path, type] of unsendable(form)) {
    const hint = type === 'date' ? '; use z.iso.date() or z.iso.datetime()' : ''
    report(`the field "${path}" of the form of "${key}" is a ${type}, which JSON does not have${hint}`)
  }
}

/** Types whose values no JSON has. */
const notJson = new Set(['date', 'bigint', 'symbol', 'map', 'set', 'function', 'promise', 'file', 'nan'])

interface Definition {
  readonly type: string
  readonly shape?: Readonly<Record<string, $ZodType>>
  readonly [part: string]: unknown
}

/** The parts of a form that are of such a type, by their paths. What a schema makes of a value may be of any. */
function unsendable(
  schema: unknown,
  path: readonly string[] = [],
  met = new Set<unknown>(),
): readonly (readonly [path: string, type: string])[] {
  const definition = (schema as $ZodType | undefined)?._zod?.def as Definition | undefined
  // A form may hold itself.
  if (definition === undefined || met.has(schema)) return []
  met.add(schema)
  const { type, shape = {}, innerType, element, left, right, valueType, options = [], items = [] } = definition
  if (notJson.has(type)) return [[path.join('.'), type]]
  const inner = [innerType, element, left, right, valueType, definition['in'], options, items].flat()
  const fields = Object.entries(shape).flatMap(([name, field]) => unsendable(field, [...path, name], met))
  return [...fields, ...inner.flatMap((part) => unsendable(part, path, met))]
}
