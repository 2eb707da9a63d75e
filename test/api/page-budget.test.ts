import { eq, sql } from 'drizzle-orm'
import postgres from 'postgres'
import { expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { northRows } from '../support/fixtures/fixture-rows.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

/** The planner believes that this reads a thousand million rows; it reads none, because no id is negative. */
const costly = sql<string>`case when ${products.id} > 0 then 'yes' else (select count(*)::text from generate_series(1, 1000000000)) end`
/** Takes 50 ms for each row, which the planner does not know. */
const slow = sql<string>`case when pg_sleep(0.05 + 0 * ${products.id}) is null then 'no' else 'yes' end`
/** The planner believes that each row takes about half a millisecond, and asks how many rows the whole table has. */
const dear = sql<string>`(select count(*)::text from generate_series(1, 10000) s where s > ${products.id} % 2)`
const quick = sql<string>`lower(${products.name})`

const base = {
  from: products,
  key: 'id',
  computed: { costly, slow, dear, quick },
  scope: ({ identity }: { readonly identity: { readonly claims: { readonly tenant: string } } }) =>
    eq(products.tenant, identity.claims.tenant),
  columns: {
    name: { label: 'Name', sortable: true },
    costly: { label: 'Costly', sortable: true, type: 'text' },
    slow: { label: 'Slow', sortable: true, type: 'text', showable: false },
    dear: { label: 'Dear', sortable: true, type: 'text', showable: false },
    quick: { label: 'Quick', sortable: true, type: 'text' },
  },
} as const

const columns = { name: base.columns.name, quick: base.columns.quick }
const registry = createRegistry(
  [
    defineFixture({ ...base, name: 'bounded', columns, pageBudgetMs: 2_000 }),
    defineFixture({ ...base, name: 'sorted', pageBudgetMs: 100 }),
    defineFixture({ ...base, name: 'whole', scope: everyRow, pageBudgetMs: 100 }),
    defineFixture({ ...base, name: 'patient', pageBudgetMs: 2_000 }),
    defineFixture({ ...base, name: 'patient_whole', scope: everyRow, pageBudgetMs: 2_000 }),
    defineFixture({ ...base, name: 'unbounded' }),
  ],
  { claims: fixtureClaims },
)

const fixture = await startFixtureApi()
const api = fixture.variant({}, registry)
const sort = (field: string) => ({ sorts: [{ field, direction: 'asc' }], perPage: 3 })

it.each([
  ['costly', 'whole'],
  ['slow', 'whole'],
  ['slow', 'sorted'],
])(
  'refuses a page sorted by a %s column of the table %s, which has a budget, in both languages',
  async (field, table) => {
    const response = await api.post(`query-table/${table}`, sort(field))
    expectFailure(response, { status: 422, code: 'page_too_costly' })
    expect(response.json.errors[0]).toMatch(/more than 100 ms; use fewer sorts, narrower filters/)
    expect(response.json.errors[1]).toContain('أكثر من 100 مللي ثانية')
  },
)

it.each([
  ['count: "auto"', { count: 'auto' }],
  ['count: "none"', { count: 'none' }],
])('refuses a costly page with %s as well', async (_, body) => {
  expectFailure(await api.post('query-table/whole', { ...sort('costly'), ...body }), {
    status: 422,
    code: 'page_too_costly',
  })
})

it('returns a costly page of a table without a budget', async () => {
  const { status, json } = await api.post('query-table/unbounded', sort('costly'))
  expect([status, json.pagination.total]).toEqual([200, northRows.length])
})

it.each([
  ['sorted by a computed column that fits into the budget', 'bounded', sort('quick')],
  ['by its number behind 500 rows', 'bounded', { page: 6, perPage: 100 }],
  ['that counts only', 'sorted', { ...sort('costly'), count_only: true }],
])('answers a page %s', async (_, table, body) => {
  const { status, json } = await api.post(`query-table/${table}`, body)
  expect([status, json.pagination?.total]).toEqual([200, northRows.length])
})

it('reads the next page by the cursor of a page within the budget', async () => {
  const first = await api.post('query-table/bounded', sort('quick'))
  const second = await api.post('query-table/bounded', { ...sort('quick'), cursor: first.json.pagination.next_cursor })
  expect(second.json.pagination).toMatchObject({ from: 4, total: northRows.length })
})

it('answers a caller inside a scope the same, however many rows of others the planner expects', async () => {
  const ask = async (table: string) => {
    const { status, json } = await api.post(`query-table/${table}`, sort('dear'))
    return [status, json.items?.map(({ id }: { id: number }) => id), json.pagination?.total]
  }
  const before = await ask('patient')
  expect(before).toEqual([200, expect.anything(), northRows.length])
  const database = postgres(fixture.databaseUrl, { max: 1 })
  try {
    await database`insert into products (id, tenant, name) select 100000 + n, 'south', 'Other' from generate_series(1, 20000) n`
    const [status] = await ask('patient_whole')
    // The planner expects too much of the whole table, and so of any scope in it.
    expect(status).toBe(422)
    expect(await ask('patient')).toEqual(before)
  } finally {
    await database`delete from products where id > 100000`
    await database.end()
  }
})
