import { eq, sql } from 'drizzle-orm'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { countries, products, suppliers } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, manager, south } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'

const table = defineFixture({
  name: 'searched',
  label: { en: 'Products', ar: 'المنتجات' },
  from: products,
  key: 'id',
  relations: {
    supplier: {
      table: suppliers,
      on: { supplier_id: 'id' },
      relations: { home: { table: countries, on: { country: 'code' } } },
    },
    namesake: { table: suppliers, on: { supplier_id: 'id', name: 'name' } },
  },
  computed: { shelf: sql<string>`${products.category}::text || '-' || ${products.stock}` },
  scope: ({ identity: { claims } }) => eq(products.tenant, claims.tenant),
  columns: {
    id: { label: 'ID' },
    name: { label: { en: 'Name', ar: 'الاسم' }, search: true },
    category: { label: 'Category' },
    supplier__name: { label: { en: 'Supplier', ar: 'المورد' }, search: true },
    supplier__home__name: { label: { en: 'Country', ar: 'البلد' }, search: true },
    shelf: { label: 'Shelf', type: 'text', search: true },
    note: {
      label: { en: 'Note', ar: 'ملاحظة' },
      search: true,
      loadIf: ({ identity }) => identity.claims.role === 'manager',
    },
  },
  filters: { name: { operators: ['like'] } },
  bulkActions: {
    csv: { export: 'csv', deliver: 'file', label: 'CSV' },
    list: { run: () => {} },
    own_field: { form: z.strictObject({ search: z.literal('mine') }), run: () => {} },
  },
})

const other = defineFixture({
  name: 'unsearched',
  from: products,
  key: 'id',
  relations: { namesake: { table: suppliers, on: { supplier_id: 'id', name: 'name' } } },
  scope: ({ identity: { claims } }) => eq(products.tenant, claims.tenant),
  columns: { id: { label: 'ID' }, name: { label: 'Name' } },
  bulkActions: { list: { run: () => {} } },
})

const composite = defineFixture({
  name: 'composite',
  from: products,
  key: 'id',
  relations: { namesake: { table: suppliers, on: { supplier_id: 'id', name: 'name' } } },
  scope: ({ identity: { claims } }) => eq(products.tenant, claims.tenant),
  columns: { id: { label: 'ID' }, namesake__country: { label: 'Country', search: true } },
})

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([table, other, composite], { claims: fixtureClaims }))

const texts = [
  [101, 'مطارات جدّة الدوليّة'],
  [102, 'Crème brûlée à la façon de Straße Łódź Ærø'],
  [103, 'مسؤول شئون ٱلإدارة ١٢٣ ۴۵۶'],
  [104, 'ﬁne № ½ Ｗｉｄｅ ΟΔΟΣ ЁЛКА'],
  [105, '100% of "a_b\\c" (x/yz) New-York o’brien'],
  [106, 'ab cabin\u200fet 😀😀😀'],
] as const
const database = postgres(fixture.databaseUrl, { max: 1 })
for (const [id, name] of texts) await database`insert into products (id, tenant, name) values (${id}, 'north', ${name})`
await database.end()

const search = async (asked: unknown, rest: object = {}) => {
  const ids = listIds(await api.post('query-table/searched', { search: asked, perPage: 100, ...rest }))
  return Array.isArray(ids) ? ids.sort((a, b) => a - b) : ids
}

