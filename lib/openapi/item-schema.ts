import type { Config } from '../config.ts'
import { type Language, translate } from '../i18n/language.ts'
import { hasNumberIds } from '../rows/row-id.ts'
import type { ColumnType } from '../table/column-definition.ts'
import type { CompiledColumn } from '../table/compiled-table.ts'
import { formerName } from '../table/former-names.ts'
import type { ValueKind } from '../table/value-kind.ts'
import { type TableView, unconditionalColumns } from '../table/view.ts'
import { anyOf, type JsonSchema, ref, type Schemas } from './json-schema.ts'
import type { NamedTable } from './named-table.ts'

export type ItemActions = Config['ITEM_ACTIONS']

/**
 * An item of a table: `id`, a key for each column, and the actions that apply to it. A column with a condition may be
 * absent.
 */
export function itemSchema({ name, view }: NamedTable, itemActions: ItemActions, language: Language): JsonSchema {
  const columns = view.columns.filter(({ type, key }) => type !== 'actions' && key !== 'id')
  const cells = columns.map((column) => [column.key, cellSchema(column, language)] as const)
  const unconditional = unconditionalColumns(view.table)
  const always = columns.filter((column) => unconditional.includes(column)).map(({ key }) => key)
  const places = [
    ['row', ref(`${name}.ItemRow`)] as const,
    ...(itemActions === 'row' ? [] : [['actions', ref(`${name}.ItemActions`)] as const]),
  ]
  const id = { type: hasNumberIds(view.table.key) ? 'number' : 'string' }
  return {
    type: 'object',
    properties: Object.fromEntries([['id', id], ...cells, ...Object.entries(included), ...places]),
    required: ['id', ...always, ...(itemActions === 'actions' ? [] : ['row'])],
    additionalProperties: false,
  }
}

const included: JsonSchema = {
  _raw: {
    type: 'object',
    additionalProperties: true,
    description: 'With `include: ["raw"]`: the values behind the cells by `data_src`; dates in ISO 8601',
  },
  _version: { type: 'string', description: 'With `include: ["version"]`: another text after every change of the row' },
  _matches: {
    type: 'array',
    items: { type: 'string' },
    description: 'With `include: ["matches"]`: the columns that `search` was found in, by `data_src`',
  },
}

/** An item of a request with `columns`: any of the keys of a whole one, and the former names of columns. */
export function itemPartSchema(item: JsonSchema, { columns }: TableView): JsonSchema {
  // Many generators follow no reference into another schema, so the cells are written again.
  const properties = item['properties'] as JsonSchema
  const former = columns.flatMap((column) => {
    const key = formerName(column)
    return key === undefined ? [] : [[key, { ...Object(properties[column.key]), deprecated: true }] as const]
  })
  return { ...item, properties: { ...properties, ...Object.fromEntries(former) }, required: ['id'] }
}

/** The actions of an item in their two places: `row`, and beside the cells. */
export const itemActionSchemas = ({ name, view }: NamedTable, itemActions: ItemActions): Schemas => ({
  [`${name}.ItemActions`]: actionsSchema(view, 'ItemAction'),
  [`${name}.ItemRow`]: anyOf([
    ...(itemActions === 'actions' ? [] : [closedObject({ actions: ref(`${name}.ItemActions`) })]),
    compactRow(view),
  ]),
})

/** The actions as `row_actions: "keys"` asks for them. */
const compactRow = (view: TableView): JsonSchema => ({
  description: 'With `row_actions: "keys"`: `path_id` takes the place of `{id}` in the `url_template` of the structure',
  ...closedObject({ actions: actionsSchema(view, 'ItemActionKeys'), path_id: { type: 'string' } }),
})

const closedObject = (properties: JsonSchema): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const actionsSchema = ({ rowActions }: TableView, entry: 'ItemAction' | 'ItemActionKeys'): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(rowActions.map(({ key }) => [key, ref(entry)])),
  additionalProperties: false,
})

const text: JsonSchema = { type: ['string', 'null'] }
const textLike: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] }

const labelled: JsonSchema = {
  type: 'object',
  properties: { value: { type: 'string' }, label: { type: 'string' } },
  required: ['value', 'label'],
}

const list: JsonSchema = { type: 'array', items: { type: 'string' } }

const byType: Readonly<Record<ColumnType, JsonSchema>> = {
  text: textLike,
  text_truncate: textLike,
  number: { type: ['number', 'string', 'null'] },
  date: text,
  link: { anyOf: [text, labelled] },
  boolean: { type: ['boolean', 'null'] },
  html: text,
  datalist: { anyOf: [list, { type: 'null' }] },
  image: text,
  barcode: text,
  actions: {},
}

/** Cells that an author's own code makes. */
const authored: JsonSchema = { anyOf: [textLike, list, labelled] }

/** The kinds of values that reach the service as text alone; a computed value may be of any type. */
const textKinds: readonly (ValueKind | undefined)[] = ['text', 'enum', 'uuid', 'other']

/** Describes the value of an item under the key of this column. */
function cellSchema({ type, definition, source }: CompiledColumn, language: Language): JsonSchema {
  const isAuthored = 'value' in definition || 'load' in definition || ('format' in definition && definition.format)
  // Those are drawn or sanitised behind the author's code, and are text then.
  const isRendered = type === 'html' || type === 'barcode'
  const own = byType[type] === textLike && textKinds.includes(source?.kind) ? text : byType[type]
  return { title: translate(definition.label, language), ...(isAuthored && !isRendered ? authored : own) }
}
