import { describe, expect, it } from 'vitest'
import { createRegistry, wholeDocument } from '../../../lib/index.ts'
import { registry as demoRegistry } from '../../../tables/index.ts'
import { fixtureRegistry } from '../../support/fixtures/fixture-registry.ts'
import { documentSchemas } from '../../support/openapi/shared-schemas.ts'
import { countriesTable } from './countries.ts'

const service = { SERVICE_NAME: 'table_control', GUARDS: ['api', 'web'], ITEM_ACTIONS: 'both' as const }
const createDocument = (registry = createRegistry([countriesTable])) =>
  wholeDocument(registry, { service, guard: 'api', baseUrl: '', language: 'en' })

type Json = Readonly<Record<string, unknown>>

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

  it('refers to whole components alone, because generators write `any` for a part of one', () => {
    const refs = listObjects(document).map(({ $ref }) => $ref)
    expect(refs.filter((ref) => typeof ref === 'string' && !/^#\/components\/\w+\/[^/]+$/.test(ref))).toEqual([])
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
    ['filters', 'UndoBody', 'Filters'],
    ['query', 'ViewChanges', 'ViewQuery'],
  ])('has one type for the `%s` of several bodies, as in %s', (key, schema, type) => {
    const { properties } = document.components.schemas[schema] as { readonly properties: Json }
    expect(properties[key]).toEqual({ $ref: `#/components/schemas/${type}` })
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
