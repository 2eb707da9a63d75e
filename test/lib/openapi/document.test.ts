import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { createRegistry, type LoadedRegistry, type OpenApiDocument, wholeDocument } from '../../../lib/index.ts'
import { createDocumentCache } from '../../../lib/openapi/document-text.ts'
import { componentName } from '../../../lib/openapi/named-table.ts'
import { mountRoutes, pages } from '../../../lib/routes.ts'
import { hasEditing } from '../../../lib/table/has-editing.ts'
import { type TableView, wholeView } from '../../../lib/table/view.ts'
import { registry as demoRegistry } from '../../../tables/index.ts'
import { fixtureRegistry } from '../../support/fixtures/fixture-registry.ts'
import { assertDescribed } from '../../support/openapi/described-response.ts'
import { documentSchemas } from '../../support/openapi/shared-schemas.ts'
import { countriesTable, mixedTable, notesTable } from './countries.ts'

const service = { SERVICE_NAME: 'table_control', GUARDS: ['api', 'web'], ITEM_ACTIONS: 'both' as const }
const createDocument = (registry: LoadedRegistry, guard = 'api'): OpenApiDocument =>
  wholeDocument(registry, { service, guard, baseUrl: '', language: 'en' })

/** Knows the rules of schemas. Optimized code takes four times as long to make, for validators that run once. */
const ofSchemas = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })

interface Operation {
  readonly operationId: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema?: unknown
  }[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly requestBody?: unknown
}

const listOperations = ({ paths }: OpenApiDocument) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...(operation as Operation) })),
  )

/** Lists every `$ref` of a document, at any depth. */
function refsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refsIn(inner),
  )
}

const resolves = (document: OpenApiDocument, ref: string): boolean =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document) !== undefined

const serves = (routeKey: string, view: TableView) => {
  const { rowActions, bulkActions } = view
  if (routeKey.includes('/bulk-table-action')) return bulkActions.length > 0
  if (routeKey.includes('/row-table-action')) return rowActions.length > 0 || hasEditing(view)
  const runsOnSeveral = rowActions.some(({ definition }) => definition.bulk !== undefined) || hasEditing(view)
  return !routeKey.includes('/row-bulk-table-action') || runsOnSeveral
}

/** The `enum` of the parameter `action` of an operation; `undefined` if there is no such operation. */
const findActions = (document: OpenApiDocument, path: string): readonly string[] | undefined => {
  const operation = document.paths[`/api-table/control-tables/${path}`]?.['post'] as Operation | undefined
  const parameter = operation?.parameters.find(({ name }) => name === 'action')
  return (parameter?.schema as { readonly enum?: readonly string[] } | undefined)?.enum
}

/** A table like the others, under another name. */
const stock = (name: string) => ({
  ...countriesTable,
  definition: { ...countriesTable.definition, name: `stock${name}` },
})

describe.each([
  ['the demo', demoRegistry],
  ['the fixture', fixtureRegistry],
  ['tables with equal actions', createRegistry([stock(''), stock('.a-b'), stock('_عدد')])],
  ['no tables', createRegistry([])],
])('the OpenAPI document of %s', (_, registry) => {
  const document = createDocument(registry)
  const operations = listOperations(document)

  it('names its version and has one server for each guard, the described guard first', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d$/),
      info: { title: 'table_control', version: expect.any(String) },
      servers: [{ url: '/api' }, { url: '/' }],
    })
    expect(createDocument(registry, 'web')).toMatchObject({ servers: [{ url: '/' }, { url: '/api' }] })
  })

  it('has every route of its guard once for any table and once for each table that it can serve, and nothing else', () => {
    const ofPages = new Set<string>(pages.map(({ name }) => name))
    const mounted = mountRoutes(['web']).filter(({ route }) => !ofPages.has(route.name))
    const expected = mounted.flatMap(({ routeKey }) => [
      routeKey,
      ...(routeKey.includes('{tableName}')
        ? [...registry.tables.values()].flatMap((table) =>
            serves(routeKey, wholeView(table, 'web'))
              ? routeKey.replace('{tableName}', encodeURIComponent(table.name))
              : [],
          )
        : []),
    ])
    const described = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(described.sort()).toEqual(expected.sort())
  })

  it('calls each operation by the name of its route and its table, and no two by the same', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toContain('table_control.api.loadTable')
    for (const name of registry.tables.keys()) {
      expect(ids).toContain(`table_control.api.queryTableData.${componentName(name)}`)
    }
    const onWeb = listOperations(createDocument(registry, 'web')).map(({ operationId }) => operationId)
    expect(onWeb).toContain('table_control.web.queryTableData')
  })

  it('declares every parameter of a path, and no other as one of the path', () => {
    for (const { path, parameters } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = parameters.filter((parameter) => parameter.in === 'path')
      expect(declared.map(({ name }) => name)).toEqual(named)
      expect(declared.every(({ required }) => required === true)).toBe(true)
    }
  })

  it('has only references that lead somewhere', () => {
    const refs = new Set(refsIn(document))
    expect([...refs].filter((ref) => !ref.startsWith('#/') || !resolves(document, ref))).toEqual([])
  })

  it('uses the characters that OpenAPI allows in names', () => {
    const names = Object.values(document.components).flatMap((part) => Object.keys(part))
    expect(names.filter((name) => !/^[a-zA-Z0-9._-]+$/.test(name))).toEqual([])
  })

  it('is the same where it is written as text, table by table', () => {
    const tables = [...registry.tables.values()].map((table) => wholeView(table, 'api'))
    const about = { guard: 'api', baseUrl: '', language: 'en' } as const
    const text = createDocumentCache().find({ ...about, views: tables }, () => ({ service, ...about, tables }))
    expect(JSON.parse(text.write({}))).toEqual(JSON.parse(JSON.stringify(document)))
  })

  it('has schemas that are valid JSON Schema 2020-12', () => {
    const { compile } = documentSchemas(document)
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(ofSchemas.validateSchema(schema), name).toBe(true)
      expect(() => compile(`#/components/schemas/${name}`), name).not.toThrow()
    }
  })
})

