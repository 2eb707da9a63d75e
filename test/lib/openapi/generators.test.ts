import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, type LoadedRegistry, wholeDocument } from '../../../lib/index.ts'
import { registry as demoRegistry } from '../../../tables/index.ts'
import { fixtureRegistry } from '../../support/fixtures/fixture-registry.ts'
import { documentSchemas } from '../../support/openapi/shared-schemas.ts'
import { countriesTable } from './countries.ts'

const service = { SERVICE_NAME: 'table_control', GUARDS: ['api', 'web'], ITEM_ACTIONS: 'both' as const }
const createDocument = (registry: LoadedRegistry = createRegistry([countriesTable])) =>
  wholeDocument(registry, { service, guard: 'api', baseUrl: '', language: 'en' })

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly parameters: readonly Json[]
  readonly requestBody: { readonly required?: true }
  readonly responses: Json
}

/** Lists the objects of a document, at any depth. */
function listObjects(value: unknown): readonly Json[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.values(value).flatMap(listObjects)
  return Array.isArray(value) ? inner : [value as Json, ...inner]
}

describe.each([
  ['the demo', demoRegistry],
  ['the fixture', fixtureRegistry],
])('for generators of clients, the document of %s', (_, registry) => {
  const document = createDocument(registry)
  const readOperation = (method: string, path: string): Operation =>
    Object(document.paths[`/api-table/control-tables/${path}`])[method]

  it('refers to whole components alone, because generators write `any` for a part of one', () => {
    const refs = listObjects(document).map(({ $ref }) => $ref)
    expect(refs.filter((ref) => typeof ref === 'string' && !/^#\/components\/\w+\/[^/]+$/.test(ref))).toEqual([])
  })

  it('names the type of each constant and of each list of values, because some generators read it alone', () => {
    const untyped = listObjects(document).filter((schema) => ('const' in schema || 'enum' in schema) && !schema['type'])
    expect(untyped).toEqual([])
  })

  it('writes alternatives where a reference leads to values of several types, which some generators follow for ever', () => {
    const lists = Object.entries(document.components.schemas).filter(([, { type }]) => Array.isArray(type))
    expect(lists.map(([name]) => name)).toEqual([])
  })

  it('says nothing that JSON implies: texts as keys, and integers that a double can hold', () => {
    const text = JSON.stringify(document)
    expect(['"propertyNames"', String(Number.MAX_SAFE_INTEGER)].filter((part) => text.includes(part))).toEqual([])
  })

  it.each([
    ['effects', 'SeveralRows', 'Effects'],
    ['undo', 'AppliedImport', 'Undo'],
    ['plan', 'JobResult', 'Plan'],
    ['facets', 'Page', 'Facets'],
    ['filters', 'Selection', 'Filters'],
    ['query', 'ViewChanges', 'ViewQuery'],
  ])('has one type for the `%s` of several bodies, as in %s', (key, schema, type) => {
    const { properties } = document.components.schemas[schema] as { readonly properties: Json }
    expect(properties[key]).toEqual({ $ref: `#/components/schemas/${type}` })
  })

  it('describes a failure once for all endpoints that fail with the same one or two codes', () => {
    const refs = listObjects(document.paths).flatMap((responses) => ['401', '504'].map((status) => responses[status]))
    const names = new Set(refs.flatMap((ref) => (ref === undefined ? [] : [Object(ref)['$ref'].split('/').at(-1)])))
    expect(names).toEqual(new Set(['unauthenticated', 'timed_out', 'download.504']))
  })

  it('has a type for each file that a bulk action may answer, since an unknown one would make all of them unknown', () => {
    const { responses } = readOperation('post', 'bulk-table-action/{tableName}/{action}')
    const { content, headers } = Object(responses['200'])
    expect(content).toMatchObject({
      'text/csv': { schema: { type: 'string' } },
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
        schema: { type: 'string', format: 'binary' },
      },
    })
    expect(Object.keys(headers)).toEqual(expect.arrayContaining(['content-disposition', 'x-total-rows']))
  })

  it.each([
    ['post', 'multi-row-refetch/{tableName}', true],
    ['post', 'row-bulk-table-action/{tableName}/{action}', true],
    ['post', 'imports/{tableName}', true],
    ['post', 'imports/{tableName}/{id}', true],
    ['post', 'views/{tableName}', true],
    ['post', 'query-table/{tableName}', undefined],
  ])('says whether %s %s needs a body', (method, path, isRequired) => {
    expect(readOperation(method, path).requestBody.required).toBe(isRequired)
  })

  it('says that `params` of a query are written as `params[key]`, of which no other form is defined', () => {
    expect(document.components['parameters']).toMatchObject({ params: { style: 'deepObject', explode: true } })
  })

  it.each(['load-table/{tableName}', 'history/{tableName}/{id}', 'imports/{tableName}/{id}', 'views/{tableName}'])(
    'lets %s be asked for again by its entity tag',
    (path) => {
      const { parameters, responses } = readOperation('get', path)
      expect(parameters).toContainEqual({ $ref: '#/components/parameters/if-none-match' })
      const etag = { headers: { etag: { $ref: '#/components/headers/etag' } } }
      expect(responses).toMatchObject({ '200': etag, '304': etag })
    },
  )

  it.each(['RowActionBody', 'RowBulkBody', 'Selection'])('lets %s ask for effects on a page', (schema) => {
    const { properties } = document.components.schemas[schema] as { readonly properties: Json }
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['include', 'columns', 'filters', 'search', 'view']))
    const accepts = documentSchemas(document).compile(`#/components/schemas/${schema}`)
    const bodies = [['effects', 'version'], ['effect']].map((include) => ({ selected_ids: [1], include }))
    expect(bodies.map((body) => accepts(body))).toEqual([true, false])
  })

  it('has moments and ids by their formats', () => {
    const { properties } = document.components.schemas['Job'] as { readonly properties: Json }
    expect(properties).toMatchObject({
      id: { type: 'string', format: 'uuid' },
      created_at: { type: 'string', format: 'date-time' },
    })
  })
})

