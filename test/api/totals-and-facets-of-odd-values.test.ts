import { sql } from 'drizzle-orm'
import { bigint, doublePrecision, integer, numeric, pgTable, real } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { lines } from '../support/fixtures/work-schema.ts'

const manyOptions = Array.from({ length: 1_500 }, (_, index) => `option ${index}`)

const odd = defineFixture({
  name: 'odd',
  from: products,
  key: 'id',
  params: z.strictObject({}),
  scope: () => everyRow(),
  computed: {
    measured: sql`(case ${products.id} when 1 then 'NaN' when 2 then 'Infinity' else ${products.id}::text end)::float8`,
    document: sql`json_build_object('id', ${products.id})`,
    made_day: sql`${products.made_on}`,
    made_text: sql`${products.made_on}`,
    made_later: sql`${products.made_on} + 40`,
  },
  columns: {
    id: { label: 'ID' },
    name: { label: 'Name' },
    supplier_id: { label: 'Supplier', format: () => 'hidden' },
    made_on: { label: 'Made on', type: 'date', pattern: 'yyyy' },
    measured: { label: 'Measured', type: 'number' },
    document: { label: 'Document', type: 'text' },
    made_day: { label: 'Day', type: 'date', pattern: 'dd' },
    sold_at: { label: 'Sold at', type: 'date', pattern: 'yyyy-MM' },
    made_text: { label: 'Made', type: 'date', pattern: 'yyyy' },
    made_later: { label: 'Made later', type: 'date', pattern: 'dd/MM/yyyy' },
  },
  filters: {
    supplier_id: { type: 'number', label: 'Supplier' },
    offered: { type: 'select', label: 'Offered', source: 'category', options: 'bindings' },
    name: { type: 'select', label: 'Name', options: [...manyOptions, 'Hammer'] },
    made_on: { label: 'Made on' },
    made_day: { type: 'date', label: 'Day' },
    made_text: { type: 'select', label: 'Made', options: 'bindings' },
    has_date: { type: 'null', label: 'Made', source: 'made_on' },
    sold_at: { label: 'Sold at' },
    measured: { type: 'number', label: 'Measured' },
  },
  bindings: {
    offered: () => [{ value: 'tool', label: 'Tools' }],
    made_text: () => [{ value: '2026-01-05', label: '2026' }],
  },
})

const many = defineFixture({
  name: 'many',
  from: lines,
  key: 'id',
  scope: everyRow,
  computed: {
    bin: sql<string>`'bin ' || ${lines.id} % 150`,
    shelf: sql<string>`case ${lines.id} when 1 then 'rare' else 'bin ' || ${lines.id} % 150 end`,
  },
  columns: { id: { label: 'ID' } },
  filters: {
    id: { type: 'number', label: 'ID', operators: ['<='] },
    bin: { type: 'select', label: 'Bin', options: Array.from({ length: 150 }, (_, index) => `bin ${index}`) },
    shelf: { type: 'select', label: 'Shelf', options: 'bindings' },
  },
  bindings: { shelf: () => [{ value: 'rare', label: 'Rare' }] },
})

const measures = pgTable('measures', {
  id: integer().primaryKey(),
  real: real(),
  double: doublePrecision(),
  big: bigint({ mode: 'bigint' }),
})

const exact = defineFixture({
  name: 'measures',
  from: measures,
  key: 'id',
  scope: everyRow,
  computed: { computed: sql<number>`${measures.double}`, computed_real: sql<number>`${measures.real}` },
  columns: {
    real: { label: 'Real' },
    double: { label: 'Double' },
    big: { label: 'Big' },
    computed: { label: 'Computed', type: 'number' },
    computed_real: { label: 'Computed real', type: 'number' },
  },
  filters: {
    real: { label: 'Real', operators: ['between'] },
    double: { label: 'Double', operators: ['between'] },
    big: { label: 'Big', operators: ['between'] },
    computed: { type: 'number', label: 'Computed', operators: ['between'] },
  },
})

const vast = pgTable('vast_measures', { id: integer().primaryKey(), size: doublePrecision() })

const vastTable = defineFixture({
  name: 'vast',
  from: vast,
  key: 'id',
  scope: everyRow,
  columns: { id: { label: 'ID' }, size: { label: 'Size' } },
  filters: { id: { type: 'number', operators: ['in'] }, size: { label: 'Size', operators: ['between'] } },
})