it.each([
  ['createImport.422', ['validation_failed', 'response_too_large', 'import_refused']],
  ['too_many_requests.too_many_imports', ['too_many_requests', 'too_many_imports']],
  ['table_not_found.import_not_found', ['table_not_found', 'import_not_found']],
  ['applyImport.404', ['table_not_found', 'view_not_found', 'import_not_found', 'plan_not_found']],
])('names the codes of the failure %s', (name, codes) => {
  const failures = createDocument(demoRegistry).components['responses'] as Record<string, { description: string }>
  expect([...(failures[name]?.description ?? '').matchAll(/^`(\w+)`/gm)].map(([, code]) => code)).toEqual(codes)
})

describe('what a document says of a table', () => {
  const { schemas } = createDocument(createRegistry([countriesTable])).components

  it('has the cells of its columns by their types; one with a condition may be absent', () => {
    expect(schemas['countries.Item']).toMatchObject({
      additionalProperties: false,
      properties: {
        id: { type: 'number' },
        name: { title: 'Name', type: ['string', 'null'] },
        population: { type: ['number', 'string', 'null'] },
        member: { type: ['boolean', 'null'] },
        flag: { type: ['string', 'null'] },
      },
      required: ['id', 'name', 'population', 'member', 'row'],
    })
  })

  it('has other cells than texts in a column of texts only if its values may be of another type', () => {
    const mixed = { type: ['string', 'number', 'boolean', 'null'] }
    expect(createDocument(createRegistry([mixedTable])).components.schemas['mixed.Item']).toMatchObject({
      properties: {
        name: { type: ['string', 'null'] },
        population: mixed,
        code: mixed,
        continent: { anyOf: expect.arrayContaining([mixed]) },
      },
    })
  })

  it('has its filters and sorts by name, and the values that filters take', () => {
    expect(schemas['countries.Filter']).toEqual({
      type: 'string',
      enum: ['name', 'continent', 'since_from', 'since_to'],
    })
    expect(schemas['countries.Sort']).toEqual({ type: 'string', enum: ['name', 'population'] })
    expect(schemas['countries.Query']).toMatchObject({ properties: { perPage: { maximum: 300 } } })
  })

  it('has the forms of its actions, with the labels of their fields', () => {
    expect(schemas['countries.rowAction.rename']).toMatchObject({
      properties: { name: { type: 'string', title: 'New name', minLength: 2 } },
      required: ['name'],
    })
    expect(schemas['countries.RowActions']).toMatchObject({
      properties: { rename: { $ref: '#/components/schemas/countries.rowAction.rename' }, visit: {} },
    })
  })

  it('has the action that edits cells, on one row and on several', () => {
    const document = createDocument(createRegistry([notesTable]))
    expect(findActions(document, 'row-table-action/notes/{action}/{id}')).toContain('update_cells')
    for (const table of ['{tableName}', 'notes'])
      expect(findActions(document, `row-bulk-table-action/${table}/{action}`)).toEqual(['update_cells'])
  })

  it('has what its `params` must be', () => {
    expect(schemas['countries.Params']).toMatchObject({ properties: { continent: { type: 'string' } } })
  })

  it('has the actions of the described guard alone', () => {
    const web = createDocument(createRegistry([countriesTable]), 'web').components.schemas
    expect(schemas['countries.RowActions']).toMatchObject({ properties: { internal: {} } })
    expect(web['countries.RowActions']).not.toMatchObject({ properties: { internal: {} } })
  })

  it('has no default in what is sent, since generators of types take such a key for a required one', () => {
    expect(schemas['countries.rowAction.rename']).toMatchObject({
      properties: { spelling: { type: 'string', enum: ['short', 'long'] }, default: { type: 'string' } },
      required: ['name'],
    })
    const sent = ['Query', 'Selection', 'countries.Query', 'countries.Filters', 'countries.Selection']
    expect(sent.filter((name) => JSON.stringify(schemas[name]).includes('"default":'))).toEqual([])
  })

  it('accepts the requests that it describes, and no others', () => {
    const { compile } = documentSchemas(createDocument(createRegistry([countriesTable])))
    const accepts = (schema: string, body: unknown) => compile(`#/components/schemas/${schema}`)(body)
    const list = (field: string, operator: string, value: unknown) => ({ filters: [{ field, operator, value }] })
    expect(accepts('countries.Query', list('continent', '=', 'Asia'))).toBe(true)
    expect(accepts('countries.Query', list('continent', '=', 'Atlantis'))).toBe(false)
    expect(accepts('countries.Query', list('continent', 'like', 'Asia'))).toBe(false)
    expect(accepts('countries.Query', { filters: { name: { value: 'an' }, since_from: '2001-01-01' } })).toBe(true)
    expect(accepts('countries.Query', { sorts: [{ field: 'flag' }] })).toBe(false)
    for (const direction of ['asc', 'desc', 'up'])
      expect(accepts('countries.Query', { sorts: [{ field: 'name', direction }] })).toBe(direction !== 'up')
    for (const nulls of ['first', 'last', null, 'none'])
      expect(accepts('countries.Query', { sorts: [{ field: 'name', nulls }] })).toBe(nulls !== 'none')
    expect(accepts('countries.Query', { perPage: 301 })).toBe(false)
    expect(accepts('countries.rowAction.rename', { name: 'N' })).toBe(false)
  })

  it.each(['flights.Selection', 'Selection'])('accepts null for the options of a CSV export in %s', (schema) => {
    const accepts = documentSchemas(createDocument(demoRegistry)).compile(`#/components/schemas/${schema}`)
    expect(accepts({ csv_separator: null, csv_raw: null })).toBe(true)
    expect(accepts({ csv_separator: '|' })).toBe(false)
  })
})

