import { type EndpointName, routes } from '../routes.ts'
import type { BulkAction, RowAction } from '../table/compiled-table.ts'
import type { TableView } from '../table/view.ts'
import { listRowActions } from './form-schemas.ts'
import { enumSchema, type JsonSchema } from './json-schema.ts'
import type { NamedTable } from './named-table.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: true
  readonly description?: string
  readonly style?: 'deepObject'
  readonly explode?: true
  readonly schema: JsonSchema
}

const text: JsonSchema = { type: 'string' }

const language: Parameter = {
  name: 'ln',
  in: 'header',
  schema: { type: 'string', enum: ['en', 'ar'] },
  description: 'The language of labels and messages; without it `accept-language` says, without both it is English',
}

const idempotencyKey: Parameter = {
  name: 'idempotency-key',
  in: 'header',
  schema: { type: 'string', maxLength: 255 },
  description: 'New for each click: a request that is sent again with it runs nothing and gets the first response',
}

const ifNoneMatch: Parameter = {
  name: 'if-none-match',
  in: 'header',
  schema: text,
  description: 'The `etag` of the response that you hold; while it is the same, the response is 304',
}

const ifMatch: Parameter = {
  name: 'if-match',
  in: 'header',
  schema: text,
  description: 'The `_version` of the item in quotes: the action runs only if the row has not changed since',
}

const params: Parameter = {
  name: 'params',
  in: 'query',
  style: 'deepObject',
  explode: true,
  schema: { type: 'object', additionalProperties: true },
  description: "A table's own context, as `params[key]=value`; a plain `key=value` is the same. `params` of a body win",
}

const query = (name: string, schema: JsonSchema, description: string): Parameter => ({
  name,
  in: 'query',
  schema,
  description,
})

const uuid: JsonSchema = { type: 'string', format: 'uuid' }

const id: JsonSchema = { type: 'integer', minimum: 1 }

const pageParts = ['filter_groups', 'search', 'aggregates', 'facets', 'group_by', 'groups_page', 'explain'] as const

const listPageParts = (): readonly Parameter[] => [
  ...[...pageParts, 'include', 'columns'].map((key) =>
    query(key, text, `As JSON, with data: \`${key}\` of query-table`),
  ),
  ...['time_zone', 'group'].map((key) => query(key, text, `With data: as \`${key}\` of query-table`)),
]

/** Parameters beside `params`, which every endpoint of a table has. */
const ownParameters: Readonly<Partial<Record<EndpointName, readonly Parameter[]>>> = {
  loadTable: [
    query('row_actions', { type: 'string', enum: ['keys'] }, 'With data: as `row_actions` of query-table'),
    query('count', { type: 'string', enum: ['exact', 'auto', 'none'] }, 'With data: as `count` of query-table'),
    query('views', { type: 'boolean' }, 'True adds the saved views that the caller can use'),
    query('view', uuid, 'With data: as `view` of query-table'),
    query('view_revision', { type: 'integer' }, 'With data: as `view_revision` of query-table'),
    ...listPageParts(),
    query('request_seq', { type: 'integer', minimum: 0 }, 'With data: as `request_seq` of query-table'),
    ifNoneMatch,
  ],
  showImport: [
    query('page', { type: 'integer', minimum: 1, default: 1 }, 'The page of `plan.cells`'),
    query('per_page', { type: 'integer', minimum: 1, maximum: 1_000, default: 100 }, 'Cells of a page'),
    ifNoneMatch,
  ],
  listViews: [ifNoneMatch],
  applyImport: [idempotencyKey],
  listTables: [ifNoneMatch],
  openApi: [params, ifNoneMatch],
  rowHistory: [
    query('before', text, 'The `next` of the previous response: the next page'),
    query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'How many at most'),
    ifNoneMatch,
  ],
  rowTableAction: [
    idempotencyKey,
    ifMatch,
    query(
      'step',
      { type: 'string', enum: ['submit'] },
      'The second step of an action whose entry says `OpenModalForm`',
    ),
  ],
  rowBulkTableAction: [idempotencyKey],
  undoChange: [idempotencyKey],
  bulkTableAction: [idempotencyKey],
  jobStatus: [
    query('after', { type: 'integer', minimum: 0 }, 'Adds the `events` after this `seq`, for a socket that was away'),
  ],
  listDownloads: [
    query('before', text, 'The `next` of the previous response: the next page'),
    query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'How many at most'),
    query('job', uuid, 'Only the links of this job'),
  ],
  listNotifications: [
    query('before', id, 'The `next` of the previous response: the next page'),
    query('after', { type: 'integer', minimum: 0 }, 'Only those newer than this id'),
    query('limit', { type: 'integer', minimum: 1, maximum: 100 }, 'The maximum number; default 50'),
    query('unread', { type: 'boolean' }, 'True leaves out notifications that were read'),
  ],
}

