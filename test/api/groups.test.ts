import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products, samples, visits } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, manager } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'

const isManager = ({ identity }: { readonly identity: { readonly claims: { readonly role?: unknown } } }) =>
  identity.claims.role === 'manager'

const items = defineFixture({
  name: 'items',
  from: products,
  key: 'id',
  scope: ({ identity: { claims } }) => sql`${products.tenant} = ${claims.tenant}`,
  computed: {
    slow: sql`(case when pg_sleep(0.2) is null then 0 else 1 end)`,
    half: sql`${products.price} / 2`,
    initial: sql`left(${products.name}, 1)`,
  },
  columns: {
    id: { label: 'ID' },
    name: { label: { en: 'Name', ar: 'الاسم' }, format: (name) => name?.slice(0, 1) ?? '' },
    category: { label: { en: 'Category', ar: 'الفئة' }, type: 'text', values: { tool: { en: 'Tool', ar: 'أداة' } } },
    price: { label: 'Price', decimals: 2, type: 'number' },
    stock: { label: 'Stock', loadIf: isManager },
    weight: { label: 'Weight' },
    active: { label: { en: 'Active', ar: 'نشط' } },
    made_on: { label: 'Made on', pattern: 'MM/yyyy', type: 'date' },
    sold_at: { label: { en: 'Sold at', ar: 'تاريخ البيع' } },
    code: { label: 'Code' },
    tags: { label: 'Tags' },
    slow: { label: 'Slow', type: 'number', loadIf: isManager },
    half: { label: 'Half', type: 'number' },
    initial: { label: 'Initial', type: 'text' },
    double: { label: 'Double', value: () => 'x' },
  },
  sortables: ['id'],
  defaultSort: ['id', 'asc'],
  filters: { category: { type: 'select', label: 'Category', options: ['tool', 'food', 'toy'] } },
  bulkActions: {
    csv: { export: 'csv', deliver: 'file', label: 'CSV' },
    list: { run: () => {} },
  },
})

const days = defineFixture({
  name: 'days',
  from: visits,
  key: 'id',
  scope: everyRow,
  timeZone: 'Asia/Riyadh',
  firstWeekday: 'saturday',
  columns: {
    id: { label: 'ID' },
    at: { label: 'At' },
    clock: { label: 'Clock', type: 'date', pattern: 'dd HH' },
    day: { label: 'Day' },
  },
})

const kinds = defineFixture({
  name: 'kinds',
  from: samples,
  key: 'id',
  scope: everyRow,
  columns: {
    id: { label: 'ID' },
    markup: { label: 'Markup', type: 'html' },
    real: { label: 'Real' },
    big: { label: 'Big' },
    exact: { label: 'Exact' },
    words: { label: 'Words' },
    details: { label: 'Details', type: 'text', format: () => '' },
    address: { label: 'Address', type: 'link' },
  },
})

const fixture = await startFixtureApi()
const registry = createRegistry([items, days, kinds], { claims: fixtureClaims })
const api = fixture.variant({}, registry)

const ask = (table: string, group_by: unknown, rest: object = {}, options = {}) =>
  api.post(`query-table/${table}`, { group_by, perPage: 1, ...rest }, options)

interface Group {
  readonly keys: readonly { readonly value: unknown; readonly text: string }[]
  readonly count: number
  readonly token: string
}

const values = (groups: readonly Group[]) => groups.map(({ keys, count }) => [...keys.map(({ value }) => value), count])
const texts = (groups: readonly Group[]) => groups.map(({ keys }) => keys.map(({ text }) => text).join(' | '))

const open = async (table: string, group: string, rest: object = {}) => {
  const response = await api.post(`query-table/${table}`, { group, perPage: 100, ...rest })
  return listIds(response)
}