const extreme = pgTable('extreme_measures', { id: integer().primaryKey(), size: numeric() })

const extremeTable = defineFixture({
  name: 'extreme',
  from: extreme,
  key: 'id',
  scope: everyRow,
  columns: { id: { label: 'ID' }, size: { label: 'Size' } },
})

interface Group {
  readonly keys: readonly unknown[]
}

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([odd, many, exact, vastTable, extremeTable], { claims: fixtureClaims }))
const ask = async (body: object) => (await api.post('query-table/odd', { perPage: 1, ...body })).json

beforeAll(async () => {
  const database = postgres(fixture.databaseUrl)
  await database`update products set made_on = 'infinity' where id = 3`
  await database`update products set made_on = '5000-01-01' where id = 4`
  await database.unsafe(`
    create table measures (id integer primary key, "real" real, "double" double precision, big bigint);
    insert into measures values (1, 1234567, 1234567.12345678, 1234567890123456789), (2, 19.99, 0.1, null),
      (3, 16777216, 123456789.12345678, null), (4, 'NaN', 'Infinity', null);
    create table vast_measures (id integer primary key, size double precision);
    insert into vast_measures values (1, 1e307), (2, 1.7976931348623157e308), (3, -1.7e308), (4, 3e-300), (5, 5e-324), (6, 1e-300);
    create table extreme_measures (id integer primary key, size numeric);
    insert into extreme_measures values (1, 1e131000 + 7), (2, 1e-16000), (3, 0.00), (4, 'NaN'), (5, '-Infinity'), (6, -1e400);
    grant select on measures, vast_measures, extreme_measures to public`)
  await database.end()
})

it('lists no values that a function hides in the cells of their column', async () => {
  const refused = await api.post('query-table/odd', { facets: ['supplier_id'] })
  expectFailure(refused, { status: 422, code: 'validation_failed', field: 'facets.0' })
})

it('lists only the options that a binding offers', async () => {
  const { facets } = await ask({ facets: ['offered'] })
  expect(facets.offered.options).toEqual([{ value: 'tool', label: 'Tools', count: expect.any(Number) }])
})

it('finds an option that a binding offers behind 100 more frequent values that it does not', async () => {
  for (const body of [{}, { count_only: true }]) {
    const { json } = await api.post('query-table/many', { perPage: 1, facets: ['shelf'], ...body })
    expect(json.facets.shelf).toEqual({ options: [{ value: 'rare', label: 'Rare', count: 1 }], more: false })
  }
})

it('counts the values of a choice with more options than a filter takes in a list', async () => {
  const { facets } = await ask({ facets: ['name'] })
  expect(facets.name.options).toEqual([{ value: 'Hammer', label: 'Hammer', count: expect.any(Number) }])
})

it('lists the 100 most frequent values of a choice, and says whether there are more', async () => {
  const readBins = async (body: object) =>
    (await api.post('query-table/many', { perPage: 1, facets: ['bin'], ...body })).json.facets.bin
  const { options, more } = await readBins({})
  expect([options.length, more]).toEqual([100, true])
  expect(options.slice(0, 2).map(({ value, count }: { value: string; count: number }) => [value, count])).toEqual([
    ['bin 1', 21],
    ['bin 0', 20],
  ])
  const few = await readBins({ filters: [{ field: 'id', value: 100 }] })
  expect([few.options.length, few.more]).toEqual([100, false])
})

