import { parseWith } from '../errors/schema-faults.ts'
import { bodyKeys } from '../table/action-key.ts'
import type { AnyBulkAction, AnyRowAction } from '../table/compiled-table.ts'

type Body = Readonly<Record<string, unknown>>

/** Keys of a body beside the form's fields, none of which has such a name. */
const reserved: ReadonlySet<string> = new Set(bodyKeys)

/** Reads the fields of an action's form from a body. Throws `validation_failed` naming each field that does not fit. */
export function readInput(definition: Pick<AnyRowAction | AnyBulkAction, 'form'>, body: Body): unknown {
  if (definition.form === undefined) return undefined
  // Not shown to it, so that it may refuse keys that it does not know.
  const fields = Object.entries(body).filter(([key]) => !reserved.has(key))
  return parseWith(definition.form, Object.fromEntries(fields), [])
}