describe('groups', () => {
  it('count the selected rows by the values of a column, missing ones last, in the words of the caller', async () => {
    const { json } = await ask('items', [{ field: 'category' }])
    expect(json.groups.map(({ token: _, ...group }: Group) => group)).toEqual([
      { keys: [{ value: 'tool', text: 'Tool' }], count: 8, aggregates: {} },
      { keys: [{ value: 'food', text: 'food' }], count: 7, aggregates: {} },
      { keys: [{ value: 'toy', text: 'toy' }], count: 6, aggregates: {} },
      { keys: [{ value: null, text: '-' }], count: 1, aggregates: {} },
    ])
    expect(json.groups_next).toBeNull()
    const arabic = await ask('items', [{ field: 'category' }], {}, { headers: { 'accept-language': 'ar' } })
    expect(texts(arabic.json.groups)[0]).toBe('أداة')
  })

  it('have the totals of each group beside those of all rows', async () => {
    const aggregates = [{ field: 'price', fn: 'sum' }]
    const { json } = await ask('items', [{ field: 'active' }], { aggregates })
    expect(
      json.groups.map(({ keys, aggregates: totals }: Group & { aggregates: object }) => [keys[0]?.text, totals]),
    ).toEqual([
      ['No', { price: { sum: { value: 1015.6001, text: '1,015.60' } } }],
      ['Yes', { price: { sum: { value: 378.81, text: '378.81' } } }],
      ['-', { price: { sum: { value: 106.99, text: '106.99' } } }],
    ])
    expect(json.aggregates.price.sum.text).toBe('1,501.40')
  })

  it('join dates by a unit of the calendar, and numbers by a width', async () => {
    const filters = [{ field: 'category', value: 'food' }]
    const months = await ask('items', [{ field: 'made_on', bucket: 'month' }], { filters })
    expect(months.json.groups.map(({ keys, count }: Group) => [keys[0], count])).toEqual([
      [{ value: '2026-01-01', text: '2026-01' }, 2],
      [{ value: '2026-02-01', text: '2026-02' }, 1],
      [{ value: '2026-03-01', text: '2026-03' }, 4],
    ])
    const prices = await ask('items', [{ field: 'price', bucket: { width: '0.5' } }], { filters })
    expect(values(prices.json.groups)).toEqual([
      [0, 3],
      [0.5, 2],
      [1, 1],
      [2, 1],
    ])
    expect(texts(prices.json.groups)[0]).toBe('0 – 0.5')
    const stocks = await ask('items', [{ field: 'stock', bucket: { width: 10 } }], {}, { as: manager })
    expect(values(stocks.json.groups)[0]).toEqual([-10, 1])
  })

  it.each([
    ['day', '2026-02-01', '2026-02-01'],
    ['week', '2026-01-31', '2026-01-31 – 2026-02-06'],
    ['month', '2026-02-01', '2026-02'],
    ['quarter', '2026-01-01', '2026-Q1'],
    ['year', '2026-01-01', '2026'],
  ])('begin each %s with its first moment in the table’s time zone', async (bucket, value, text) => {
    const { json } = await ask('days', [{ field: 'at', bucket }])
    const group = json.groups.find(({ keys }: Group) => keys[0]?.value === value)
    expect(group.keys).toEqual([{ value, text }])
    expect(await open('days', group.token)).toContain(2)
    expect(json.groups.at(-1).keys).toEqual([{ value: null, text: '-' }])
  })

  it('begin their days in the time zone of the request', async () => {
    const { json } = await ask('days', [{ field: 'at', bucket: 'day' }], { time_zone: 'UTC' })
    expect(values(json.groups)).toEqual([
      ['2026-01-31', 2],
      ['2026-02-28', 2],
      [null, 1],
    ])
  })

  it('show no more of a date than its cells', async () => {
    const parts = await ask('days', [{ field: 'clock' }])
    expect(texts(parts.json.groups)).toEqual(['01 00', '28 23', '31 23', '-'])
    const months = await ask('items', [{ field: 'made_on' }])
    expect(months.json.groups[0].keys).toEqual([{ value: '2024-02', text: '02/2024' }])
    expect(months.json.groups[1].keys).toEqual([{ value: '2025-12', text: '12/2025' }])
    const moments = await ask('days', [{ field: 'at' }])
    expect(moments.json.groups[0].keys).toEqual([{ value: '2026-01-31T20:59:59.999Z', text: '2026-01-31 23:59' }])
  })

  it('are of numbers and texts as cells have them', async () => {
    const real = await ask('kinds', [{ field: 'real' }])
    expect(values(real.json.groups)).toEqual([
      [0.1, 1],
      [null, 2],
    ])
    const big = await ask('kinds', [{ field: 'big' }])
    expect(values(big.json.groups)).toEqual([
      [5, 1],
      ['9007199254740993', 1],
      [null, 1],
    ])
    const exact = await ask('kinds', [{ field: 'exact' }])
    expect(values(exact.json.groups)[1]).toEqual(['12345678901234567890.5', 1])
    for (const { json } of [real, big, exact])
      for (const { token, count } of json.groups) expect(await open('kinds', token)).toHaveLength(count)
  })

  it('may have three keys, and are computed by the database', async () => {
    const { json } = await ask('items', [{ field: 'category' }, { field: 'active' }, { field: 'half' }])
    expect(json.groups[0].keys.map(({ value }: { value: unknown }) => value)).toEqual(['tool', false, 1.5])
    expect(json.groups.reduce((sum: number, { count }: Group) => sum + count, 0)).toBe(22)
  })

  it('come in pages, whose `groups_next` leads to the next', async () => {
    const group_by = [{ field: 'category' }, { field: 'active' }]
    const whole = await ask('items', group_by)
    const pages: Group[] = []
    for (let after: string | null | undefined; after !== null; ) {
      const { json } = await ask('items', group_by, { groups_page: { limit: 2, after } })
      expect(json.groups.length).toBeLessThanOrEqual(2)
      pages.push(...json.groups)
      after = json.groups_next
    }
    expect(pages).toEqual(whole.json.groups)
    expect(pages.length).toBeGreaterThan(4)
  })

  it('are returned by load-table, which reads them as JSON from the query', async () => {
    const group_by = encodeURIComponent(JSON.stringify([{ field: 'category' }]))
    const { json } = await api.get(`load-table/items/true?group_by=${group_by}&groups_page={"limit":1}`)
    expect(json.groups).toHaveLength(1)
    expect(json.groups_next).toEqual(expect.any(String))
    const { json: opened } = await api.get(`load-table/items/true?group=${json.groups[0].token}`)
    expect(opened.pagination.total).toBe(json.groups[0].count)
  })

  it('are absent where none are asked for', async () => {
    for (const group_by of [undefined, null, []]) {
      const { json } = await ask('items', group_by)
      expect(json).not.toHaveProperty('groups')
      expect(json).not.toHaveProperty('groups_next')
    }
  })

  it('are left out and named where they take too long', async () => {
    const impatient = fixture.variant({ DATABASE_STATEMENT_TIMEOUT_MS: '2000' }, registry)
    const body = { group_by: [{ field: 'slow' }], perPage: 1 }
    const { json, text } = await impatient.post('query-table/items', body, { as: manager })
    expect([json.items?.length, json.partial, json.groups], text).toEqual([1, ['groups'], undefined])
  })

  it.each([
    ['group_by', 'category'],
    ['group_by', { field: 'category' }],
    ['group_by', Array.from({ length: 4 }, () => ({ field: 'category' }))],
    ['group_by.0.field', [null]],
    ['group_by.0.field', ['category']],
    ['group_by.0.field', [{ field: 'nope' }]],
    ['group_by.0.field', [{ field: '__proto__' }]],
    ['group_by.1.field', [{ field: 'category' }, { field: 'name' }]],
    ['group_by.0.field', [{ field: 'tags' }]],
    ['group_by.0.field', [{ field: 'double' }]],
    ['group_by.0.field', [{ field: 'actions' }]],
    ['group_by.0.field', [{ field: 'stock' }]],
    ['group_by.0.bucket', [{ field: 'category', bucket: 'day' }]],
    ['group_by.0.bucket', [{ field: 'made_on', bucket: 'day' }]],
    ['group_by.0.bucket', [{ field: 'sold_at', bucket: 'hour' }]],
    ['group_by.0.bucket', [{ field: 'sold_at', bucket: { width: 1 } }]],
    ['group_by.0.bucket', [{ field: 'price', bucket: 'day' }]],
    ['group_by.0.bucket', [{ field: 'price', bucket: {} }]],
    ['group_by.0.bucket', [{ field: 'price', bucket: { width: 0 } }]],
    ['group_by.0.bucket', [{ field: 'price', bucket: { width: -1 } }]],
    ['group_by.0.bucket', [{ field: 'price', bucket: { width: 'wide' } }]],
  ])('are refused at %s for %j', async (field, group_by) => {
    const refused = await ask('items', group_by)
    expectFailure(refused, { status: 422, code: 'validation_failed', field })
    expect(refused.text).not.toContain('stock')
  })

  it.each([
    ['groups_page', 5],
    ['groups_page', [1]],
    ['groups_page.limit', { limit: 0 }],
    ['groups_page.limit', { limit: 1_001 }],
    ['groups_page.after', { after: 'abc' }],
    ['groups_page.after', { after: 5 }],
  ])('are refused at %s for the page %j', async (field, groups_page) => {
    const refused = await ask('items', [{ field: 'category' }], { groups_page })
    expectFailure(refused, { status: 422, code: 'validation_failed', field })
  })

  it('refuse HTML and lists', async () => {
    for (const field of ['markup', 'words', 'details']) {
      const refused = await ask('kinds', [{ field }])
      expectFailure(refused, { status: 422, code: 'validation_failed', field: 'group_by.0.field' })
    }
  })

  it('refuse the `groups_next` of another query', async () => {
    const { json } = await ask('items', [{ field: 'category' }], { groups_page: { limit: 1 } })
    const groups_page = { after: json.groups_next }
    for (const [group_by, rest] of [
      [[{ field: 'active' }], {}],
      [[{ field: 'category' }], { filters: [{ field: 'category', value: 'tool' }] }],
    ] as const) {
      const refused = await ask('items', group_by, { groups_page, ...rest })
      expectFailure(refused, { status: 422, code: 'validation_failed', field: 'groups_page.after' })
    }
  })
})