it('leaves infinite dates out of the ranges of dates', async () => {
  const { facets, pagination } = await ask({ facets: ['made_on_from'] })
  const { options } = facets.made_on_from
  expect(options.every(({ value }: { value: { from: string } }) => /^\d{4}-\d\d-\d\d$/.test(value.from))).toBe(true)
  expect(options.at(-1).value.from).toBe('4001-01-01')
  expect(options.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBeLessThan(pagination.total)
})

it('treats NaN and the infinities of a computed number as missing', async () => {
  const asked = ['count', 'count_empty', 'max', 'count_distinct'].map((fn) => ({ field: 'measured', fn }))
  const filters = [{ field: 'measured', operator: '<=', value: 4 }]
  const { aggregates } = await ask({ aggregates: asked, facets: ['measured'] })
  const total = (await ask({})).pagination.total
  expect(aggregates.measured.count.value).toBe(total - 2)
  expect(aggregates.measured.count_empty.value).toBe(2)
  expect(aggregates.measured.count_distinct.value).toBe(total - 2)
  const { facets } = await ask({ facets: ['measured'], filters })
  const counts = facets.measured.options.map(({ count }: { count: number }) => count)
  expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(total - 2)
})

it('takes a number that is too small for a computed double for 0', async () => {
  const find = async (operator: string, value: string) =>
    (await ask({ filters: [{ field: 'measured', operator, value }] })).pagination.total
  const finite = (await ask({})).pagination.total - 2
  expect([await find('>=', '1e-400'), await find('<=', '-1e-400'), await find('=', '1e-400')]).toEqual([finite, 0, 0])
})

it.each([
  ['real', { sum: '18011802.99', min: '19.99', max: '16777216', median: '1234567' }],
  ['double', { sum: '124691356.34691356', min: '0.1', max: '123456789.12345678', median: '1234567.12345678' }],
  ['computed', { sum: '124691356.34691356', min: '0.1', max: '123456789.12345678', median: '1234567.12345678' }],
  ['computed_real', { sum: '18011802.99', min: '19.99', max: '16777216', median: '1234567' }],
])('adds and compares binary numbers with every digit that their cells show: %s', async (field, expected) => {
  const fns = ['sum', 'min', 'max', 'median', 'count_distinct']
  const { json } = await api.post('query-table/measures', { aggregates: fns.map((fn) => ({ field, fn })) })
  const values = fns.map((fn) => [fn, String(json.aggregates[field][fn].value)])
  expect(Object.fromEntries(values)).toEqual({ ...expected, count_distinct: '3' })
})

it.each([
  ['real', 1, 1_234_567],
  ['double', 1e-8, 123_456_789.123_456_78],
  ['computed', 1e-8, 123_456_789.123_456_78],
])('groups binary numbers by the digits that their cells show: %s', async (field, width, shown) => {
  for (const bucket of [undefined, { width }]) {
    const { json } = await api.post('query-table/measures', { group_by: [{ field, bucket }] })
    const keys: readonly { value: unknown; text: string }[] = json.groups.map((group: Group) => group.keys[0])
    expect(keys.map(({ value }) => Number(value))).toContain(shown)
    expect(keys.map(({ text }) => text.replaceAll(',', '').split(' ')[0])).toContain(String(shown))
  }
})

it('counts binary numbers in ranges that hold all of their digits', async () => {
  const filters = [{ field: 'double', value: [1_000_000, 2_000_000] }]
  const { json } = await api.post('query-table/measures', { facets: ['real'], filters })
  const value = { from: 1_234_567, to: 1_234_568 }
  expect(json.facets.real.options).toEqual([{ value, label: '1,234,567 – 1,234,568', count: 1 }])
})

it('writes the ends of a range as text where a double would lose digits', async () => {
  const { facets } = (await api.post('query-table/measures', { facets: ['big'] })).json
  const value = { from: '1234567890123456789', to: '1234567890123456790' }
  const label = '1,234,567,890,123,456,789 – 1,234,567,890,123,456,790'
  expect(facets.big.options).toEqual([{ value, label, count: 1 }])
  const filters = [{ field: 'big', value: [value.from, value.to] }]
  expect((await api.post('query-table/measures', { filters })).json.pagination.total).toBe(1)
})

it.each([[[1, 2, 3]], [[1, 2]], [[4, 5, 6]]])(
  'writes the ends of vast ranges as their filter takes them: %j',
  async (ids) => {
    const own = { field: 'id', operator: 'in', value: ids }
    const ask = async (body: object) => (await api.post('query-table/vast', { perPage: 1, ...body })).json
    const { options } = (await ask({ facets: ['size'], filters: [own] })).facets.size
    expect(options.length).toBeGreaterThan(1)
    for (const { value, count } of options) {
      const { pagination, errors } = await ask({ filters: [own, { field: 'size', value: [value.from, value.to] }] })
      expect(pagination?.total, JSON.stringify([value, errors])).toBe(count)
    }
  },
)

it('counts distinct values of types that Postgres cannot compare by their texts', async () => {
  const { aggregates, pagination } = await ask({ aggregates: [{ field: 'document', fn: 'count_distinct' }] })
  expect(aggregates.document.count_distinct.value).toBe(pagination.total)
})

it('shows no more of a date than its column does', async () => {
  const filters = [{ field: 'made_on_to', value: '2026-12-31' }]
  const { aggregates } = await ask({ aggregates: [{ field: 'made_on', fn: 'max' }], filters })
  expect(aggregates.made_on.max).toEqual({ value: '2026', text: '2026' })
})

it('has the first and the last of the dates that a computed column makes, with ISO text as their value', async () => {
  const filters = [{ field: 'made_on_to', value: '2026-12-31' }]
  const fns = ['min', 'max'].map((fn) => ({ field: 'made_later', fn }))
  const { aggregates, groups } = await ask({ aggregates: fns, group_by: [{ field: 'made_later' }], filters })
  const dates = groups.flatMap(({ keys: [key] }: { keys: { value: unknown }[] }) => (key?.value === null ? [] : [key]))
  expect(dates.length).toBeGreaterThan(2)
  expect(aggregates.made_later).toEqual({ min: dates[0], max: dates.at(-1) })
  expect(aggregates.made_later.min.value).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(aggregates.made_later.min.text).toMatch(/^\d\d\/\d\d\/\d{4}$/)
})

it('counts distinct dates as their column shows them', async () => {
  const { aggregates } = await ask({ aggregates: [{ field: 'sold_at', fn: 'count_distinct' }] })
  const { groups } = await ask({ group_by: [{ field: 'sold_at', bucket: 'month' }] })
  const months = groups.filter(({ keys }: { keys: { value: unknown }[] }) => keys[0]?.value !== null)
  expect(aggregates.sold_at.count_distinct.value).toBe(months.length)
})

it('lists no shorter ranges of dates than the pattern of their column shows', async () => {
  const filter_groups = { all: [{ field: 'made_on_from', value: { from: '2026-01-01', to: '2026-12-31' } }] }
  const { facets, pagination } = await ask({ facets: ['made_on_from', 'has_date'], filter_groups })
  const year = { value: { from: '2026-01-01', to: '2027-01-01' }, label: '2026-01-01 – 2027-01-01' }
  expect(facets.made_on_from.options).toEqual([{ ...year, count: pagination.total }])
  expect(facets.has_date.options).toEqual([{ value: 'set', label: 'Set', count: pagination.total }])
  const { facets: sold } = await ask({
    facets: ['sold_at_from'],
    filters: [{ field: 'sold_at_from', value: '2000-01-01' }],
  })
  for (const { value } of sold.sold_at_from.options) expect(value.from).toMatch(/-01$/)
})

it.each(['made_day_from', 'made_text'])(
  'refuses the facet of dates of which a column hides the year or the day: %s',
  async (name) => {
    const refused = await api.post('query-table/odd', { facets: [name] })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'facets.0' })
  },
)

