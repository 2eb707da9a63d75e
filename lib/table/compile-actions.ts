import type { $ZodType } from 'zod/v4/core'
import { formKeys } from './action-entry.ts'
import { actionKey, bodyKeys } from './action-key.ts'
import type { AnyBulkAction, AnyRowAction, BulkAction, CompiledAction, RowAction } from './compiled-table.ts'
import type { AnyTableDefinition } from './definition.ts'
import { exportLabel } from './export-label.ts'
import type { LabelledForm } from './form-schema.ts'

/** The defaults that are not switched off, then the table's own; an own action replaces the default of its key. */
export function compileActions<Definition>(
  defaults: Readonly<Record<string, Definition>>,
  own: Readonly<Record<string, Definition>> = {},
  { defaultActions = {} }: AnyTableDefinition,
  report: (fault: string) => void,
): readonly CompiledAction<Definition>[] {
  const actions = new Map<string, CompiledAction<Definition>>()
  const switchedOff: ReadonlyMap<string, boolean> = new Map(Object.entries(defaultActions))
  for (const [name, definition] of Object.entries(defaults)) {
    if (switchedOff.get(name) !== false) actions.set(name, { key: name, name, definition })
  }
  const names = new Map<string, string>()
  for (const [name, definition] of Object.entries(own)) {
    const key = actionKey(name)
    const other = names.get(key)
    if (key === '') report(`the action "${name}" has no letter or digit to make a key of`)
    else if (other !== undefined) report(`the actions "${other}" and "${name}" share the key ${key}`)
    names.set(key, name)
    actions.set(key, { key, name, definition })
  }
  return [...actions.values()]
}

/** The bulk actions of a table; an export without a label has that of its kind. */
export function compileBulkActions(
  definition: AnyTableDefinition,
  report: (fault: string) => void,
): readonly BulkAction[] {
  const actions = compileActions(defaultBulkActions, definition.bulkActions, definition, report)
  return actions.map((action) => {
    const { label, export: format, response = 'instant' } = action.definition
    if (label !== undefined || format === undefined) return action
    return { ...action, definition: { ...action.definition, label: exportLabel(response, format) } }
  })
}

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

/** The most rows that are worked on or exported while the client waits. */
export const maxInstantRows = 3_000

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

/** The actions that every table has unless it switches them off or declares its own under the same key. */
export const defaultRowActions: Readonly<Record<string, AnyRowAction>> = {
  show_details: { label: { en: 'Show details', ar: 'عرض التفاصيل' }, onSuccess: 'DisplayOnModal' },
}

const defaultBulkActions: Readonly<Record<string, AnyBulkAction>> = {
  export_excel: { response: 'instant', export: 'excel', onSuccess: 'downloadData' },
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
