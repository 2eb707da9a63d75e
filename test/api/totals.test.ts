import { eq, sql } from 'drizzle-orm'
import postgres from 'postgres'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type AutoCount, createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { northRows, productRows } from '../support/fixtures/fixture-rows.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, north, south } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'
import { shiftProcessClock } from '../support/fixtures/process-clock.ts'
import type { Api } from '../support/requests/api.ts'

/** The planner believes that this reads a thousand million rows; it reads none, because no id is negative. */
const costly = sql<string>`case when ${products.id} > 0 then 'yes' else (select count(*)::text from generate_series(1, 1000000000)) end`
/** Takes a millisecond for each row, which the planner does not know. */
const slow = sql<string>`case when pg_sleep(0.001 + 0 * ${products.id}) is null then 'no' else 'yes' end`
/** Takes long for the rows of the north alone. */
const slow_north = sql<string>`case when ${products.tenant} = 'south' or pg_sleep(0.1 + 0 * ${products.id}) is not null then 'yes' else 'no' end`

const inTenant = ({ identity }: { readonly identity: { readonly claims: { readonly tenant: string } } }) =>
  eq(products.tenant, identity.claims.tenant)

const base = {
  from: products,
  key: 'id',
  computed: { costly, slow, slow_north },
  columns: { name: { label: 'Name' }, category: { label: 'Category' } },
  sortables: ['name'],
  filters: {
    category: { type: 'text', label: 'Category' },
    costly: { type: 'text', label: 'Costly' },
    slow: { type: 'text', label: 'Slow' },
    slow_north: { type: 'text', label: 'Slow in the north' },
  },
} as const

/** Remembers nothing unless `limits` say so. */
const autoTable = (name: string, scope: typeof inTenant | typeof everyRow, limits: AutoCount) =>
  defineFixture({ name, ...base, scope, count: { auto: { rememberSeconds: 0, ...limits } } })

const registry = createRegistry(
  [
    defineFixture({ name: 'plain', ...base, scope: inTenant }),
    defineFixture({ name: 'uncounted', ...base, scope: inTenant, count: 'none' }),
    autoTable('open', everyRow, {}),
    autoTable('patient', inTenant, { budgetMs: 5_000, cap: 1 }),
    autoTable('uneven', inTenant, { budgetMs: 1_000, cap: 1 }),
    autoTable('hasty', inTenant, { budgetMs: 1, cap: 1 }),
    autoTable('hasty_open', everyRow, { budgetMs: 1 }),
    autoTable('remembered_patiently', inTenant, { rememberSeconds: 3_600, budgetMs: 5_000 }),
    autoTable('remembered', inTenant, { rememberSeconds: 45, budgetMs: 1, cap: 1 }),
    autoTable('remembered_too', inTenant, { rememberSeconds: 3_600, budgetMs: 1, cap: 1 }),
  ],
  { claims: fixtureClaims },
)

const fixture = await startFixtureApi()

let api: Api
// It remembers nothing of the test before.
beforeEach(() => {
  api = fixture.serve(registry)
})

/** Adds tools of the north's, and returns what removes them. */
async function addTools(count: number): Promise<() => Promise<void>> {
  const connection = postgres(fixture.databaseUrl, { max: 1 })
  await connection`insert into products (id, tenant, name, category)
    select 1000 + n, 'north', 'New tool', 'tool' from generate_series(1, ${count}::int) n`
  return async () => {
    await connection`delete from products where id > 1000`
    await connection.end()
  }
}

const byCost = { costly: 'yes' }
const bySleep = { slow: 'yes' }
const query = async (table: string, body: object = {}, as = north) => {
  const response = await api.post(`query-table/${table}`, { perPage: 4, ...body }, { as })
  expect(response.status, response.text).toBe(200)
  return response.json
}
const pagination = async (table: string, body: object = {}, as = north) => (await query(table, body, as)).pagination

const total = northRows.length

describe('count: "none"', () => {
  it.each([
    ['of the request', 'plain', { count: 'none' }],
    ['of the table', 'uncounted', {}],
  ])('%s gives the rows seen so far, and leads to the next page', async (_, table, body) => {
    expect(await pagination(table, { ...body, page: 2 })).toMatchObject({
      total: 8,
      total_kind: 'at_least',
      last_page: 3,
      from: 5,
      to: 8,
    })
  })

  it.each([1, 11, 22, 23, 100])('is exact on the last page of %i rows', async (perPage) => {
    const page = Math.ceil(total / perPage)
    expect(await pagination('uncounted', { page, perPage })).toMatchObject({
      total,
      total_kind: 'exact',
      last_page: page,
      next_cursor: null,
    })
  })

  it('has seen no row on a page beyond the end', async () => {
    const { items, pagination: found } = await query('uncounted', { page: 50 })
    expect(items).toEqual([])
    expect(found).toMatchObject({ total: 0, total_kind: 'at_least', last_page: 1, next_cursor: null, from: null })
  })

  it('leads to every row by cursors, and never to an empty page', async () => {
    const ids: unknown[] = []
    for (let cursor: unknown; cursor !== null; ) {
      const response = await query('uncounted', { perPage: 11, cursor })
      expect(response.items).toHaveLength(11)
      ids.push(...response.items.map(({ id }: { readonly id: number }) => id))
      cursor = response.pagination.next_cursor
    }
    expect(ids).toEqual(northRows.map(({ id }) => id))
  })

  it.each([
    ['exact', 'exact'],
    ['auto', 'exact'],
    ['none', 'at_least'],
  ])('is given up for count: "%s" on the way of its cursor', async (count, kind) => {
    const { next_cursor: cursor } = await pagination('plain', { count: 'none' })
    expect(await pagination('plain', { count, cursor })).toMatchObject({
      total: kind === 'exact' ? total : 8,
      total_kind: kind,
    })
  })
})

