import { actionKey } from './action-key.ts'
import { checkForm } from './check-form.ts'
import type { BulkAction, CompiledAction, RowAction } from './compiled-table.ts'
import { defaultRowActions } from './default-actions.ts'
import type { AnyTableDefinition } from './definition.ts'

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

/** What types cannot see of actions: whether there is anything to do when a client calls one. */
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

const mostInChunk = 20_000

/** The most rows that are worked on or exported while the client waits. */
export const mostInstantRows = 3_000

function checkBulkAction({ key, definition }: BulkAction, report: (fault: string) => void): void {
  const exports = definition.export !== undefined
  const runs = 'run' in definition
  if (exports === runs) report(`the bulk action "${key}" must have either an export or a run`)
  if (!runs) return
  const { chunk = 1, maxRows = 1, response = 'instant' } = definition
  if (!Number.isInteger(chunk) || chunk < 1 || chunk > mostInChunk)
    report(`the chunk of the bulk action "${key}" must be from 1 to ${mostInChunk}`)
  if (!Number.isInteger(maxRows) || maxRows < 1) report(`maxRows of the bulk action "${key}" must be 1 or more`)
  if (response === 'instant' && maxRows > mostInstantRows)
    report(`maxRows of the instant bulk action "${key}" must be ${mostInstantRows} or less`)
}
