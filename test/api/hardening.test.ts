import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectEnvelope, expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

/** `loadIf` and `appliesTo` as an author without types may write them: what they answer is no boolean. */
const loosely = (response: unknown) => (() => response) as () => boolean

const registry = createRegistry(
  [
    defineFixture({
      name: 'loose',
      from: products,
      key: 'id',
      scope: everyRow,
      columns: {
        name: { label: 'Name' },
        price: { label: 'Price', loadIf: loosely(undefined) },
        stock: { label: 'Stock', loadIf: loosely('yes') },
      },
      actionsColumn: false,
      rowActions: { restock: { appliesTo: loosely(undefined), run: () => {} } },
    }),
    defineFixture({
      name: 'heavy',
      from: products,
      key: 'id',
      scope: everyRow,
      computed: { text: sql<string>`repeat('é"', 700000)` },
      columns: { text: { label: 'Text', type: 'text' } },
    }),
  ],
  { claims: fixtureClaims },
)
const api = await startFixtureApi()
const loose = api.variant({}, registry)

describe('a condition that answers anything but true', () => {
  it('hides its column, its filter and its action', async () => {
    const { columns } = (await loose.get('load-table/loose')).json
    expect(columns.map(({ data_src }: { data_src: string }) => data_src)).toEqual(['name'])
    const [item] = (await loose.post('query-table/loose', { perPage: 1 })).json.items
    expect(Object.keys(item)).toEqual(['id', 'name', 'row', 'actions'])
    expect(Object.keys(item.actions)).toEqual(['show_details'])
  })
})

describe('a response that would be too large for the gateway', () => {
  it('is refused in the envelope', async () => {
    expectFailure(await loose.post('query-table/heavy'), { status: 422, code: 'response_too_large' })
    expect((await loose.post('query-table/heavy', { perPage: 1 })).status).toBe(200)
  })

  it('cannot be made by many keys that are nearly known', async () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`filter${index}`, 1]))
    const refused = await api.post('bulk-table-action/products/export_excel', body)
    expectFailure(refused, { status: 422, code: 'validation_failed' })
    expect(Object.keys(refused.json.fields)).toHaveLength(10)
  })

  it.each([
    ['filters', (name: string) => ({ filters: { [name]: { field: 5 } } })],
    ['sorts', (name: string) => ({ sorts: { [name]: 'sideways', direction: 5 } })],
  ])('cannot be made by long names of %s', async (_, body) => {
    const response = await api.post('query-table/products', body('"'.repeat(400_000)))
    expectEnvelope(response)
    expect(response.text.length).toBeLessThan(50_000)
  })
})

describe('conditions on one filter', () => {
  const like = (value: string) => ({ field: 'name', operator: 'like', value })

  it('count once where they say the same', async () => {
    const many = Array.from({ length: 50 }, (_, index) => like(index % 2 === 0 ? 'a' : 'A'))
    const [repeated, once] = await Promise.all(
      [many, [like('a')]].map((filters) => api.post('query-table/products', { filters })),
    )
    expect(repeated?.json).toEqual(once?.json)
  })

  it('are refused beyond five different ones', async () => {
    const letters = [...'abcdef'].map(like)
    expect((await api.post('query-table/products', { filters: letters.slice(1) })).status).toBe(200)
    const refused = await api.post('query-table/products', { filters: letters })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'filters.name' })
  })
})

it('every field that cannot be read is named at once', async () => {
  const body = { page: 1.5, perPage: -1, filters: [{ field: 'price', value: 'dear' }], sorts: [{ field: 5 }] }
  const { status, json } = await api.post('query-table/products', body)
  expect(status).toBe(422)
  expect(Object.keys(json.fields).sort()).toEqual(['filters.price', 'page', 'perPage', 'sorts.0.field'])
})

it.each(['+16:00', '-23:59', '+99:00'])('an offset of %s is no date', async (offset) => {
  const filters = [{ field: 'sold_at_from', value: `2026-01-01T00:00:00${offset}` }]
  const response = await api.post('query-table/products', { filters })
  expectFailure(response, { status: 422, code: 'validation_failed', field: 'filters.sold_at_from' })
})

it('a compressed body is refused', async () => {
  const response = await api.post('query-table/products', {}, { headers: { 'content-encoding': 'gzip' } })
  expectFailure(response, { status: 400, code: 'invalid_body' })
})
