import type { BulkAction, RowAction } from '../table/compiled-table.ts'
import { formName } from './form-schemas.ts'
import { type JsonSchema, ref } from './json-schema.ts'
import type { NamedTable } from './named-table.ts'

/** Lists the bodies of the actions of one row: the fields of a form, or nothing. */
export const rowActionBodies = ({ name, view }: NamedTable): readonly JsonSchema[] => [
  ref('RowActionBody'),
  ...forms(name, 'rowAction', view.rowActions, ref('RowActionBody')),
]

/** Lists the bodies of the row actions that several rows allow. */
export function rowBulkBodies({ name, view }: NamedTable): readonly JsonSchema[] {
  const several = view.rowActions.filter(({ definition }) => definition.bulk !== undefined)
  const plain = several.some(({ definition }) => definition.form === undefined) ? [ref('RowBulkBody')] : []
  return [...plain, ...forms(name, 'rowAction', several, ref('RowBulkBody'))]
}

/** Lists the bodies of the actions of the toolbar: a selection, and the fields of a form beside it. */
export function bulkBodies({ name, view }: NamedTable): readonly JsonSchema[] {
  const plain = view.bulkActions.some(({ definition }) => definition.form === undefined)
  const beside = ref(`${name}.Selection`)
  return [...(plain ? [beside] : []), ...forms(name, 'bulkAction', view.bulkActions, beside)]
}

function forms(
  table: string,
  kind: 'rowAction' | 'bulkAction',
  actions: readonly (RowAction | BulkAction)[],
  beside: JsonSchema,
): readonly JsonSchema[] {
  const names = actions.flatMap((action) => formName(table, kind, action) ?? [])
  return names.map((name) => ({ allOf: [beside, ref(name)] }))
}
