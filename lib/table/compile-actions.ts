import { actionKey } from './action-key.ts'
import type { CompiledAction } from './compiled-table.ts'
import type { AnyTableDefinition } from './definition.ts'

/** The defaults that are not switched off, then the table's own; an own action replaces the default of its key. */
export function compileActions<Definition>(
  defaults: Readonly<Record<string, Definition>>,
  own: Readonly<Record<string, Definition>>,
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
