import type { Language } from '../i18n/language.ts'
import { translate } from '../i18n/language.ts'
import { hasGroups } from '../query/group-keys.ts'
import { labelFromKey } from '../table/action-key.ts'
import { hasEditing } from '../table/has-editing.ts'
import { listSearchedFilters } from '../table/searched-filters.ts'
import { aggregateFunctions, groupUnits } from '../wire/vocabulary.ts'
import { filterSchema, filterValueSchema, namedFilterSchema, optionSchemas } from './filter-schema.ts'
import { actionInputs, formSchemas, listRowActions, paramsSchema } from './form-schemas.ts'
import { type ItemActions, itemActionSchemas, itemPartSchema, itemSchema } from './item-schema.ts'
import { anyOf, enumSchema, type JsonSchema, ref, type Schemas } from './json-schema.ts'
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
  const nulls = {
    type: ['string', 'null'],
    enum: ['first', 'last', null],
    description: 'The place of missing values. Default: `last`',
  }
  const entry = { type: 'object', properties: { field: ref(`${name}.Sort`), direction, nulls }, required: ['field'] }
  return {
    description: 'A list, or one object such as `{"field": "asc"}`',
    anyOf: [
      { type: 'array', items: entry, maxItems: 10 },
      { type: 'object', properties: Object.fromEntries(sortables.map((key) => [key, direction])) },
    ],
  }
}

/** `params` of a table that takes some; it is needed where one of them is. */
const paramsKey = ({ name, view }: SchemaTable): JsonSchema =>
  view.table.definition.params === undefined ? {} : { params: ref(`${name}.Params`) }

const searchSchema = ({ view }: SchemaTable): JsonSchema => {
  const keys = view.columns.filter(({ definition }) => definition.search === true).map(({ key }) => key)
  const text = { type: 'string', maxLength: 1_000 }
  const columns = { type: 'array', items: enumSchema(keys), minItems: 1 }
  if (keys.length === 0) return {}
  return {
    search: {
      description: 'Words and "quoted phrases", which must all occur in the searchable columns',
      anyOf: [text, { type: 'object', properties: { q: text, columns }, required: ['q'] }],
    },
  }
}

const groupKeys = ({ name, view }: SchemaTable): JsonSchema => ({
  ...searchSchema({ name, view }),
  filter_groups: ref(`${name}.FilterGroup`),
  time_zone: { type: 'string', description: 'Where periods such as `today` begin. Default: that of the table' },
  group: { type: ['string', 'null'], description: 'The `token` of a group of `group_by`: its rows only' },
})

const totalKeys: Readonly<Record<string, JsonSchema>> = {
  count: {
    type: ['string', 'null'],
    enum: ['exact', 'auto', 'none', null],
    description: 'How the total is found: `auto` within a budget, `none` not at all. Default: as the table says',
  },
  count_only: { type: ['boolean', 'null'], description: 'The exact total in `pagination`, and no items' },
  request_seq: { type: ['integer', 'null'], minimum: 0, description: 'Repeated by the response, with `query_hash`' },
}

const shapeKeys = ({ view }: SchemaTable): JsonSchema => ({
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

const optionsKey = ({ view }: SchemaTable): JsonSchema => {
  const searched = listSearchedFilters(view)
  if (searched.size === 0) return {}
  return {
    options: {
      type: ['object', 'null'],
      properties: {
        field: enumSchema(new Set(searched.keys())),
        search: { type: ['string', 'null'], maxLength: 1_000 },
        page: { type: ['integer', 'null'], minimum: 1, maximum: 1_000, description: 'Default 1' },
        limit: { type: ['integer', 'null'], minimum: 1, maximum: 100, description: 'Default 50' },
      },
      required: ['field'],
      description: 'Asks for options of this filter, in `bindings`, instead of rows. Every word of `search` must occur',
    },
  }
}

const viewKeys: Readonly<Record<string, JsonSchema>> = {
  view: {
    type: 'string',
    format: 'uuid',
    description: 'A saved view. A key of the body replaces that of the view, and `[]` clears it',
  },
  view_revision: { type: 'integer', description: 'The revision of the view that you saw; required in actions' },
}

const querySchema = (named: SchemaTable): JsonSchema => ({
  type: 'object',
  properties: {
    filters: ref(`${named.name}.Filters`),
    ...groupKeys(named),
    sorts: ref(`${named.name}.Sorts`),
    page: { type: 'integer', minimum: 1, description: 'Default 1' },
    perPage: { type: 'integer', minimum: 1, maximum: named.view.table.maxPerPage, description: 'Default 20' },
    cursor: {
      type: ['string', 'null'],
      description: 'The `next_cursor` of the previous response; `page` is then ignored',
    },
    aggregates: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        properties: {
          field: enumSchema(named.view.columns.flatMap(({ key, source }) => (source === undefined ? [] : key))),
          fn: { type: 'string', enum: aggregateFunctions },
        },
        required: ['field', 'fn'],
      },
      description: 'Totals of columns over all selected rows',
    },
    facets: {
      type: 'array',
      maxItems: 10,
      items: enumSchema([...named.view.filters.values()].filter(({ type }) => type !== 'text').map(({ name }) => name)),
      description: 'Counts of the values of these filters; each without the flat filters of its own name',
    },
    ...groupingKeys(named),
    ...optionsKey(named),
    row_actions: {
      type: 'string',
      const: 'keys',
      description: 'Items without what the structure says of every row: `row` has keys of actions and `path_id`',
    },
    ...shapeKeys(named),
    ...totalKeys,
    ...viewKeys,
    ...paramsKey(named),
  },
})