describe('for generators of clients, the document of a table', () => {
  const { schemas } = createDocument().components

  it('lets `_raw` have any key, and names the sorts of the structure in a list', () => {
    expect(schemas['countries.ItemPart']).toMatchObject({ properties: { _raw: { additionalProperties: true } } })
    expect(schemas['countries.Structure']).toMatchObject({
      allOf: [
        {},
        { properties: { sortables: { type: 'array', items: { $ref: '#/components/schemas/countries.Sort' } } } },
      ],
    })
  })

  it('names the options of a filter once, and takes a filter by its name with each of its operators', () => {
    const { schemas, ...rest } = createDocument(demoRegistry).components
    const path = 'bird_strikes.options.damage'
    expect(schemas[path]).toEqual({ type: 'string', enum: ['None', 'Minor', 'Medium', 'Substantial', 'C'] })
    expect(JSON.stringify({ schemas, rest }).split('"Substantial"')).toHaveLength(2)
    const accepts = documentSchemas(createDocument(demoRegistry)).compile('#/components/schemas/bird_strikes.Filters')
    expect(accepts({ speed_knots: { operator: 'is null' }, damage: ['C'], flight_date_from: 'today' })).toBe(true)
    expect([accepts({ speed_knots: { operator: 'like' } }), accepts({ cost_total: {} })]).toEqual([false, false])
  })

  it('has the headers of former names if it has some', () => {
    const readHeaders = (registry: LoadedRegistry, name: string) =>
      createDocument(registry).paths[`/api-table/control-tables/query-table/${name}`]?.['post']
    const { definition } = countriesTable
    const formerly = { name: 'title', since: '2026-09-01', sunset: '2027-03-01' }
    const columns = { ...definition.columns, name: { label: 'Name', formerly } }
    const renamed = createRegistry([{ definition: { ...definition, columns } }])
    const deprecation = { $ref: '#/components/headers/deprecation' }
    expect(readHeaders(renamed, 'countries')).toHaveProperty(
      ['responses', '200', 'headers', 'deprecation'],
      deprecation,
    )
    expect(readHeaders(createRegistry([countriesTable]), 'countries')).not.toHaveProperty([
      'responses',
      '200',
      'headers',
    ])
  })

  type RowActions = NonNullable<typeof countriesTable.definition.rowActions>
  const compileBody = (rowActions: RowActions, operation: string) => {
    const table = { definition: { ...countriesTable.definition, rowActions } }
    const { compile } = documentSchemas(createDocument(createRegistry([table])))
    const path = encodeURIComponent(`/api-table/control-tables/${operation}`.replaceAll('/', '~1'))
    return compile(`#/paths/${path}/post/requestBody/content/application~1json/schema`)
  }

  it.each([
    ['has it as a field', z.object({ group: z.number(), note: z.string() })],
    ['takes any key', z.union([z.object({ group: z.number() }), z.object({ note: z.string() })])],
  ])('leaves a key beside the form of an action to the form that %s', (_, form) => {
    const group = { form, run: () => {} }
    const accepts = compileBody({ group }, 'row-table-action/countries/{action}/{id}')
    expect(accepts({ group: 7, note: 'a', expected_version: 'b' })).toBe(true)
  })

  it('applies a plan by its id alone, also where each action on several rows has a form', () => {
    const rename = { form: z.object({ name: z.string() }), bulk: true, run: () => {} } as const
    const accepts = compileBody({ rename }, 'row-bulk-table-action/countries/{action}')
    const plan_id = '7c449fad-42bf-4965-bc3c-7bdd6574b75e'
    expect(
      [{ plan_id }, { selected_ids: [1], name: 'Oman' }, { plan_id, name: 'Oman' }].map((body) => accepts(body)),
    ).toEqual([true, true, false])
  })

  it('names each outcome of an action on one row, which `onSuccess` tells apart', () => {
    const outcomes = (schemas['countries.RowActionAnswer'] as { readonly anyOf: readonly Json[] }).anyOf
    const { compile } = documentSchemas(createDocument())
    const common = { success: true, message: 'Done' }
    const item = { id: 1, name: 'Oman', population: null, member: true, row: { actions: {} } }
    const fitting = (answer: Json) =>
      outcomes.flatMap((outcome, index) => {
        const isFit = compile(`#/components/schemas/countries.RowActionAnswer/anyOf/${index}`)
        return isFit({ ...common, ...answer }) ? [JSON.stringify(outcome).match(/schemas\/([\w.]+)/)?.[1]] : []
      })
    expect(fitting({ onSuccess: 'refetchRow', data: { row: item } })).toEqual(['ChangedRow'])
    expect(fitting({ onSuccess: 'refetchRow', data: { row: { ...item, name: 1 } } })).toEqual([])
    expect(fitting({ onSuccess: 'refetchData', items: [item] })).toContain('ChangedRows')
    expect(fitting({ onSuccess: 'reload' })).toContain('OtherOutcome')
  })

  it('has the cells of a part of an item by their types, each of which may be absent', () => {
    const { compile } = documentSchemas(createDocument())
    const isPart = compile('#/components/schemas/countries.ItemPart')
    expect([isPart({ id: 1, name: 'Oman' }), isPart({ id: 1, name: {} }), isPart({ name: 'Oman' })]).toEqual([
      true,
      false,
      false,
    ])
  })
})
