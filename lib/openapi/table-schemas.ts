import type { Language } from '../i18n/language.ts'
import { translate } from '../i18n/language.ts'
import { labelFromKey } from '../table/action-key.ts'
import { filterSchema, filterValueSchema } from './filter-schema.ts'
import { actionInputs, formSchemas, paramsSchema } from './form-schemas.ts'
import { type ItemActions, itemSchema } from './item-schema.ts'
import { enumSchema, type JsonSchema, oneOfMany, ref, type Schemas } from './json-schema.ts'
import type { NamedTable } from './named-table.ts'

export interface SchemaOptions {
  readonly itemActions: ItemActions
  readonly language: Language
}

/** The schemas of one table: its items, filters, sorts, `params` and forms, and its requests and answers made of them. */
export function tableSchemas({ name, view }: NamedTable, { itemActions, language }: SchemaOptions): Schemas {
  const { table, rowActions, bulkActions } = view
  const params = paramsSchema(table, `${name}.Params`)
  const label = translate(table.definition.label ?? labelFromKey(table.name), language)
  return {
    [`${name}.Item`]: { title: label, ...itemSchema(view, itemActions, language) },
    [`${name}.Filter`]: enumSchema(view.filters.keys()),
    [`${name}.Sort`]: enumSchema(view.sortables),
    ...(params !== undefined && { [`${name}.Params`]: params }),
    [`${name}.Filters`]: filtersSchema({ name, view }, language),
    [`${name}.Sorts`]: sortsSchema(name, [...view.sortables]),
    [`${name}.RowActions`]: actionInputs(name, 'rowAction', rowActions),
    [`${name}.BulkActions`]: actionInputs(name, 'bulkAction', bulkActions),
    ...formSchemas(name, 'rowAction', rowActions, language),
    ...formSchemas(name, 'bulkAction', bulkActions, language),
    [`${name}.Query`]: querySchema({ name, view }),
    [`${name}.Selection`]: selectionSchema({ name, view }),
    ...answerSchemas({ name, view }),
  }
}

type Named = Pick<NamedTable, 'name' | 'view'>

function filtersSchema({ view }: Named, language: Language): JsonSchema {
  const filters = [...view.filters.values()]
  const entries = filters.map((filter) => filterSchema(filter, language))
  const byName = filters.map((filter) => {
    const value = filterValueSchema(filter)
    const entry = { type: 'object', properties: { value, operator: { type: 'string' } }, required: ['value'] }
    return [filter.name, { anyOf: [value, entry] }] as const
  })
  return {
    description: 'A list, or an object by name, whose entries are values or `{value, operator}`',
    anyOf: [
      { type: 'array', items: oneOfMany(entries), maxItems: 100 },
      { type: 'object', properties: Object.fromEntries(byName) },
    ],
  }
}

function sortsSchema(name: string, sortables: readonly string[]): JsonSchema {
  const direction = { type: 'string', enum: ['asc', 'desc'] }
  const entry = { type: 'object', properties: { field: ref(`${name}.Sort`), direction }, required: ['field'] }
  return {
    description: 'A list, or one object such as `{"field": "asc"}`',
    anyOf: [
      { type: 'array', items: entry, maxItems: 10 },
      { type: 'object', properties: Object.fromEntries(sortables.map((key) => [key, direction])) },
    ],
  }
}

/** `params` of a table that takes some; it is needed where one of them is. */
const paramsKey = ({ name, view }: Named): JsonSchema =>
  view.table.definition.params === undefined ? {} : { params: ref(`${name}.Params`) }

const querySchema = (named: Named): JsonSchema => ({
  type: 'object',
  properties: {
    filters: ref(`${named.name}.Filters`),
    sorts: ref(`${named.name}.Sorts`),
    page: { type: 'integer', minimum: 1, description: 'Default 1' },
    perPage: { type: 'integer', minimum: 1, maximum: named.view.table.maxPerPage, description: 'Default 20' },
    cursor: { type: ['string', 'null'], description: 'The `next_cursor` of the answer before; `page` is then ignored' },
    row_actions: {
      const: 'keys',
      description: 'Items without what the structure says of every row: `row` has keys of actions and `path_id`',
    },
    ...paramsKey(named),
  },
})

const selectionSchema = (named: Named): JsonSchema => ({
  type: 'object',
  properties: {
    selected_ids: {
      type: 'array',
      items: ref('RowId'),
      maxItems: 10_000,
      description: 'Absent or empty: every row that the filters select',
    },
    filters: ref(`${named.name}.Filters`),
    sorts: ref(`${named.name}.Sorts`),
    expected_count: { type: 'integer', minimum: 0, description: 'On any other number of rows nothing happens' },
    dry_run: { type: 'boolean', description: 'Tells how many rows it would be, and changes nothing' },
    columns: {
      type: 'array',
      items: enumSchema(named.view.columns.filter(({ type }) => type !== 'actions').map(({ key }) => key)),
      description: 'Of an export: its columns, in this order',
    },
    emails: { type: 'array', items: { type: 'string', format: 'email' }, maxItems: 10 },
    ...paramsKey(named),
  },
})

/** The answers of any table with the items of this one. */
function answerSchemas({ name, view }: Named): Schemas {
  const items = { type: 'array', items: ref(`${name}.Item`) }
  const structure = { tableName: { const: view.table.name }, sortables: { items: ref(`${name}.Sort`) }, data: items }
  const row = { data: { properties: { row: ref(`${name}.Item`) } } }
  return {
    [`${name}.Structure`]: narrowed('Structure', structure),
    [`${name}.Page`]: narrowed('Page', { items }),
    [`${name}.RefetchedRow`]: narrowed('RefetchedRow', row),
    [`${name}.RefetchedRows`]: narrowed('RefetchedRows', { items }),
    [`${name}.RowActionAnswer`]: {
      allOf: [
        ref('RowActionAnswer'),
        {
          anyOf: [
            { properties: { onSuccess: { const: 'refetchRow' }, ...row } },
            { properties: { onSuccess: { const: 'refetchData' }, items } },
            { properties: { onSuccess: { not: { enum: ['refetchRow', 'refetchData'] } } } },
          ],
        },
      ],
    },
    [`${name}.SeveralRows`]: narrowed('SeveralRows', { items }),
  }
}

const narrowed = (name: string, properties: JsonSchema): JsonSchema => ({ allOf: [ref(name), { properties }] })