describe('a response that is not as its document says', () => {
  const asked = { name: 'loadTable', routeKey: 'GET /api/api-table/control-tables/load-table/{tableName}' } as const
  const response = (status: number, json: unknown, type = 'application/json; charset=utf-8') => ({
    status,
    json,
    text: JSON.stringify(json),
    bytes: Buffer.from(''),
    headers: { 'content-type': type },
  })
  const failure = { success: false, errors: ['a', 'b'], error: 'a', message: 'a', request_id: '1' }

  it.each([
    ['a key is missing', 200, { success: true, tableName: 'x' }, /required property 'label'/],
    ['the code is not of this endpoint', 401, { ...failure, code: 'row_busy' }, /code/],
    ['a key is unknown', 401, { ...failure, code: 'unauthenticated', detail: 1 }, /additional properties/],
    ['the envelope lacks its second language', 401, { ...failure, code: 'unauthenticated', errors: ['a'] }, /errors/],
    ['no response has the status', 302, {}, /no response has this status/],
    ['it is of another type', 200, {}, /text\/html/],
  ])('is reported: %s', (what, status, json, fault) => {
    const type = what === 'it is of another type' ? 'text/html' : undefined
    expect(() => assertDescribed({}, asked, response(status, json, type))).toThrow(fault)
  })

  it('is reported with its place and its value', () => {
    const page = {
      name: 'queryTableData',
      routeKey: 'POST /api/api-table/control-tables/query-table/{tableName}',
    } as const
    const item = { id: 1, name: 'Oman', population: {}, member: true, row: { actions: {} }, actions: {} }
    const body = { success: true, items: [item], bindings: {}, pagination }
    const registry = createRegistry([countriesTable])
    const check = () => assertDescribed({ registry }, { ...page, tableName: 'countries' }, response(200, body))
    expect(check).toThrow(/\/items\/0\/population must be number,string,null.*\{\}/)
  })
})

const pagination = {
  current_page: 1,
  per_page: 20,
  total: 1,
  last_page: 1,
  from: 1,
  to: 1,
  total_kind: 'exact',
  next_cursor: null,
}
