import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, manager } from '../support/fixtures/identities.ts'

const api = await startFixtureApi()

const ask = (table: string, aggregates: unknown, rest: object = {}, options = {}) =>
  api.post(`query-table/${table}`, { aggregates, ...rest }, options)

const hammers = { filters: [{ field: 'name', operator: 'like', value: 'hammer' }] }

describe('totals of columns', () => {
  it('are values for programs and texts for people, with the decimals that the column shows', async () => {
    const { json } = await ask(
      'products',
      [
        { field: 'price', fn: 'sum' },
        { field: 'price', fn: 'avg' },
        { field: 'made_on', fn: 'max' },
        { field: 'sold_at', fn: 'min' },
        { field: 'name', fn: 'count' },
      ],
      hammers,
    )
    expect(json.aggregates).toEqual({
      price: { sum: { value: 25, text: '25.00' }, avg: { value: 12.5, text: '12.50' } },
      made_on: { max: { value: '2026-01-02', text: expect.stringMatching(/2026/) } },
      sold_at: { min: { value: '2026-01-01T00:00:00.000Z', text: expect.stringMatching(/2026/) } },
      name: { count: { value: 2, text: '2' } },
    })
  })

  it('are missing for no rows, and their counts are zero', async () => {
    const filters = [{ field: 'name', value: 'nobody has this name' }]
    const asked = ['sum', 'avg', 'min', 'max', 'median', 'count', 'count_distinct', 'count_empty'].map((fn) => ({
      field: 'price',
      fn,
    }))
    const { json } = await ask('products', asked, { filters })
    const missing = { value: null, text: '-' }
    const none = { value: 0, text: '0' }
    expect(json.aggregates.price).toEqual({
      sum: missing,
      avg: missing,
      min: missing,
      max: missing,
      median: missing,
      count: none,
      count_distinct: none,
      count_empty: none,
    })
  })

  it('are of all selected rows, not of the page, and of no rows outside the scope', async () => {
    const [whole, south] = await Promise.all([
      ask('products', [{ field: 'id', fn: 'count' }], { perPage: 1 }),
      ask('products', [{ field: 'id', fn: 'count' }], { perPage: 1 }, { as: { sub: 'sami', tenant: 'south' } }),
    ])
    expect(whole.json.aggregates.id.count.value).toBe(whole.json.pagination.total)
    expect(south.json.aggregates.id.count.value).toBe(south.json.pagination.total)
    expect(south.json.pagination.total).not.toBe(whole.json.pagination.total)
  })

  it('are returned by load-table, which reads them as JSON from the query', async () => {
    const aggregates = encodeURIComponent(JSON.stringify([{ field: 'stock', fn: 'max' }]))
    const { json } = await api.get(`load-table/products/true?aggregates=${aggregates}`)
    expect(json.aggregates).toEqual({ stock: { max: expect.objectContaining({ value: expect.any(Number) }) } })
  })

  it('do not exist for a column that is hidden from the caller, in any text', async () => {
    const asked = [{ field: 'price', fn: 'sum' }]
    expect((await ask('deals', asked, {}, { as: manager })).json.aggregates.price.sum.value).toEqual(expect.any(Number))
    const refused = await ask('deals', asked)
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'aggregates.0.field' })
    expect(refused.json.fields['aggregates.0.field'][0]).not.toContain('price')
  })

  it.each([
    ['aggregates', 'sum'],
    ['aggregates', { field: 'price', fn: 'sum' }],
    ['aggregates', Array.from({ length: 21 }, () => ({ field: 'price', fn: 'sum' }))],
    ['aggregates.0.field', [null]],
    ['aggregates.0.field', [{ fn: 'sum' }]],
    ['aggregates.0.field', [{ field: 'nope', fn: 'count' }]],
    ['aggregates.0.field', [{ field: 'actions', fn: 'count' }]],
    ['aggregates.0.field', [{ field: '__proto__', fn: 'count' }]],
    [
      'aggregates.1.fn',
      [
        { field: 'price', fn: 'sum' },
        { field: 'price', fn: 'product' },
      ],
    ],
    ['aggregates.0.fn', [{ field: 'price' }]],
    ['aggregates.0.fn', [{ field: 'name', fn: 'sum' }]],
    ['aggregates.0.fn', [{ field: 'name', fn: 'max' }]],
    ['aggregates.0.fn', [{ field: 'made_on', fn: 'avg' }]],
    ['aggregates.0.fn', [{ field: 'active', fn: 'min' }]],
  ])('are refused at %s for %j', async (field, aggregates) => {
    expectFailure(await ask('products', aggregates), { status: 422, code: 'validation_failed', field })
  })

  it('are absent where none are asked for', async () => {
    for (const aggregates of [undefined, null, []])
      expect((await ask('products', aggregates)).json).not.toHaveProperty('aggregates')
  })
})

const columns = {
  id: { label: 'ID' },
  name: { label: 'Name', format: () => 'masked' },
  slow: { label: 'Slow', type: 'number' },
} as const

const slow = defineFixture({
  name: 'slow',
  from: products,
  key: 'id',
  scope: () => everyRow(),
  computed: { slow: sql`(case when pg_sleep(0.2) is null then 0 else 1 end)` },
  columns: { id: columns.id, name: columns.name, slow: { ...columns.slow, loadIf: () => true } },
})

it('takes no total of what a function hides in its cells', async () => {
  const variant = api.variant({}, createRegistry([slow], { claims: fixtureClaims }))
  const refused = await variant.post('query-table/slow', {
    aggregates: [{ field: 'name', fn: 'count_distinct' }],
    perPage: 1,
  })
  expectFailure(refused, { status: 422, code: 'validation_failed', field: 'aggregates.0.field' })
})

it('delivers the page without totals that take too long, and names them', async () => {
  const impatient = api.variant(
    { DATABASE_STATEMENT_TIMEOUT_MS: '2000' },
    createRegistry([slow], { claims: fixtureClaims }),
  )
  const { json, text } = await impatient.post('query-table/slow', {
    aggregates: [{ field: 'slow', fn: 'sum' }],
    perPage: 1,
  })
  expect([json.items?.length, json.partial, json.aggregates], text).toEqual([1, ['aggregates'], undefined])
})
