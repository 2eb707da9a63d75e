import { eq } from 'drizzle-orm'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products, suppliers } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, south } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'

const table = defineFixture({
  name: 'folded',
  label: { en: 'Products', ar: 'المنتجات' },
  from: products,
  key: 'id',
  relations: { supplier: { table: suppliers, on: { supplier_id: 'id' } } },
  scope: ({ identity: { claims } }) => eq(products.tenant, claims.tenant),
  columns: { id: { label: 'ID' }, name: { label: { en: 'Name', ar: 'الاسم' } }, category: { label: 'Category' } },
  filters: {
    name: {
      fold: true,
      operators: ['like', '=', '!=', 'not like', 'in', 'not in', 'starts with', 'ends with', 'is null'],
    },
    supplier__name: { type: 'text', label: 'Supplier', fold: true },
    exact: { type: 'text', label: 'Exact', source: 'name' },
    category: { type: 'text', fold: true },
  },
  bulkActions: { csv: { export: 'csv', deliver: 'file', label: 'CSV' }, list: { run: () => {} } },
})

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([table], { claims: fixtureClaims }))

const texts = [
  [101, 'مدرسة', 'north'],
  [102, 'مَدرَسـه', 'north'],
  [103, 'Crème Brûlée', 'north'],
  [104, 'creme brulee', 'north'],
  [105, 'مدرسه', 'south'],
] as const
const database = postgres(fixture.databaseUrl, { max: 1 })
for (const [id, name, tenant] of texts)
  await database`insert into products (id, tenant, name) values (${id}, ${tenant}, ${name})`
await database.end()

const find = async (filters: unknown, rest: object = {}): Promise<readonly number[]> => {
  const { json } = await api.post('query-table/folded', { filters, perPage: 100, ...rest })
  return json.items.map(({ id }: { id: number }) => id).toSorted((a: number, b: number) => a - b)
}

describe('a filter with fold', () => {
  it.each([
    ['=', 'مدرسه', [101, 102]],
    ['=', 'CREME brulée', [103, 104]],
    ['like', 'درسة', [101, 102]],
    ['like', 'ＢＲＵ', [103, 104]],
    ['like', '%', []],
    ['in', ['مدرسه', 'crème brûlée'], [101, 102, 103, 104]],
    ['starts with', 'CRÈ', [103, 104]],
    ['ends with', 'LEE', [103, 104]],
    ['is null', undefined, []],
  ])('finds by %s %j the rows %j, regardless of diacritics and case', async (operator, value, ids) => {
    expect(await find([{ field: 'name', operator, value }])).toEqual(ids)
  })

  it.each([
    ['!=', 'مدرسه', [101, 102]],
    ['not like', 'brulee', [103, 104]],
    ['not in', ['مدرسه', 'creme brulee'], [101, 102, 103, 104]],
  ])('leaves out by %s %j the rows %j', async (operator, value, ids) => {
    const kept = await find([{ field: 'name', operator, value }])
    const all = await find([])
    expect(all.filter((id) => !kept.includes(id))).toEqual(ids)
  })

  it('folds texts of relations and of enums', async () => {
    expect(await find([{ field: 'supplier__name', operator: 'like', value: 'ÁCME' }])).toEqual(
      await find([{ field: 'supplier__name', operator: 'like', value: 'acme' }]),
    )
    expect(await find([{ field: 'category', value: 'TÖÖL' }])).toEqual(
      await find([{ field: 'category', value: 'tool' }]),
    )
    expect((await find([{ field: 'category', value: 'tool' }])).length).toBeGreaterThan(1)
  })

  it('leaves other filters as they are', async () => {
    expect(await find([{ field: 'exact', value: 'مدرسه' }])).toEqual([])
    expect(await find([{ field: 'exact', value: 'creme brulee' }])).toEqual([104])
  })

  it('folds in groups, in exports, in actions and in explanations as well, and inside the scope', async () => {
    const folded = { field: 'name', operator: '=', value: 'مدرسه' }
    expect(await find([], { filter_groups: { any: [folded, { field: 'exact', value: 'Hammer' }] } })).toContain(102)
    const filters = [folded]
    const { text } = await api.post('bulk-table-action/folded/csv', { filters, expected_count: 2 })
    expect(text.match(/^\d+/gm)?.map(Number)).toEqual([101, 102])
    const { json: ran } = await api.post('bulk-table-action/folded/list', { filters })
    expect(ran.counts).toEqual({ selected: 2, succeeded: 2, failed: 0 })
    const both = [...filters, { field: 'exact', value: 'nothing' }]
    const { json } = await api.post('query-table/folded', { filters: both, explain: true })
    expect(json.explain.without).toContainEqual({ filter: 'exact', total: 2 })
    const groups = encodeURIComponent(JSON.stringify({ all: filters }))
    const first = await api.get(`load-table/folded/true?filter_groups=${groups}`)
    expect(first.json.data.map(({ id }: { id: number }) => id).toSorted()).toEqual([101, 102])
    const elsewhere = await api.post('query-table/folded', { filters }, { as: south })
    expect(listIds(elsewhere)).toEqual([105])
  })

  it('stands in the structure', async () => {
    const { json } = await api.get('load-table/folded')
    const folds = json.filters.map(({ filter_name, props }: { filter_name: string; props: { fold?: true } }) => [
      filter_name,
      props.fold,
    ])
    expect(Object.fromEntries(folds)).toEqual({ name: true, supplier__name: true, exact: undefined, category: true })
  })

  it.each(['like', '=', 'not like', 'starts with'])(
    'refuses by %s null, and a text of marks alone, which would match all',
    async (operator) => {
      const missing = await api.post('query-table/folded', { filters: [{ field: 'name', operator, value: null }] })
      expect(missing.json.fields).toEqual({ 'filters.name': ['is required'] })
      for (const path of ['query-table/folded', 'bulk-table-action/folded/list']) {
        const refused = await api.post(path, { filters: [{ field: 'name', operator, value: 'ـَ' }] })
        expectFailure(refused, { status: 422, code: 'validation_failed', field: 'filters.name' })
      }
    },
  )

  it('is refused by the registry where no texts are compared', () => {
    const broken = defineFixture({
      name: 'broken',
      from: products,
      key: 'id',
      scope: () => eq(products.tenant, 'north'),
      columns: { id: { label: 'ID' }, stock: { label: 'Stock' } },
      filters: { stock: { fold: true } },
    })
    expect(() => createRegistry([broken], { claims: fixtureClaims })).toThrow(
      'the filter "stock" is one of type number, which has no fold',
    )
  })
})
