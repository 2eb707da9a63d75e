import { formKeys } from '../../../lib/table/action-entry.ts'
import * as requestKeys from '../../../lib/table/action-key.ts'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { createFinding, type Finding } from './finding.ts'

/** The keys of a body that a field of a form may be called like; registration refuses the other ones. */
const optionalKeys: ReadonlySet<unknown> = new Set(
  Object.entries(requestKeys).flatMap(([name, keys]) =>
    Array.isArray(keys) && name !== 'bodyKeys' ? (keys as readonly unknown[]) : [],
  ),
)

/** Fields of forms that take a key of requests for themselves, so that clients cannot use it with that action. */
export function lintForms(table: CompiledTable): readonly Finding[] {
  const actions = [
    ...table.rowActions.map((action) => ['rowActions', action] as const),
    ...table.bulkActions.map((action) => ['bulkActions', action] as const),
  ]
  return actions.flatMap(([part, { name, definition }]) =>
    formKeys(definition)
      .filter((field) => optionalKeys.has(field))
      .map((field) => {
        const text = `the field "${field}" of this form hides the key "${field}" of requests, which this action cannot read then`
        const fix = `another name for the field, or an entry of tables/lint-ignored.ts if no client wants "${field}" here`
        return createFinding(table, 'form-field', `${part}.${name}.form.${field}`, { level: 'warning', text, fix })
      }),
  )
}