describe('a search', () => {
  it.each([
    ['hammer', [1, 2]],
    ['AMM', [1, 2]],
    ['جدة', [101]],
    ['مطارات الدولية', [101]],
    ['مـطـارات', [101]],
    ['جَدَّه', [101]],
    ['مسوول شيون الادارة', [103]],
    ['إدارة 123 456', [103]],
    ['٤٥٦', [103]],
    ['creme BRULEE facon', [102]],
    ['STRASSE lodz aero', [102]],
    ['straße', [102]],
    ['fine wide', [104]],
    ['1⁄2', [104]],
    ['οδος', [104]],
    ['елка', [104]],
    ['100%', [105]],
    ['a_b', [105]],
    ['b\\c', [105]],
    ['%%%', []],
    ['___', []],
    ['cabinet', [106]],
    ['😀😀😀', [106]],
  ])('for %j finds the rows %j', async (asked, ids) => {
    expect(await search(asked)).toEqual(ids)
  })

  it('finds words of two characters where a word begins with them', async () => {
    expect(await search('ab')).toEqual([106])
    expect(await search('yo')).toEqual([20, 105])
    expect(await search('br')).toEqual([16, 102, 105])
    expect(await search('b\u0301r')).toEqual([16, 102, 105])
    expect(await search('yz')).toEqual([105])
    expect(await search('جد')).toEqual([101])
    expect(await search('a.')).toEqual([])
    expect(await search('(x')).toEqual([105])
  })

  it('finds each word in any column, and all words of a phrase beside each other in one', async () => {
    expect(await search('acme hammer')).toEqual([1, 2])
    expect(await search('"acme orient" مصر kite')).toEqual([6])
    expect(await search('“acme orient” kite')).toEqual([6])
    expect(await search('"orient acme"')).toEqual([])
    expect(await search('hammer ball')).toEqual([])
    expect(await search('kite "acme ori')).toEqual([6])
  })

  it('looks into relations of relations, computed texts, and relations of several columns', async () => {
    expect(await search('france tool-7')).toEqual([8])
    const database = postgres(fixture.databaseUrl, { max: 1 })
    await database`update products set name = 'Acme' where id = 13`
    await database`update suppliers set country = 'France at large' where id = 1`.catch(() => {})
    await database.end()
    expect(listIds(await api.post('query-table/composite', { search: 'FR' }))).toEqual([13])
  })

  it('looks into the named columns alone', async () => {
    expect(await search({ q: 'acme', columns: ['supplier__name'] })).toEqual([1, 2, 6, 8, 9, 13, 14, 18, 19, 21, 22])
    expect(await search({ q: 'acme', columns: ['name'] })).toEqual([13])
    expect(await search({ q: 'hammer' })).toEqual([1, 2])
  })

  it('holds beside filters and groups, and inside the scope', async () => {
    expect(await search('acme', { filters: [{ field: 'name', value: 'HAM' }] })).toEqual([1, 2])
    expect(await search('hammer', { filter_groups: { none: [{ field: 'name', value: 'Ham' }] } })).toEqual([])
    const { json } = await api.post('query-table/searched', { search: 'hammer' }, { as: south })
    expect(json.items.map(({ name }: { name: string }) => name)).toEqual(['Secret hammer'])
    expect(json.pagination.total).toBe(1)
  })

  it('never looks into a column that is hidden from the caller', async () => {
    expect(await search('steel')).toEqual([])
    expect(listIds(await api.post('query-table/searched', { search: 'steel' }, { as: manager }))).toEqual([1])
    const refused = await api.post('query-table/searched', { search: { q: 'steel', columns: ['note'] } })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'search.columns.0' })
    expect(refused.text).not.toContain('note')
  })

  it('selects the rows of a first page, of actions and of exports, whose files say what was asked', async () => {
    const { json } = await api.get(`load-table/searched/true?search=${encodeURIComponent('acme hammer')}`)
    expect(json.data.map(({ id }: { id: number }) => id)).toEqual([1, 2])
    const { text } = await api.post('bulk-table-action/searched/csv', { search: 'acme hammer', expected_count: 2 })
    expect(text.match(/^\d+/gm)?.map(Number)).toEqual([1, 2])
    const { json: ran } = await api.post('bulk-table-action/searched/list', { search: { q: 'hammer' } })
    expect(ran.counts).toEqual({ selected: 2, succeeded: 2, failed: 0 })
  })

  it('goes on with a cursor, which belongs to its words', async () => {
    const asked = { search: 'acme', perPage: 6 }
    const { json: first } = await api.post('query-table/searched', asked)
    const cursor = first.pagination.next_cursor
    const { json: second } = await api.post('query-table/searched', { ...asked, cursor })
    expect([first.items.length, second.items.length]).toEqual([6, 5])
    const changed = await api.post('query-table/searched', { ...asked, search: 'acme ham', cursor })
    expectFailure(changed, { status: 422, code: 'validation_failed', field: 'cursor' })
  })

  it('counts in facets and aggregates what it selects', async () => {
    const { json } = await api.post('query-table/searched', {
      search: 'hammer',
      aggregates: [{ field: 'id', fn: 'count' }],
    })
    expect(json.aggregates.id.count.value).toBe(2)
  })

  it('is not read from a body whose action has a form with a field of that name', async () => {
    const { json } = await api.post('bulk-table-action/searched/own_field', { search: 'mine' })
    expect(json.counts.selected).toBe(28)
  })

  it('stands in the structure at the columns that it looks into', async () => {
    const { json } = await api.get('load-table/searched')
    const searchable = json.columns.filter((column: { searchable?: true }) => column.searchable)
    expect(searchable.map(({ data_src }: { data_src: string }) => data_src)).toEqual([
      'name',
      'supplier__name',
      'supplier__home__name',
      'shelf',
    ])
  })
})

