import type { Language } from '../i18n/language.ts'
import { translate } from '../i18n/language.ts'
import { hasGroups } from '../query/group-keys.ts'
import { hasFacet } from '../rows/facets.ts'
import { labelFromKey } from '../table/action-key.ts'
import { hasEditing } from '../table/has-editing.ts'
import { isRaw } from '../table/raw-column.ts'
import { listSearchedFilters } from '../table/searched-filters.ts'
import { aggregateFunctions, groupUnits } from '../wire/vocabulary.ts'
import { filterSchema, filterValueSchema, namedFilterSchema, optionSchemas } from './filter-schema.ts'
import { actionInputs, formSchemas, listRowActions, paramsSchema } from './form-schemas.ts'
import { type ItemActions, itemActionSchemas, itemPartSchema, itemSchema } from './item-schema.ts'
import { anyOf, enumSchema, type JsonSchema, orNulls, ref, type Schemas } from './json-schema.ts'
import type { NamedTable } from './named-table.ts'

export interface SchemaOptions {
  readonly itemActions: ItemActions
  readonly language: Language
}

/**
 * The schemas of one table: its items, filters, sorts, `params` and forms, and its requests and responses made of them.
 */
export function tableSchemas({ name, view }: NamedTable, { itemActions, language }: SchemaOptions): Schemas {
  const { table, rowActions, bulkActions } = view
  const params = paramsSchema(table, `${name}.Params`)
  const label = translate(table.definition.label ?? labelFromKey(table.name), language)
  const item = { title: label, ...itemSchema({ name, view }, itemActions, language) }
  return {
    [`${name}.Item`]: item,
    [`${name}.ItemPart`]: itemPartSchema(item, view),
    ...itemActionSchemas({ name, view }, itemActions),
    [`${name}.Filter`]: enumSchema(view.filters.keys()),
    [`${name}.Sort`]: enumSchema(view.sortables),
    ...(params !== undefined && { [`${name}.Params`]: params }),
    [`${name}.FilterEntry`]: anyOf([...view.filters.values()].map((filter) => filterSchema(name, filter, language))),
    ...optionSchemas(name, view.filters.values()),
    [`${name}.FilterGroup`]: groupSchema(name),
    [`${name}.Filters`]: filtersSchema({ name, view }),
    [`${name}.Sorts`]: sortsSchema(name, [...view.sortables]),
    [`${name}.RowActions`]: actionInputs(name, 'rowAction', rowActions),
    [`${name}.BulkActions`]: actionInputs(name, 'bulkAction', bulkActions),
    ...formSchemas(name, 'rowAction', listRowActions(view), language),
    ...formSchemas(name, 'bulkAction', bulkActions, language),
    [`${name}.Query`]: querySchema({ name, view }),
    [`${name}.Selection`]: selectionSchema({ name, view }),
    ...responseSchemas({ name, view }),
  }
}

type SchemaTable = Pick<NamedTable, 'name' | 'view'>

function groupSchema(name: string): JsonSchema {
  const parts = {
    type: 'array',
    minItems: 1,
    items: { anyOf: [ref(`${name}.FilterGroup`), ref(`${name}.FilterEntry`)] },
  }
  return {
    type: 'object',
    description:
      'Filters that all hold, of which any holds, or of which none holds; at most 5 groups deep, 100 filters in all',
    anyOf: ['all', 'any', 'none'].map((kind) => ({ properties: { [kind]: parts }, required: [kind] })),
  }
}

function filtersSchema({ name, view }: SchemaTable): JsonSchema {
  const byName = [...view.filters.values()].map((filter) => {
    const entry = namedFilterSchema(name, filter)
    return [filter.name, { anyOf: [filterValueSchema(name, filter), entry] }] as const
  })
  return {
    description: 'A list, or an object by name, whose entries are values or `{value, operator}`',
    anyOf: [
      { type: 'array', items: ref(`${name}.FilterEntry`), maxItems: 100 },
      { type: 'object', properties: Object.fromEntries(byName) },
    ],
  }
}

function sortsSchema(name: string, sortables: readonly string[]): JsonSchema {
  const direction = { type: 'string', enum: ['asc', 'desc'] }
  const nulls = { type: 'string', enum: ['first', 'last'], description: 'The place of missing values. Default: `last`' }
  const properties = { field: ref(`${name}.Sort`), ...orNulls({ direction, nulls }) }
  const entry = { type: 'object', properties, required: ['field'] }
  // A `label` beside another key is the label of that column.
  const byName = sortables.map((key) => [key, key === 'label' ? { type: 'string' } : direction])
  return {
    description: 'A list, or one object such as `{"field": "asc"}`',
    anyOf: [
      { type: 'array', items: entry, maxItems: 10 },
      { type: 'object', properties: Object.fromEntries(byName) },
    ],
  }
}

/** `params` of a table that takes some; it is needed where one of them is. */
const paramsKey = ({ name, view }: SchemaTable): Schemas =>
  view.table.definition.params === undefined ? {} : { params: ref(`${name}.Params`) }

