import { type SQL, sql } from 'drizzle-orm'
import { doublePrecision, integer, numeric, pgTable, QueryBuilder } from 'drizzle-orm/pg-core'
import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products, suppliers } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, manager } from '../support/fixtures/identities.ts'

const isManager = ({ identity }: { readonly identity: { readonly claims: { readonly role?: string | undefined } } }) =>
  identity.claims.role === 'manager'

const base = { from: products, key: 'id', scope: everyRow } as const
const price = { label: 'Price', loadIf: isManager }
const number = { label: 'Guess', type: 'number' } as const
const filter = { type: 'number', label: 'Guess', source: 'guess' } as const
const ofSupplier = { supplier: { table: suppliers, on: { supplier_id: 'id' } } } as const
const doubled = sql<number>`${products.price} * 2`

const read = (guess: SQL<number>) => ({ columns: { price }, computed: { guess }, filters: { guess: filter } }) as const

/** The same table with attributes that are made of another. */
const generated = pgTable('products', {
  id: integer().primaryKey(),
  price: numeric(),
  stock: integer().generatedAlwaysAs(sql`price * 2`),
  weight: doublePrecision().generatedAlwaysAs((): SQL => sql`${generated.price} / 2`),
  supplier_id: integer(),
})

/** The same table again, with one row for each of the other. */
const partners = pgTable('products', { id: integer().primaryKey(), stock: integer().unique() })

/** Tables with a filter `guess` that tells what the hidden column holds. */
const revealing = {
  attribute: read(doubled),
  plain_text: read(sql`PRICE * 2`),
  quoted_text: read(sql`"products"."price" + 0`),
  nested: read(sql`${doubled} + 1`),
  subquery: read(sql`(select other.price from products as other where other.id = ${products.id})`),
  builder: read(sql`${new QueryBuilder().select({ most: sql`max(${products.price})` }).from(products)}`),
  whole_row: read(sql`(to_jsonb(products) ->> 'price')::numeric`),
  whole_row_of_alias: read(sql`(select (to_jsonb(p) ->> 'price')::numeric from products p where p.id = products.id)`),
  star: read(sql`(select sum(one.amount) from (select * from products) as one(id, amount))`),
  column_as_function: read(sql`price(products)`),
  behind_from: read(sql`substring('123' from price::int)::numeric`),
  drizzle_column_behind_from: read(sql`length(trim(leading '0' from ${products.price}::text))`),
  distinct_from: read(sql`(0 is distinct from price)::int`),
  distinct_from_row: read(sql`('x' is distinct from products::text)::int`),
  behind_from_in_builder: read(
    sql`${new QueryBuilder().select({ most: sql`max(extract(epoch from ${products.price} * interval '1 s'))` }).from(products)}`,
  ),
  alias_used_twice: read(
    sql`(select x.price from products x where x.id = 1) + (select x.id from suppliers x where x.id = 1)`,
  ),
  star_behind_comma: read(sql`(select sum(one.d) from (select id, * from products) as one(a, b, c, e, f, d))`),
  column_list: read(sql`(select sum(one.e) from products one(a, b, c, d, e))`),
  column_list_of_join: read(sql`(select sum(one.e) from (products cross join countries) as one(a, b, c, d, e))`),
  nested_comment: read(sql`/* /* */ ' */ price /* ' */ * 1`),
  generated: { from: generated, columns: { price }, filters: { guess: { ...filter, source: 'stock' } } },
  generated_by_function: { from: generated, columns: { price }, filters: { guess: { ...filter, source: 'weight' } } },
  generated_in_a_computed: {
    from: generated,
    columns: { price },
    computed: { guess: sql<number>`${generated.stock} + 1` },
    filters: { guess: filter },
  },
  behind_generated: {
    from: generated,
    columns: { stock: price },
    filters: { guess: { type: 'number', label: 'Guess', source: 'price' } },
  },
  hidden_computed: {
    columns: { doubled: { ...price, type: 'number' } },
    computed: { doubled, guess: sql<number>`${doubled} - 1` },
    filters: { guess: filter },
  },
  behind_hidden_computed: {
    columns: { doubled: { ...price, type: 'number' } },
    computed: { doubled },
    filters: { guess: { type: 'number', label: 'Guess', source: 'price' } },
  },
  same_row: {
    columns: { price },
    relations: { self: { table: products, on: { id: 'id' } } },
    filters: { guess: { type: 'number', label: 'Guess', source: 'self__price' } },
  },
  equal_key: {
    columns: { supplier_id: price },
    relations: ofSupplier,
    filters: { guess: { type: 'number', label: 'Guess', source: 'supplier__id' } },
  },
  twin_relation: {
    columns: { supplier__name: price },
    relations: { ...ofSupplier, twin: ofSupplier.supplier },
    filters: { guess: { type: 'text', label: 'Guess', source: 'twin__name' } },
  },
  twin_behind_a_relation: {
    columns: { supplier__name: price },
    relations: { ...ofSupplier, self: { table: products, on: { id: 'id' }, relations: ofSupplier } },
    filters: { guess: { type: 'text', label: 'Guess', source: 'self__supplier__name' } },
  },
  there_and_back: {
    columns: { price },
    relations: {
      other: { table: partners, on: { id: 'stock' }, relations: { back: { table: products, on: { stock: 'id' } } } },
    },
    filters: { guess: { type: 'number', label: 'Guess', source: 'other__back__price' } },
  },
  related: {
    columns: { supplier__name: price },
    relations: ofSupplier,
    computed: { guess: sql<number>`(select length(${suppliers.name}) from ${suppliers} where ${suppliers.id} = 1)` },
    filters: { guess: filter },
  },
} as const