it('reads the keys of load-table as keys of the page, and not as params of the table', async () => {
  const facets = encodeURIComponent('["offered"]')
  const { status, json } = await api.get(`load-table/odd/true?facets=${facets}&time_zone=Asia/Riyadh`)
  expect([status, json.facets?.offered.more]).toEqual([200, false])
})

it('numbers that are too large or too small for a double are texts, and only numbers that are not finite are missing', async () => {
  const large = `1${'0'.repeat(130_999)}7`
  const small = `0.${'0'.repeat(15_999)}1`
  const { json } = await api.post('query-table/extreme', {
    sorts: [{ field: 'id', direction: 'asc' }],
    aggregates: ['max', 'min', 'count_empty'].map((fn) => ({ field: 'size', fn })),
  })
  const sizes = [large, small, 0, null, null, `-1${'0'.repeat(400)}`]
  expect(json.items.map(({ size }: { size: unknown }) => size)).toEqual(sizes)
  const { max, min, count_empty } = json.aggregates.size
  expect(max).toEqual({ value: large, text: `100${',000'.repeat(43_665)},007` })
  expect(min).toEqual({ value: sizes[5], text: `-10${',000'.repeat(133)}` })
  expect(count_empty.value).toBe(2)
  const groups = await api.post('query-table/extreme', { group_by: [{ field: 'size' }] })
  const keys = groups.json.groups.map(({ keys: [key] }: { keys: { value: unknown }[] }) => key?.value)
  expect(new Set(keys)).toEqual(new Set(sizes))
})
