import { describe, expect, it } from 'vitest'
import { expectEnvelope } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'

const api = await startFixtureApi()

/** Responses are fit for any input: never a 500, always the envelope, in both languages, and a 422 names the field. */
async function expectFit(path: string, body: unknown): Promise<void> {
  const response = await api.post(path, body, { isJunk: true })
  expectEnvelope(response)
  expect([200, 422], response.text).toContain(response.status)
  if (response.status === 422) expect(Object.keys(response.json.fields).length).toBeGreaterThan(0)
}

const everyOperator = ['=', '!=', '<', '<=', '>', '>=', 'like', 'not like', 'in', 'not in', 'between']
const foreignOperators: readonly unknown[] = [
  '',
  'is null',
  'OR',
  '=; --',
  '\u0000',
  7,
  null,
  {},
  [],
  ['='],
  { toString: 1 },
]

const values: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e21,
  1e308,
  5e-324,
  '',
  ' ',
  '0',
  '1',
  '-1',
  '1e5',
  '1e400',
  'NaN',
  'Infinity',
  'all',
  'null',
  'true',
  "'",
  '"',
  '\\',
  '%',
  '_',
  '--',
  ';',
  '$1',
  '\u0000',
  '\ud800',
  '\u202e',
  '\uffff',
  '😀',
  'عربي',
  "' or '1'='1",
  '{}',
  '[]',
  '{1,2}',
  ',',
  ',,',
  'a,b',
  '1 - 2',
  ' - ',
  '0001-01-01',
  '9999-12-31',
  '10000-01-01',
  'infinity',
  '2026-02-29',
  '2026-01-01T00:00:00+99:99',
  '2026-01-01T00:00Z',
  'x'.repeat(256),
  'x'.repeat(1_001),
  '9'.repeat(99),
  '9'.repeat(200),
  `0.${'1'.repeat(90)}`,
  '1e-999',
  '-'.repeat(50),
  [],
  [null],
  [[]],
  [{}],
  ['', ''],
  [1, 2],
  ['a', 'b'],
  [1, 'b'],
  Array.from({ length: 50 }, () => 'x'),
  {},
  { from: 1 },
  { to: [] },
  { from: {}, to: {} },
  { from: '2026-01-01', to: 'x' },
  { toString: 1 },
  { length: 2, 0: 1, 1: 2 },
]

const fields = {
  products: [
    'name',
    'name_any',
    'note',
    'code',
    'category',
    'category_any',
    'categories',
    'stock',
    'stock_any',
    'price',
    'weight',
    'value',
    'active',
    'has_note',
    'made_any_from',
    'sold_any_from',
    'sold_at_to',
    'supplier',
    'country',
    'country_name',
    'unknown',
    '__proto__',
  ],
  ledger: ['id', 'amount'],
  devices: ['serial'],
  visits: ['at_from', 'clock_from', 'day_from', 'day_to'],
}

const cases = Object.entries(fields).flatMap(([table, names]) => names.map((field) => [table, field] as const))

describe('filters', () => {
  it.each(cases)('%s.%s takes or refuses every operator with every value', async (table, field) => {
    const { filters, advancedFilters } = (await api.get(`load-table/${table}`)).json
    const entry = [...filters, ...advancedFilters].find(({ filter_name }) => filter_name === field)
    const allowed: readonly unknown[] = entry?.props.operators ?? ['=']
    const foreign = [...everyOperator, ...foreignOperators].filter((operator) => !allowed.includes(operator))
    const asked = [
      ...allowed.flatMap((operator) => values.map((value) => ({ field, operator, value }))),
      ...foreign.flatMap((operator) => ['1', 'tool', null].map((value) => ({ field, operator, value }))),
    ]
    await Promise.all(asked.map((filter) => expectFit(`query-table/${table}`, { perPage: 1, filters: [filter] })))
  })

  it('are refused in the object form, too', async () => {
    for (const value of values) {
      await expectFit('query-table/products', { perPage: 1, filters: { name: value } })
      await expectFit('query-table/products', { perPage: 1, filters: { name: { value, operator: value } } })
      await expectFit('query-table/products', { perPage: 1, filters: { name: { key: value, value: 'x' } } })
      await expectFit('query-table/products', { perPage: 1, filters: value })
      await expectFit('query-table/products', { perPage: 1, filters: [value] })
    }
  })
})

describe('input of any form never causes a 500', () => {
  it('sorts of any form', async () => {
    for (const value of values) {
      await expectFit('query-table/products', { perPage: 1, sorts: value })
      await expectFit('query-table/products', { perPage: 1, sorts: [value] })
      await expectFit('query-table/products', { perPage: 1, sorts: [{ field: value, direction: 'asc' }] })
      await expectFit('query-table/products', { perPage: 1, sorts: [{ field: 'name', direction: value }] })
      await expectFit('query-table/products', { perPage: 1, sorts: { name: value } })
    }
  })

  it('page, perPage and cursor of any form', async () => {
    for (const value of values) {
      await expectFit('query-table/products', { page: value })
      await expectFit('query-table/products', { perPage: value })
      await expectFit('query-table/products', { cursor: value, perPage: 1 })
    }
  })

  it.each(['products', 'ledger', 'documents', 'devices'])('row_ids of any form on %s', async (table) => {
    for (const value of values) {
      await expectFit(`multi-row-refetch/${table}`, { row_ids: value })
      await expectFit(`multi-row-refetch/${table}`, { row_ids: [value, value] })
    }
  })

  it('ids in paths of any form', async () => {
    for (const value of values.filter((value) => typeof value === 'string')) {
      for (const table of ['products', 'ledger', 'documents', 'devices']) {
        const segment = `~${Buffer.from(value.toWellFormed()).toString('base64url')}`
        const response = await api.post(`row-refetch/${table}/${segment}`)
        expectEnvelope(response)
        expect([200, 404]).toContain(response.status)
      }
    }
  })

  it.each(['stocked', 'echo', 'products'])('params of any form on %s', async (table) => {
    for (const value of values) {
      await expectFit(`query-table/${table}`, { params: value })
      await expectFit(`query-table/${table}`, { params: { min_stock: value } })
    }
  })
})
