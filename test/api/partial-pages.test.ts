import { sql } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { productRows } from '../support/fixtures/fixture-rows.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

/** Takes half a second for each row, so that no statement over all rows ends in time. */
const slowTable = defineFixture({
  name: 'slow',
  from: products,
  key: 'id',
  scope: everyRow,
  computed: { slow: sql<number>`(case when pg_sleep(0.5 + 0 * ${products.id}) is null then 0 else 1 end)` },
  columns: {
    id: { label: 'ID' },
    category: { label: 'Category' },
    slow: { label: 'Slow', type: 'number', showable: false },
  },
  filters: {
    slow: { type: 'number', label: 'Slow' },
    category: { type: 'text', label: 'Category' },
    choice: { type: 'select', label: 'Category', source: 'category', options: ['tool', 'food', 'toy'] },
    has_note: { type: 'null', label: 'Note', source: 'note' },
  },
})

const api = await startFixtureApi()

it('answers the page without its parts if these together take longer than the database may be silent', async () => {
  // One connection, as a function has, on which the parts wait for each other.
  const settings = {
    DATABASE_CONNECTIONS: '1',
    DATABASE_STATEMENT_TIMEOUT_MS: '2000',
    DATABASE_DEADLINE_MS: '3000',
  }
  const impatient = api.variant(settings, createRegistry([slowTable], { claims: fixtureClaims }))
  const parts = {
    aggregates: [{ field: 'slow', fn: 'sum' }],
    facets: ['slow'],
    group_by: [{ field: 'slow', bucket: { width: 1 } }],
    columns: ['id', 'category'],
  }
  const { status, json, text } = await impatient.post('query-table/slow', { ...parts, perPage: 2 })
  expect(status, text).toBe(200)
  expect(json.items).toHaveLength(2)
  expect(json.pagination).toMatchObject({ total: productRows.length, total_kind: 'exact' })
  expect(json.partial.toSorted()).toEqual(['aggregates', 'facets', 'groups'])
  for (const key of ['aggregates', 'facets', 'groups']) expect(json).not.toHaveProperty(key)
  const next = await impatient.post('query-table/slow', { columns: ['id'], perPage: 1 })
  expect([next.status, next.json.items?.length]).toEqual([200, 1])
})

it('leaves out the facet alone that takes too long', async () => {
  const impatient = api.variant(
    { DATABASE_STATEMENT_TIMEOUT_MS: '3000' },
    createRegistry([slowTable], { claims: fixtureClaims }),
  )
  const ask = (facets: readonly string[]) => impatient.post('query-table/slow', { facets, columns: ['id'], perPage: 2 })
  const { json, text } = await ask(['choice', 'has_note', 'slow'])
  expect(Object.keys(json.facets ?? {}), text).toEqual(['choice', 'has_note'])
  expect(json.partial).toEqual(['facets'])
  expect(json.items).toHaveLength(2)
  const whole = await ask(['choice', 'has_note'])
  expect(json.facets).toEqual(whole.json.facets)
  expect(whole.json).not.toHaveProperty('partial')
})
