import { parseWith } from '../errors/schema-faults.ts'
import { formKeys } from '../table/action-entry.ts'
import { allRowsKeys, bodyKeys, planKeys, selectionKeys, tokenKeys, versionKeys } from '../table/action-key.ts'
import type { AnyBulkAction, AnyRowAction } from '../table/compiled-table.ts'

type Body = Readonly<Record<string, unknown>>

/** Keys of a body that are not the form's, unless it has a field of that name. */
const reserved: ReadonlySet<string> = new Set([
  ...bodyKeys,
  ...selectionKeys,
  ...versionKeys,
  ...allRowsKeys,
  ...tokenKeys,
  ...planKeys,
])

/** Reads the fields of an action's form from a body. Throws `validation_failed` naming each field that does not fit. */
export function readInput(definition: Pick<AnyRowAction | AnyBulkAction, 'form'>, body: Body): unknown {
  if (definition.form === undefined) return undefined
  // Not shown to it, so that it may refuse keys that it does not know.
  const own = formKeys(definition)
  const fields = Object.entries(body).filter(([key]) => !reserved.has(key) || own.includes(key))
  return parseWith(definition.form, Object.fromEntries(fields), [])
}