describe('an open group', () => {
  let tools: Group
  let missing: Group

  beforeAll(async () => {
    const { json } = await ask('items', [{ field: 'category' }])
    tools = json.groups[0]
    missing = json.groups.at(-1)
  })

  it('holds exactly its rows, for columns with any filters or none', async () => {
    expect(await open('items', tools.token)).toEqual([1, 2, 8, 11, 13, 14, 18, 21])
    expect(await open('items', missing.token)).toEqual([7])
    const { json } = await ask('items', [{ field: 'initial' }, { field: 'code' }])
    for (const { token, count } of json.groups) expect(await open('items', token)).toHaveLength(count)
  })

  it('keeps to its rows in totals, facets, cursors and groups within it', async () => {
    const { json } = await ask('items', [{ field: 'active' }], {
      group: tools.token,
      aggregates: [{ field: 'id', fn: 'count' }],
      facets: ['category'],
      filters: [],
    })
    expect(json.pagination.total).toBe(8)
    expect(json.aggregates.id.count.value).toBe(8)
    expect(json.facets.category.options).toEqual([{ value: 'tool', label: 'tool', count: 8 }])
    expect(values(json.groups)).toEqual([
      [false, 2],
      [true, 5],
      [null, 1],
    ])
    expect(await open('items', json.groups[0].token)).toEqual([2, 18])
    const next = await api.post('query-table/items', {
      group: tools.token,
      cursor: json.pagination.next_cursor,
      perPage: 2,
    })
    expect(listIds(next)).toEqual([2, 8])
    const other = await api.post('query-table/items', { group: missing.token, cursor: json.pagination.next_cursor })
    expectFailure(other, { status: 422, code: 'validation_failed', field: 'cursor' })
  })

  it('with filters counts its facets without the filters of their own name', async () => {
    const filters = [{ field: 'category', value: 'tool' }]
    const { json } = await ask('items', [{ field: 'active' }], { filters })
    const opened = await api.post('query-table/items', { filters, group: json.groups[0].token, facets: ['category'] })
    expect(
      opened.json.facets.category.options.map(({ value, count }: { value: string; count: number }) => [value, count]),
    ).toEqual([
      ['tool', 2],
      ['toy', 2],
      ['food', 1],
    ])
  })

  it('selects the rows of exports and actions', async () => {
    const { text } = await api.post('bulk-table-action/items/csv', { group: missing.token, expected_count: 1 })
    expect(text.trim().split('\n')).toHaveLength(2)
    const { json } = await api.post('bulk-table-action/items/list', { group: tools.token })
    expect(json.counts).toEqual({ selected: 8, succeeded: 8, failed: 0 })
    const { json: dry } = await api.post('bulk-table-action/items/list', { group: tools.token, dry_run: true })
    expect(dry.counts).toEqual({ selected: 8 })
  })

  it.each(['query-table/items', 'bulk-table-action/items/list', 'bulk-table-action/items/csv'])(
    'is refused by %s with another query, for another caller, for another table and if it was altered',
    async (path) => {
      const refusals = await Promise.all([
        api.post(path, { group: tools.token, filters: [{ field: 'category', value: 'tool' }] }),
        api.post(path, { group: tools.token }, { as: { sub: 'somebody else', tenant: 'north' } }),
        api.post(path, { group: `${tools.token.slice(0, -2)}AA` }),
        api.post(path, { group: 'tool' }),
        api.post(path, { group: '' }),
        api.post(path, { group: 5 }),
        api.post(path, { group: [tools.token] }),
        api.post(path.replace('items', 'days'), { group: tools.token }),
      ])
      for (const refused of refusals.slice(0, -1))
        expectFailure(refused, { status: 422, code: 'validation_failed', field: 'group' })
    },
  )

  it('is refused by an action if it is null, which would run on more rows', async () => {
    const refused = await api.post('bulk-table-action/items/list', { group: null })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'group' })
    expect((await api.post('query-table/items', { group: null })).json.pagination.total).toBe(22)
  })

  it('is refused once its column is hidden from the caller', async () => {
    const { json } = await ask('items', [{ field: 'stock' }], {}, { as: manager })
    const demoted = { ...manager, role: 'clerk' }
    const refused = await api.post('query-table/items', { group: json.groups[0].token }, { as: demoted })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'group' })
  })
})
