import type { EndpointName } from '../routes.ts'
import type { BulkAction, RowAction } from '../table/compiled-table.ts'
import type { NamedTable } from './described-table.ts'
import { type JsonSchema, textOneOf } from './json-schema.ts'

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: true
  readonly description?: string
  readonly style?: 'deepObject'
  readonly schema: JsonSchema
}

const text: JsonSchema = { type: 'string' }

const language: Parameter = {
  ...{ name: 'ln', in: 'header', schema: { type: 'string', enum: ['en', 'ar'] } },
  description: 'The language of labels and messages; without it `accept-language` says, without both it is English',
}

const idempotencyKey: Parameter = {
  ...{ name: 'idempotency-key', in: 'header', schema: { type: 'string', maxLength: 255 } },
  description: 'New for each click: a request that is sent again with it runs nothing and gets the first answer',
}

const ifNoneMatch: Parameter = {
  ...{ name: 'if-none-match', in: 'header', schema: text },
  description: 'The `etag` of the answer that you hold; while it is the same, the answer is 304',
}

const params: Parameter = {
  ...{ name: 'params', in: 'query', style: 'deepObject', schema: { type: 'object' } },
  description: "A table's own context, as `params[key]=value`; a plain `key=value` is the same",
}

const query = (name: string, schema: JsonSchema, description: string): Parameter => ({
  ...{ name, in: 'query', schema, description },
})

const id: JsonSchema = { type: 'integer', minimum: 1 }

const ownParameters: Readonly<Partial<Record<EndpointName, readonly Parameter[]>>> = {
  loadTable: [params, ifNoneMatch],
  listTables: [ifNoneMatch],
  openApi: [params, ifNoneMatch],
  rowTableAction: [
    idempotencyKey,
    query(
      'step',
      { type: 'string', enum: ['submit'] },
      'The second step of an action whose entry says `OpenModalForm`',
    ),
  ],
  rowBulkTableAction: [idempotencyKey],
  bulkTableAction: [idempotencyKey],
  listNotifications: [
    query('before', id, 'The `next` of the answer before: the next page'),
    query('after', { type: 'integer', minimum: 0 }, 'Only those newer than this id'),
    query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'How many at most'),
    query('unread', { type: 'boolean', default: false }, 'Leaves out what was read'),
  ],
}

const rowInPath = 'Percent-encoded; an id with / ? # % \\, or one that begins with ~, is ~ and its base64url'

/** The parameters of one path of an endpoint. */
export function endpointParameters(
  name: EndpointName,
  path: string,
  tables: readonly NamedTable[],
): readonly Parameter[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => pathParameter(parameter, name, tables))
  return [...inPath, ...(ownParameters[name] ?? []), language]
}

function pathParameter(parameter: string, endpoint: EndpointName, tables: readonly NamedTable[]): Parameter {
  const schema = pathSchema(parameter, endpoint, tables)
  const description = parameter === 'rowId' || parameter === 'id' ? { description: rowInPath } : {}
  return { name: parameter, in: 'path', required: true, ...description, schema }
}

function pathSchema(parameter: string, endpoint: EndpointName, tables: readonly NamedTable[]): JsonSchema {
  if (parameter === 'tableName') return textOneOf(tables.map(({ view }) => view.table.name))
  if (parameter === 'withData') return { type: 'string', enum: ['true', 'false', '1', '0'] }
  if (parameter === 'jobId') return { type: 'string', format: 'uuid' }
  if (parameter !== 'action') return text
  const actions = tables.flatMap(({ view }): readonly (RowAction | BulkAction)[] => {
    if (endpoint === 'bulkTableAction') return view.bulkActions
    return view.rowActions.filter(({ definition }) => endpoint === 'rowTableAction' || definition.bulk !== undefined)
  })
  return textOneOf(new Set(actions.map(({ key }) => key)))
}
