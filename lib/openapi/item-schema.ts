import type { Config } from '../config.ts'
import type { Language } from '../i18n/language.ts'
import { hasNumberIds } from '../rows/row-id.ts'
import { type TableView, unconditionalColumns } from '../table/view.ts'
import { cellSchema } from './cell-schema.ts'
import { type JsonSchema, oneOfMany, ref } from './json-schema.ts'

export type ItemActions = Config['ITEM_ACTIONS']

/** An item of a table: `id`, a key for each column, and the actions that apply to it. A column with a condition may be absent. */
export function itemSchema(view: TableView, itemActions: ItemActions, language: Language): JsonSchema {
  const columns = view.columns.filter(({ type, key }) => type !== 'actions' && key !== 'id')
  const cells = columns.map((column) => [column.key, cellSchema(column, language)] as const)
  const unconditional = unconditionalColumns(view.table)
  const always = columns.filter((column) => unconditional.includes(column)).map(({ key }) => key)
  const actions = actionsSchema(view, 'ItemAction')
  const places = [
    ['row', oneOfMany([...(itemActions === 'actions' ? [] : [closedObject({ actions })]), compactRow(view)])] as const,
    ...(itemActions === 'row' ? [] : [['actions', actions] as const]),
  ]
  const id = { type: hasNumberIds(view.table.key) ? 'number' : 'string' }
  return {
    type: 'object',
    properties: Object.fromEntries([['id', id], ...cells, ...places]),
    required: ['id', ...always, ...(itemActions === 'actions' ? [] : ['row'])],
    additionalProperties: false,
  }
}

/** The actions as `row_actions: "keys"` asks for them. */
const compactRow = (view: TableView): JsonSchema => ({
  description: 'With `row_actions: "keys"`: `path_id` takes the place of `{id}` in the `url_template` of the structure',
  ...closedObject({ actions: actionsSchema(view, 'ItemActionKeys'), path_id: { type: 'string' } }),
})

const closedObject = (properties: JsonSchema): JsonSchema => ({
  ...{ type: 'object', properties, required: Object.keys(properties), additionalProperties: false },
})

const actionsSchema = ({ rowActions }: TableView, entry: 'ItemAction' | 'ItemActionKeys'): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(rowActions.map(({ key }) => [key, ref(entry)])),
  additionalProperties: false,
})