const rowInPath = 'Percent-encoded; an id with / ? # % \\, or one that begins with ~, is ~ and its base64url'

/** The parameters of several endpoints, each under its own name in the document. */
const commonParameters: ReadonlySet<Parameter> = new Set([language, idempotencyKey, ifNoneMatch, params])

const parameterName = (endpoint: string, parameter: Parameter): string =>
  commonParameters.has(parameter) ? parameter.name : `${endpoint}.${parameter.name}`

const listOwn = Object.entries(ownParameters)

/** The endpoints whose responses have an entity tag. */
export const taggedEndpoints: ReadonlySet<string> = new Set(
  listOwn.filter(([, own]) => own.includes(ifNoneMatch)).map(([endpoint]) => endpoint),
)

/** The parameters that operations refer to, because each is the same in the operations of all tables. */
export const sharedParameters = (): JsonSchema =>
  Object.fromEntries([
    [language.name, language],
    [params.name, params],
    ...listOwn.flatMap(([endpoint, own]) => own.map((parameter) => [parameterName(endpoint, parameter), parameter])),
  ])

const refer = (name: string): JsonSchema => ({ $ref: `#/components/parameters/${name}` })

const languageReference = refer(language.name)
const paramsReference = refer(params.name)

export const endpointsOfTables: ReadonlySet<EndpointName> = new Set(
  routes.filter(({ paths }) => paths.some((path) => path.includes('{tableName}'))).map(({ name }) => name),
)

const ownReferences: ReadonlyMap<string, readonly JsonSchema[]> = new Map(
  listOwn.map(([endpoint, own]) => [endpoint, own.map((parameter) => refer(parameterName(endpoint, parameter)))]),
)

/** The parameters of one path of an endpoint, of one table or of any of `tables`. */
export function endpointParameters(
  name: EndpointName,
  path: string,
  table: NamedTable | undefined,
  tables: readonly TableView[],
): readonly (Parameter | JsonSchema)[] {
  const views = table === undefined ? tables : [table.view]
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => pathParameter(parameter, name, views))
  const ofTable = endpointsOfTables.has(name) ? [paramsReference] : []
  return [...inPath, ...ofTable, ...(ownReferences.get(name) ?? []), languageReference]
}

function pathParameter(parameter: string, endpoint: EndpointName, views: readonly TableView[]): Parameter {
  const schema = pathSchema(parameter, endpoint, views)
  const isRow = schema !== uuid && (parameter === 'rowId' || parameter === 'id')
  const description = isRow ? { description: rowInPath } : {}
  return { name: parameter, in: 'path', required: true, ...description, schema }
}

function pathSchema(parameter: string, endpoint: EndpointName, views: readonly TableView[]): JsonSchema {
  if (parameter === 'tableName') return enumSchema(views.map(({ table }) => table.name))
  if (parameter === 'withData') return { type: 'string', enum: ['true', 'false', '1', '0'] }
  if (parameter === 'jobId' || parameter === 'change') return uuid
  if (parameter === 'id' && endpoint !== 'rowTableAction' && endpoint !== 'rowHistory') return uuid
  if (parameter !== 'action') return text
  const actions = views.flatMap((view): readonly (RowAction | BulkAction)[] => {
    if (endpoint === 'bulkTableAction') return view.bulkActions
    return listRowActions(view).filter(
      ({ definition }) => endpoint === 'rowTableAction' || definition.bulk !== undefined,
    )
  })
  return enumSchema(new Set(actions.map(({ key }) => key)))
}
