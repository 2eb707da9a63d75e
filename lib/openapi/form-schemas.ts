import * as z from 'zod/mini'
import { toJSONSchema } from 'zod/v4/core'
import type { Language } from '../i18n/language.ts'
import type { BulkAction, CompiledTable, RowAction } from '../table/compiled-table.ts'
import { listEditableColumns } from '../table/editable-columns.ts'
import { formSchema } from '../table/form-schema.ts'
import { hasEditing, updateCellsKey } from '../table/has-editing.ts'
import type { TableView } from '../table/view.ts'
import { type JsonSchema, ref, type Schemas } from './json-schema.ts'
import { componentName } from './named-table.ts'

/** The name of the schema of an action's form; `undefined` for an action without one. */
export const formName = (
  table: string,
  kind: 'rowAction' | 'bulkAction',
  { key, definition }: RowAction | BulkAction,
): string | undefined => (definition.form === undefined ? undefined : `${table}.${kind}.${componentName(key)}`)

/** Returns the actions that run on rows: those of the structure, and the one that edits cells. */
export function listRowActions(view: TableView): readonly RowAction[] {
  if (!hasEditing(view)) return view.rowActions
  const cells = [...listEditableColumns(view).values()].map(({ key, form }) => [key, z.optional(form)] as const)
  const form = z.object({ cells: z.object(Object.fromEntries(cells)) })
  return [...view.rowActions, { key: updateCellsKey, name: updateCellsKey, definition: { form, bulk: true } }]
}

/** Returns the forms of a table's actions by the names of their schemas. */
export function formSchemas(
  table: string,
  kind: 'rowAction' | 'bulkAction',
  actions: readonly (RowAction | BulkAction)[],
  language: Language,
): Schemas {
  const named = actions.flatMap((action) => {
    const name = formName(table, kind, action)
    if (name === undefined) return []
    // A form never sees the keys beside it, so in a body even a strict one has some.
    const { additionalProperties, ...form } = standAlone(formSchema(action.definition, language), name)
    return [[name, { ...form, ...(additionalProperties ? { additionalProperties } : {}) }] as const]
  })
  return Object.fromEntries(named)
}

/** Actions by key with what their forms ask for, as one object: what clients in other repositories are typed by. */
export const actionInputs = (
  table: string,
  kind: 'rowAction' | 'bulkAction',
  actions: readonly (RowAction | BulkAction)[],
): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    actions.map((action) => {
      const name = formName(table, kind, action)
      return [action.key, name === undefined ? {} : ref(name)] as const
    }),
  ),
  required: actions.map(({ key }) => key),
})

/** The `params` that a table asks for; `undefined` for a table that takes none. */
export function paramsSchema({ definition: { params } }: CompiledTable, name: string): JsonSchema | undefined {
  return params === undefined
    ? undefined
    : standAlone(toJSONSchema(params, { io: 'input', unrepresentable: 'any' }), name)
}

/**
 * Makes a schema one of the document's: its references lead there, and it has no `default`, since generators of types
 * take a property with one for a required one.
 */
function standAlone(schema: object, name: string): JsonSchema {
  const { $schema: _, ...own } = JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key === '$ref' && typeof value === 'string' && value.startsWith('#')) {
      return `#/components/schemas/${name}${value.slice(1)}`
    }
    // The keys of these two are names that an author chose.
    return key === 'properties' || key === '$defs' ? value : withoutDefault(value)
  })
  return own
}

function withoutDefault(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('default' in value)) return value
  const { default: _, ...schema } = value
  return schema
}