describe('count: "auto"', () => {
  it.each([1, 2, 5, 6, 100])('is exact where counting is cheap, on page %i', async (page) => {
    for (const _ of ['first', 'known to fit'])
      expect(await pagination('plain', { count: 'auto', page })).toMatchObject({ total, total_kind: 'exact' })
  })

  it('counts anew where counting is cheap, so that an action shows in the next total', async () => {
    expect(await pagination('remembered_patiently')).toMatchObject({ total, total_kind: 'exact' })
    const restore = await addTools(5)
    try {
      expect(await pagination('remembered_patiently')).toMatchObject({ total: total + 5, total_kind: 'exact' })
    } finally {
      await restore()
    }
  })

  it('estimates where counting would cost too much and the scope is every row', async () => {
    const found = await pagination('open', { filters: byCost })
    expect(found.total_kind).toBe('estimated')
    expect(found.total).toBeGreaterThan(4)
    expect(found.last_page).toBeGreaterThan(1)
  })

  it.each(['open', 'hasty'])(
    'is exact on a page of %s that holds the last row, even if counting would cost too much',
    async (table) => {
      const rows = table === 'open' ? productRows.length : total
      expect(await pagination(table, { filters: byCost, perPage: 100 })).toMatchObject({
        total: rows,
        total_kind: 'exact',
      })
    },
  )

  it.each([1, 2, 6, 100])('never estimates inside a scope, on page %i', async (page) => {
    const found = await pagination('hasty', { filters: bySleep, page })
    expect(['exact', 'capped', 'at_least']).toContain(found.total_kind)
    expect(found.total).toBeLessThanOrEqual(total)
    if (found.total_kind === 'capped') expect(found).toMatchObject({ total: page * 4, last_page: page + 1 })
  })

  it.each([
    ['hasty', 'capped'],
    ['hasty_open', 'estimated'],
  ])('stops a count of %s that takes longer than the budget, and answers the page: %s', async (table, kind) => {
    for (const _ of ['stopped', 'not tried again']) {
      const { items, pagination: found } = await query(table, { filters: bySleep })
      expect(items).toHaveLength(4)
      expect(found.total_kind).toBe(kind)
    }
    // The limit was that of the count alone: this page takes longer than it.
    expect(await pagination(table, { filters: bySleep, perPage: 100 })).toMatchObject({ total_kind: 'exact' })
  })

  it('keeps to the limits of the table when a request names it as well', async () => {
    expect(await pagination('hasty', { filters: bySleep, count: 'auto' })).toMatchObject({ total_kind: 'capped' })
  })

  it('reveals by no kind of total what the statistics of the whole table say of rows outside of the scope', async () => {
    const owner = postgres(fixture.databaseUrl, { max: 1, onnotice: () => {} })
    onTestFinished(() => owner.end({ timeout: 5 }))
    const before = await pagination('patient', { filters: { category: 'tool' } })
    // As if others had a thousand million rows: the planner takes no count for cheap.
    await owner`update pg_class set reltuples = 1e9, relpages = 1 where oid = 'products'::regclass`
    try {
      api = fixture.variant({}, registry)
      expect((await pagination('open', { filters: { category: 'tool' } })).total_kind).toBe('estimated')
      expect(await pagination('patient', { filters: { category: 'tool' } })).toEqual({
        ...before,
        next_cursor: expect.any(String),
      })
    } finally {
      await owner`analyze products`
    }
  })

  it('reveals by no kind of total how long a count of another caller took', async () => {
    const count = async (as: typeof north) =>
      (await pagination('uneven', { filters: { slow_north: 'yes' }, perPage: 1 }, as)).total_kind
    expect([await count(north), await count(south)]).toEqual(['capped', 'exact'])
  })

  it('keeps the total of the first page on the way of cursors', async () => {
    const first = await pagination('hasty', { filters: bySleep })
    const second = await pagination('hasty', { filters: bySleep, cursor: first.next_cursor })
    expect([first, second]).toMatchObject([
      { total: 4, total_kind: 'capped' },
      { total: 8, total_kind: 'capped' },
    ])
  })
})