const groupingKeys = ({ view }: SchemaTable): JsonSchema => ({
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
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 1_000, description: 'Default 100' },
      after: { type: ['string', 'null'], description: 'The `groups_next` of the previous response' },
    },
  },
  explain: {
    anyOf: [
      { type: ['boolean', 'null'] },
      { type: 'string', const: 'auto' },
      { type: 'object', properties: { row_id: ref('RowId') }, required: ['row_id'] },
    ],
    description: 'Totals without each restriction, with `auto` only for no rows at all; or what excludes one row',
  },
})

/** The keys by which exports of the table make files of another form. */
const fileKeys = ({ view }: SchemaTable): JsonSchema => {
  const formats = new Set(view.bulkActions.map(({ definition }) => definition.export))
  return {
    ...(formats.has('csv') && {
      csv_separator: {
        type: ['string', 'null'],
        enum: [',', ';', null],
        description: 'Of a CSV export. Default: as spreadsheets of the language expect',
      },
      csv_raw: {
        type: ['boolean', 'null'],
        description: 'Of a CSV export: leaves texts that look like formulas as they are',
      },
    }),
    ...(formats.has('excel') &&
      hasEditing(view) && {
        round_trip: { type: ['boolean', 'null'], description: 'Makes a workbook that can be edited and sent back' },
      }),
  }
}

const selectionSchema = (named: SchemaTable): JsonSchema => ({
  type: 'object',
  properties: {
    selected_ids: {
      type: 'array',
      items: ref('RowId'),
      maxItems: 10_000,
      description: 'Absent or empty: every row that the filters select',
    },
    select_all: {
      type: ['boolean', 'null'],
      description: 'All rows that the filters select; not beside `selected_ids`',
    },
    excluded_ids: {
      type: 'array',
      items: ref('RowId'),
      maxItems: 10_000,
      description: 'With `select_all`: these rows are left out',
    },
    selection_token: {
      type: ['string', 'null'],
      description: 'Of the page: the action runs only if the same rows are selected, as they were then',
    },
    plan: { type: ['boolean', 'null'], description: 'Tells what would happen to which rows, and changes nothing' },
    plan_id: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'Without a selection: runs the action as it was planned',
    },
    tolerance: {
      type: 'integer',
      minimum: 0,
      maximum: 100,
      description: 'Rows that may differ nevertheless. Default 0',
    },
    filters: ref(`${named.name}.Filters`),
    ...groupKeys(named),
    sorts: ref(`${named.name}.Sorts`),
    expected_count: { type: 'integer', minimum: 0, description: 'On any other number of rows nothing happens' },
    dry_run: { type: 'boolean', description: 'Tells how many rows it would be, and changes nothing' },
    columns: {
      type: 'array',
      items: enumSchema(named.view.columns.filter(({ type }) => type !== 'actions').map(({ key }) => key)),
      description: 'Of an export: its columns, in this order',
    },
    ...fileKeys(named),
    emails: { type: ['array', 'null'], items: { type: 'string', format: 'email' }, maxItems: 10 },
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
    ...viewKeys,
    ...paramsKey(named),
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