const searchSchema = ({ view }: SchemaTable): Schemas => {
  const keys = view.columns.filter(({ definition }) => definition.search === true).map(({ key }) => key)
  const text = { type: 'string', maxLength: 1_000 }
  const columns = { type: 'array', items: enumSchema(keys), minItems: 1 }
  if (keys.length === 0) return {}
  return {
    search: {
      description: 'Words and "quoted phrases", which must all occur in the searchable columns',
      anyOf: [text, { type: 'object', properties: { q: text, columns }, required: ['q'] }, ref('Cleared')],
    },
  }
}

const timeZone = { type: 'string', description: 'Where periods such as `today` begin. Default: that of the table' }

const groupKeys = ({ name, view }: SchemaTable): Schemas => ({
  ...searchSchema({ name, view }),
  filter_groups: { anyOf: [ref(`${name}.FilterGroup`), ref('Cleared')] },
  time_zone: timeZone,
  group: { type: 'string', description: 'The `token` of a group of `group_by`: its rows only' },
})

/** A whole number, also as text. */
const whole: JsonSchema = { type: ['integer', 'string'], pattern: '^\\d+$' }

const totalKeys: Schemas = {
  count: {
    type: 'string',
    enum: ['exact', 'auto', 'none'],
    description: 'How the total is found: `auto` within a budget, `none` not at all. Default: as the table says',
  },
  count_only: { type: 'boolean', description: 'The exact total in `pagination`, and no items' },
  request_seq: { type: 'integer', minimum: 0, description: 'Repeated by the response, with `query_hash`' },
}

const shapeKeys = ({ view }: SchemaTable): Schemas => ({
  include: {
    type: 'array',
    items: { type: 'string', enum: ['raw', 'version', 'matches', 'selection'] },
    description: 'Further members of items: `_raw`, `_version` and `_matches`; `selection_token` of the page',
  },
  columns: {
    type: 'array',
    items: enumSchema(new Set(['id', ...view.columns.map(({ key, type }) => (type === 'actions' ? 'NA' : key))])),
    description: 'Items have `id` and these columns alone; `NA` stands for the actions. Absent or empty: all',
  },
})

const optionsKey = ({ view }: SchemaTable): Schemas => {
  const searched = listSearchedFilters(view)
  if (searched.size === 0) return {}
  return {
    options: {
      type: 'object',
      properties: {
        field: enumSchema(new Set(searched.keys())),
        ...orNulls({
          search: { type: 'string', maxLength: 1_000 },
          page: { type: 'integer', minimum: 1, maximum: 1_000, description: 'Default 1' },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Default 50' },
        }),
      },
      required: ['field'],
      description: 'Asks for options of this filter, in `bindings`, instead of rows. Every word of `search` must occur',
    },
  }
}

const viewKeys = {
  view: {
    type: 'string',
    format: 'uuid',
    description: 'A saved view. A key of the body replaces that of the view, and `[]` clears it',
  },
  view_revision: { type: 'integer', description: 'The revision of the view that you saw; required in actions' },
}

const querySchema = ({ name, view }: SchemaTable): JsonSchema => ({
  type: 'object',
  properties: orNulls({
    filters: ref(`${name}.Filters`),
    ...groupKeys({ name, view }),
    sorts: ref(`${name}.Sorts`),
    page: { ...whole, minimum: 1, description: 'Default 1' },
    perPage: { ...whole, minimum: 1, maximum: view.table.maxPerPage, description: 'Default 20' },
    cursor: { type: 'string', description: 'The `next_cursor` of the previous response; `page` is then ignored' },
    aggregates: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        properties: {
          field: enumSchema(view.columns.filter(isRaw).map(({ key }) => key)),
          fn: { type: 'string', enum: aggregateFunctions },
        },
        required: ['field', 'fn'],
      },
      description: 'Totals of columns over all selected rows',
    },
    facets: {
      type: 'array',
      maxItems: 10,
      items: enumSchema([...view.filters.values()].filter((filter) => hasFacet(view, filter)).map(({ name }) => name)),
      description: 'Counts of the values of these filters; each without the flat filters of its own name',
    },
    ...groupingKeys({ name, view }),
    ...optionsKey({ name, view }),
    row_actions: {
      type: 'string',
      const: 'keys',
      description: 'Items without what the structure says of every row: `row` has keys of actions and `path_id`',
    },
    ...shapeKeys({ name, view }),
    ...totalKeys,
    ...viewKeys,
    ...paramsKey({ name, view }),
  }),
})

const groupingKeys = ({ view }: SchemaTable): Schemas => ({
  group_by: {
    type: 'array',
    maxItems: 3,
    items: {
      type: 'object',
      properties: {
        field: enumSchema(view.columns.filter(hasGroups).map(({ key }) => key)),
        bucket: {
          anyOf: [
            { type: 'string', enum: groupUnits },
            { type: 'object', properties: { width: { type: ['number', 'string'] } }, required: ['width'] },
            { type: 'null' },
          ],
          description: 'A unit of the calendar for dates, or the width of ranges for numbers',
        },
      },
      required: ['field'],
    },
    description: 'Counts the selected rows by the values of these columns',
  },
  groups_page: {
    type: 'object',
    properties: orNulls({
      limit: { type: 'integer', minimum: 1, maximum: 1_000, description: 'Default 100' },
      after: { type: 'string', description: 'The `groups_next` of the previous response' },
    }),
  },
  explain: {
    anyOf: [
      { type: 'boolean' },
      { type: 'string', const: 'auto' },
      { type: 'object', properties: { row_id: ref('RowId') }, required: ['row_id'] },
    ],
    description: 'Totals without each restriction, with `auto` only for no rows at all; or what excludes one row',
  },
})