describe('count_only: true', () => {
  const asked = { filters: bySleep, count_only: true }

  it.each(['plain', 'uncounted', 'open', 'hasty'])('counts all rows of %s and reads none', async (table) => {
    const { items, bindings, pagination: found } = await query(table, { ...asked, page: 2, count: 'none' })
    const rows = table === 'open' ? productRows.length : total
    expect([items, bindings]).toEqual([[], {}])
    expect(found).toEqual({
      current_page: 2,
      per_page: 4,
      total: rows,
      last_page: Math.ceil(rows / 4),
      total_kind: 'exact',
      from: null,
      to: null,
      next_cursor: null,
    })
  })

  it('lets the pages that follow show the exact total', async () => {
    expect((await pagination('remembered', { filters: bySleep })).total_kind).toBe('capped')
    await query('remembered', asked)
    expect(await pagination('remembered', { filters: bySleep, page: 2 })).toMatchObject({ total, total_kind: 'exact' })
    // As if the function was frozen for as long as it remembers a total.
    shiftProcessClock(0.75)
    expect((await pagination('remembered', { filters: bySleep, page: 2 })).total_kind).toBe('capped')
  })

  it.each([
    ['another scope', 'remembered', bySleep, south],
    ['other claims', 'remembered', bySleep, { ...north, role: 'manager' }],
    ['another table', 'remembered_too', bySleep, north],
    ['other filters', 'remembered', { ...bySleep, category: 'tool' }, north],
  ])('is not remembered for %s', async (_, table, filters, as) => {
    await query('remembered', asked)
    const found = await pagination(table, { filters, perPage: 1 }, as as typeof north)
    expect(found.total_kind).not.toBe('exact')
  })

  it('is not remembered for another value of a filter', async () => {
    await query('remembered', { filters: { ...bySleep, category: 'tool' }, count_only: true })
    const of = async (category: string) =>
      (await pagination('remembered', { filters: { ...bySleep, category }, perPage: 1 })).total_kind
    expect([await of('tool'), await of('toy')]).toEqual(['exact', 'capped'])
  })

  it('is forgotten by a table that remembers nothing', async () => {
    await query('hasty', asked)
    expect((await pagination('hasty', { filters: bySleep })).total_kind).toBe('capped')
  })

  it('gives way to a page that shows more rows than were remembered', async () => {
    const tools = { filters: { ...bySleep, category: 'tool' }, perPage: 2 }
    await query('remembered', { ...tools, count_only: true })
    const restore = await addTools(5)
    try {
      const counted = northRows.filter(({ category }) => category === 'tool').length
      const found = await pagination('remembered', { ...tools, page: Math.ceil(counted / 2) })
      expect(found).toMatchObject({ total_kind: 'at_least', last_page: found.current_page + 1 })
      expect(found.next_cursor).not.toBeNull()
    } finally {
      await restore()
    }
  })
})

describe('request_seq', () => {
  const hash = async (body: object, as = north, table = 'plain') =>
    (await query(table, { request_seq: 7, ...body }, as)).query_hash

  it('is repeated with a name of the selected rows, which is the same for all their pages', async () => {
    const first = await query('plain', { request_seq: 7 })
    expect(first).toMatchObject({ request_seq: 7, query_hash: expect.stringMatching(/^[\w-]{22}$/) })
    for (const body of [
      { page: 2 },
      { perPage: 9 },
      { sorts: { name: 'desc' } },
      { count_only: true },
      { count: 'none' },
    ])
      expect(await hash(body)).toBe(first.query_hash)
  })

  it('is repeated with another name for other rows', async () => {
    const hashes = [
      await hash({}),
      await hash({ filters: { category: 'tool' } }),
      await hash({ filters: { category: 'toy' } }),
      await hash({}, south),
      await hash({}, north, 'uncounted'),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  it('is absent where none was sent', async () => {
    const response = await query('plain')
    expect(Object.keys(response)).not.toContain('request_seq')
    expect(Object.keys(response)).not.toContain('query_hash')
  })

  it('shapes the first page of load-table as well, with count', async () => {
    const { json } = await api.get('load-table/plain/true?count=none&request_seq=3')
    expect(json).toMatchObject({ request_seq: 3, pagination: { total: 20, total_kind: 'at_least' } })
    expect(listIds(await api.post('query-table/plain'))).toHaveLength(json.data.length)
  })
})

describe('count, count_only and request_seq', () => {
  it.each([
    ['count', 'fast'],
    ['count', 'capped'],
    ['count', 1],
    ['count', ['exact']],
    ['count_only', 'yes'],
    ['count_only', 1],
    ['request_seq', -1],
    ['request_seq', 1.5],
    ['request_seq', 2 ** 53],
    ['request_seq', 'first'],
  ])('are refused if a value is not valid: %s: %j', async (field, value) => {
    const refused = await api.post('query-table/plain', { [field]: value })
    expectFailure(refused, { status: 422, code: 'validation_failed', field })
  })

  it('are absent if they are null', async () => {
    expect(await pagination('plain', { count: null, count_only: null, request_seq: null })).toMatchObject({ total })
  })
})