describe('include: ["matches"]', () => {
  const matches = async (body: object, options = {}) => {
    const { json } = await api.post('query-table/searched', { include: ['matches'], perPage: 100, ...body }, options)
    return Object.fromEntries(json.items.map((item: { id: number; _matches: string[] }) => [item.id, item._matches]))
  }

  it.each([
    ['hammer', { 1: ['name'], 2: ['name'] }],
    ['acme hammer', { 1: ['name', 'supplier__name'], 2: ['name', 'supplier__name'] }],
    ['france tool-7', { 8: ['supplier__home__name', 'shelf'] }],
    ['جَدَّه', { 101: ['name'] }],
    ['STRASSE lodz', { 102: ['name'] }],
    ['ﬁne №', { 104: ['name'] }],
    ['yz', { 105: ['name'] }],
    ['%%%', {}],
  ])('names the columns that %j was found in: %j', async (asked, found) => {
    expect(await matches({ search: asked })).toEqual(found)
  })

  it('names only columns that are searched, that the caller sees and that the items show', async () => {
    expect(await matches({ search: { q: 'hammer acme' }, columns: ['name', 'id'] })).toEqual({
      1: ['name'],
      2: ['name'],
    })
    expect(await matches({ search: 'hammer', columns: ['category'] })).toEqual({ 1: [], 2: [] })
    expect(await matches({ search: { q: 'hammer', columns: ['name'] } })).toEqual({ 1: ['name'], 2: ['name'] })
    expect(await matches({ search: 'steel hammer' }, { as: manager })).toEqual({ 1: ['name', 'note'] })
    expect(await matches({ search: 'steel hammer' })).toEqual({})
  })

  it('is empty without a search, and for words that are too short', async () => {
    for (const body of [{}, { search: '' }, { search: null }, { search: 'x' }])
      expect(Object.values(await matches({ ...body, perPage: 2 }))).toEqual([[], []])
    const { json } = await api.post('query-table/unsearched', { include: ['matches'], perPage: 1 })
    expect(json.items[0]._matches).toEqual([])
  })

  it('comes with other parts, a first page, and rows that are read again', async () => {
    const asked = { include: ['raw', 'matches', 'version'], search: 'hammer', perPage: 1 }
    const { json } = await api.post('query-table/searched', asked)
    expect(json.items).toEqual([
      expect.objectContaining({ _raw: expect.anything(), _matches: ['name'], _version: expect.any(String) }),
    ])
    const first = await api.get('load-table/searched/true?include=["matches"]&search=hammer')
    expect(first.json.data[0]._matches).toEqual(['name'])
    const one = await api.post('row-refetch/searched/1', { include: ['matches'], search: 'acme' })
    const several = await api.post('multi-row-refetch/searched', {
      row_ids: [1, 3],
      include: ['matches'],
      search: 'acme',
    })
    expect(one.json.data.row._matches).toEqual(['supplier__name'])
    expect(several.json.items.map((item: { _matches: string[] }) => item._matches)).toEqual([['supplier__name'], []])
  })

  it('is refused with a search that cannot be read', async () => {
    for (const path of ['query-table/searched', 'row-refetch/searched/1']) {
      const refused = await api.post(path, { include: ['matches'], search: { q: 'hammer', columns: ['note'] } })
      expectFailure(refused, { status: 422, code: 'validation_failed', field: 'search.columns.0' })
      expect(refused.text).not.toContain('note')
    }
  })
})

