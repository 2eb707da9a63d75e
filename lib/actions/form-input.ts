import { parseWith } from '../errors/schema-faults.ts'
import { formKeys } from '../table/action-entry.ts'
import type { AnyBulkAction, AnyRowAction } from '../table/compiled-table.ts'

type Body = Readonly<Record<string, unknown>>

/** What a body says beside the form's fields. */
const reserved: ReadonlySet<string> = new Set([
  ...['selected_ids', 'filters', 'sorts', 'params', 'columns', 'emails'],
  ...['expected_count', 'dry_run'],
])

/**
 * What an action's form makes of a request's body. Keys with a meaning of their own are not shown to a form that has no field
 * of that name, so that it may refuse keys that it does not know. Throws `validation_failed` naming each field that does not fit.
 */
export function readInput(definition: Pick<AnyRowAction | AnyBulkAction, 'form'>, body: Body): unknown {
  if (definition.form === undefined) return undefined
  const own = new Set(formKeys(definition))
  const fields = Object.entries(body).filter(([key]) => own.has(key) || !reserved.has(key))
  return parseWith(definition.form, Object.fromEntries(fields), [])
}