/** Tables whose filter `guess` has nothing to do with the hidden column, or tells what the caller sees anyway. */
const harmless = {
  other_attribute: read(sql`${products.stock} % 2`),
  in_a_text: read(sql`length('price')`),
  in_a_comment: read(sql`${products.stock} /* price */`),
  year_from: read(sql`extract(year from ${products.made_on})`),
  twice_from: read(sql`extract(year from made_on) + (select count(*) from suppliers x where x.id in (1, 2))`),
  in_parentheses: read(sql`(select max(coalesce(stock, 0)) from products)`),
  beside_generated: {
    from: generated,
    columns: { stock: price },
    filters: { guess: { ...filter, source: 'supplier_id' } },
  },
  of_another_table: {
    columns: { name: price, stock: { label: 'Stock' } },
    computed: { guess: sql<number>`(select length(${suppliers.name}) from ${suppliers} where ${suppliers.id} = 1)` },
    filters: { guess: filter },
  },
  shown: {
    columns: { price, guess: { ...number, loadIf: () => true } },
    computed: { guess: doubled },
    filters: { guess: filter },
  },
  another_row: {
    columns: { price },
    relations: { other: { table: products, on: { supplier_id: 'id' } } },
    filters: { guess: { type: 'number', label: 'Guess', source: 'other__price' } },
  },
  another_relation: {
    columns: { one__price: price },
    relations: { one: { table: products, on: { supplier_id: 'id' } }, two: { table: products, on: { stock: 'id' } } },
    filters: { guess: { type: 'number', label: 'Guess', source: 'two__price' } },
  },
  hidden_key: {
    columns: { id: price },
    computed: { guess: sql<number>`(select count(*) from suppliers where suppliers.id = ${products.id})` },
    filters: { guess: filter },
  },
  shown_part: {
    columns: { doubled: { ...price, type: 'number' }, price: { label: 'Price' } },
    computed: { doubled },
    filters: { guess: { type: 'number', label: 'Guess', source: 'price' } },
  },
} as const

const filtered = Object.entries({ ...revealing, ...harmless }).map(([name, parts]) =>
  defineFixture({ ...base, name, ...(parts as (typeof revealing)['attribute']) }),
)