describe('a word that is too short', () => {
  it('is ignored with a warning', async () => {
    const { json } = await api.post('query-table/searched', { search: 'hammer x ـ' })
    expect(json.items.map(({ id }: { id: number }) => id).toSorted()).toEqual([1, 2])
    expect(json.warnings).toEqual([{ code: 'short_word', field: 'search' }])
    const first = await api.get(`load-table/searched/true?search=${encodeURIComponent('hammer x')}&per_page=5`)
    expect(first.json.warnings).toEqual([{ code: 'short_word', field: 'search' }])
  })

  it.each(['a', '%', '"', '""', ' ', '\u200f', 'ًٌ', '😀'])('alone is no search: %j', async (asked) => {
    const { json } = await api.post('query-table/searched', { search: asked })
    expect([json.pagination.total, json.warnings]).toEqual([28, [{ code: 'short_word', field: 'search' }]])
  })

  it.each(['a', '%', '"', '', ' ', null, { q: '' }, { q: 'x' }])('alone is refused in actions: %j', async (asked) => {
    for (const action of ['csv', 'list']) {
      const refused = await api.post(`bulk-table-action/searched/${action}`, { search: asked })
      expectFailure(refused, { status: 422, code: 'validation_failed', field: 'search' })
    }
  })

  it('is nothing that was searched for where the text is empty', async () => {
    for (const asked of ['', null]) {
      const { json } = await api.post('query-table/searched', { search: asked })
      expect([json.pagination.total, json.warnings]).toEqual([28, undefined])
    }
  })
})

describe('a search that cannot be read', () => {
  const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')

  it.each([
    ['search', words(21), 'more than twenty words'],
    ['search', words(1_000), 'a thousand words'],
    ['search', 'x'.repeat(1_001), 'a text of more than a thousand characters'],
    ['search', 'nul\u0000', 'a null character'],
    ['search', 'half \ud83d', 'half of a character'],
    ['search', ['hammer'], 'a list'],
    ['search', true, 'no text'],
    ['search.q', { q: ['hammer'] }, 'a list as q'],
    ['search.q', {}, 'an object without q'],
    ['search.q', { q: null, columns: ['name'] }, 'no text as q'],
    ['search.q', { text: 'hammer' }, 'a text under another key than q'],
    ['search.columns', { q: 'hammer', columns: 'name' }, 'columns that are no list'],
    ['search.columns', { q: 'hammer', columns: [] }, 'no columns'],
    ['search.columns.0', { q: 'hammer', columns: ['nope'] }, 'an unknown column'],
    ['search.columns.1', { q: 'hammer', columns: ['name', 'category'] }, 'a column that is not searchable'],
    ['search.columns.0', { q: 'hammer', columns: [null] }, 'a column without a name'],
  ])('is refused at %s for case %#, which is %s', async (field, asked, _) => {
    for (const path of ['query-table/searched', 'bulk-table-action/searched/csv', 'bulk-table-action/searched/list'])
      expectFailure(await api.post(path, { search: asked }), { status: 422, code: 'validation_failed', field })
  })

  it('is refused in an action for a key that it would ignore', async () => {
    const asked = { q: 'hammer', column: ['name'] }
    const refused = await api.post('bulk-table-action/searched/list', { search: asked })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'search.column' })
    expect(await search(asked)).toEqual([1, 2])
  })

  it('is refused in a table without a searchable column', async () => {
    for (const path of ['query-table/unsearched', 'bulk-table-action/unsearched/list'])
      expectFailure(await api.post(path, { search: 'hammer' }), {
        status: 422,
        code: 'validation_failed',
        field: 'search',
      })
  })

  it('is refused in an action under a name that is nearly its own', async () => {
    const refused = await api.post('bulk-table-action/searched/list', { Search: 'hammer' })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'Search' })
  })
})