/** The keys by which exports of the table make files of another form. */
const fileKeys = ({ view }: SchemaTable): Schemas => {
  const formats = new Set(view.bulkActions.map(({ definition }) => definition.export))
  return {
    ...(formats.has('csv') && {
      csv_separator: {
        type: 'string',
        enum: [',', ';'],
        description: 'Of a CSV export. Default: as spreadsheets of the language expect',
      },
      csv_raw: {
        type: 'boolean',
        description: 'Of a CSV export: leaves texts that look like formulas as they are',
      },
    }),
    ...(formats.has('excel') &&
      hasEditing(view) && {
        round_trip: { type: 'boolean', description: 'Makes a workbook that can be edited and sent back' },
      }),
  }
}

/** The keys of an action that are the same for all tables. */
const actionKeys: Schemas = {
  select_all: { type: 'boolean', description: 'All rows that the filters select; not beside `selected_ids`' },
  selection_token: {
    type: 'string',
    description: 'Of the page: the action runs only if the same rows are selected, as they were then',
  },
  plan: { type: 'boolean', description: 'Tells what would happen to which rows, and changes nothing' },
  plan_id: {
    type: 'string',
    format: 'uuid',
    description: 'Without a selection: runs the action as it was planned',
  },
  tolerance: { type: 'integer', minimum: 0, maximum: 100, description: 'Rows that may differ nevertheless. Default 0' },
  expected_count: { ...whole, minimum: 0, description: 'On any other number of rows nothing happens' },
  dry_run: { type: 'boolean', description: 'Tells how many rows it would be, and changes nothing' },
  emails: { type: 'array', items: { type: 'string', format: 'email' }, maxItems: 10 },
  include: {
    type: 'array',
    items: { type: 'string', enum: ['effects', 'raw', 'version', 'matches'] },
    description: 'With `effects`: the response shows the changed rows as the page does',
  },
  row_actions: {
    type: 'string',
    const: 'keys',
    description: 'Shortens the actions of the rows in the response and in a plan',
  },
}

/** The keys that decide which rows an action changes must not be null. */
const selectionSchema = (named: SchemaTable): JsonSchema => ({
  type: 'object',
  properties: {
    selected_ids: {
      type: 'array',
      items: ref('RowId'),
      maxItems: 10_000,
      description: 'Absent or empty: every row that the filters select',
    },
    excluded_ids: {
      type: 'array',
      items: ref('RowId'),
      maxItems: 10_000,
      description: 'With `select_all`: these rows are left out',
    },
    filters: ref(`${named.name}.Filters`),
    ...groupKeys(named),
    view: viewKeys.view,
    ...orNulls({
      time_zone: timeZone,
      view_revision: viewKeys.view_revision,
      sorts: ref(`${named.name}.Sorts`),
      ...actionKeys,
      columns: {
        type: 'array',
        items: enumSchema(named.view.columns.filter(({ type }) => type !== 'actions').map(({ key }) => key)),
        description: 'Of an export: its columns, in this order',
      },
      ...fileKeys(named),
      ...paramsKey(named),
    }),
  },
})

/** The responses of any table with the items of this one. */
function responseSchemas({ name, view }: SchemaTable): Schemas {
  const items = { type: 'array', items: ref(`${name}.Item`) }
  const part = ref(`${name}.ItemPart`)
  const read = { type: 'array', items: part }
  const sortables = { type: 'array', items: ref(`${name}.Sort`) }
  const structure = { tableName: { type: 'string', const: view.table.name }, sortables, data: read }
  return {
    [`${name}.Structure`]: narrowSchema('Structure', structure),
    [`${name}.Page`]: narrowSchema('Page', { items: read }),
    [`${name}.RefetchedRow`]: narrowSchema('RefetchedRow', { data: { properties: { row: part } } }),
    [`${name}.RefetchedRows`]: narrowSchema('RefetchedRows', { items: read }),
    [`${name}.RowActionAnswer`]: {
      anyOf: [
        ref('OpenedForm'),
        narrowSchema('ChangedRow', { data: { properties: { row: ref(`${name}.Item`) } } }),
        narrowSchema('ChangedRows', { items }),
        ...['ShownDetails', 'MadeFile', 'OtherOutcome'].map(ref),
        ref(`${name}.SeveralRows`),
      ],
    },
    [`${name}.SeveralRows`]: narrowSchema('SeveralRows', { items }),
  }
}

const narrowSchema = (name: string, properties: JsonSchema): JsonSchema => ({ allOf: [ref(name), { properties }] })