const everything = defineFixture({
  ...base,
  name: 'everything',
  columns: { name: { label: 'Name' }, price, guess: number },
  actionsColumn: false,
  computed: { guess: doubled },
  sortables: ['name', 'price', 'guess'],
  defaultSort: ['guess', 'desc'],
  filters: { guess: filter },
  bindings: { guess: () => [{ value: 1, label: 'told' }] },
})

const orderedBy = defineFixture({
  ...base,
  name: 'ordered_by_computed',
  columns: { name: { label: 'Name' }, price },
  computed: { guess: doubled },
  defaultSort: ['guess', 'desc'],
})

const registry = createRegistry([...filtered, everything, orderedBy], { claims: fixtureClaims })
const api = await startFixtureApi()
const tables = api.variant({}, registry)

const guesses = { filters: [{ field: 'guess', operator: '>=', value: 0 }] }

describe('a filter on what reads a hidden column', () => {
  it.each(Object.keys(revealing))('is hidden with the column: %s', async (table) => {
    const { filters } = (await tables.get(`load-table/${table}`)).json
    expect(filters).toEqual([])
    const asked = await tables.post(`query-table/${table}`, guesses)
    expect(asked.json.warnings).toEqual([{ code: 'unknown_filter', field: 'guess' }])
    expectFailure(await tables.post(`bulk-table-action/${table}/export_excel`, guesses), {
      status: 422,
      code: 'validation_failed',
    })
  })

  it.each(Object.keys(revealing))('is available to a caller who sees the column: %s', async (table) => {
    const { filters } = (await tables.get(`load-table/${table}`, { as: manager })).json
    expect(filters.map((one: { filter_name: string }) => one.filter_name)).toEqual(['guess'])
  })

  it.each(Object.keys(harmless))('stays where it reveals nothing: %s', async (table) => {
    const { filters } = (await tables.get(`load-table/${table}`)).json
    expect(filters.map((one: { filter_name: string }) => one.filter_name)).toEqual(['guess'])
    const { status, json } = await tables.post(`query-table/${table}`, guesses)
    expect({ status, warnings: json.warnings }).toEqual({ status: 200, warnings: undefined })
  })
})

describe('a column that shows what a hidden column holds', () => {
  it('is hidden with it, with its sort, filter, binding and default order', async () => {
    const { json } = await tables.get('load-table/everything/true')
    expect(json.columns.map((column: { data_src: string }) => column.data_src)).toEqual(['name'])
    expect(json).toMatchObject({ filters: [], sortables: ['name'], defSortCol: 'id', defSortDir: 'asc', bindings: {} })
    expect(Object.keys(json.data[0])).toEqual(['id', 'name', 'row', 'actions'])
  })

  it('cannot be sorted by, exported or found in the description of the service', async () => {
    const sorted = await tables.post('query-table/everything', { sorts: [{ field: 'guess', direction: 'desc' }] })
    expect(sorted.json.warnings).toEqual([{ code: 'unknown_sort', field: 'guess' }])
    const file = await tables.post('bulk-table-action/everything/export_excel', { columns: ['guess'] })
    expectFailure(file, { status: 422, code: 'validation_failed' })
    expect((await tables.get('openapi')).text).not.toMatch(/price/i)
  })

  it('is shown to callers who may see the hidden column', async () => {
    const { json } = await tables.get('load-table/everything/true', { as: manager })
    expect(json).toMatchObject({
      sortables: ['name', 'price', 'guess'],
      defSortCol: 'guess',
      bindings: { guess: [{}] },
    })
  })
})

it('no default order by a computed source ranks rows by a hidden column', async () => {
  const { json } = await tables.get('load-table/ordered_by_computed/true')
  expect([json.defSortCol, json.defSortDir]).toEqual(['id', 'asc'])
  const ids = json.data.map(({ id }: { id: number }) => id)
  expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b))
})
