import { eq, sql } from 'drizzle-orm'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { reactAdminProvider } from '../../lib/client/adapters/react-admin.ts'
import { reactAdminOptions } from '../../lib/client/adapters/react-admin-options.ts'
import { refineDataProvider } from '../../lib/client/adapters/refine.ts'
import { refineOptions } from '../../lib/client/adapters/refine-options.ts'
import { createTableClient } from '../../lib/client/index.ts'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { publicUrl, startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { countries, products, suppliers } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, manager, north, south } from '../support/fixtures/identities.ts'
import { createApiFetch } from '../support/requests/api-fetch.ts'
import { createFailure } from '../support/requests/table-clients.ts'

const base = {
  from: products,
  key: 'id',
  relations: {
    supplier: {
      table: suppliers,
      on: { supplier_id: 'id' },
      relations: { home: { table: countries, on: { country: 'code' } } },
    },
  },
  columns: {
    id: { label: 'ID' },
    name: { label: 'Name', search: true },
    category: { label: 'Category' },
    note: {
      label: 'Note',
      loadIf: ({ identity }: { identity: { claims: { role?: string | undefined } } }) =>
        identity.claims.role === 'manager',
    },
  },
} as const

const table = defineFixture({
  ...base,
  name: 'searched_options',
  scope: ({ identity: { claims } }) => eq(products.tenant, claims.tenant),
  filters: {
    name: { type: 'select', options: { search: true } },
    supplier_id: { label: 'Supplier', type: 'multi_select', options: { search: true, label: 'supplier__name' } },
    category: {},
    note: { type: 'select', options: { search: true } },
    stock: { label: 'Stock', type: 'select', options: { search: true, label: 'note' } },
  },
})

/** Its cells hide names and prices from everybody, and a part of each date. */
const masked = defineFixture({
  ...base,
  name: 'masked_options',
  scope: ({ identity: { claims } }) => eq(products.tenant, claims.tenant),
  computed: { shout: sql`upper(${products.name})`, made: sql`${products.made_on}` },
  columns: {
    id: { label: 'ID' },
    name: { label: 'Name', format: () => '***' },
    made: { label: 'Made', type: 'date', pattern: 'yyyy' },
    category: { label: 'Category' },
  },
  filters: {
    name: { type: 'select', options: { search: true } },
    category: { type: 'select', options: { search: true, label: 'name' } },
    made: { type: 'select', options: { search: true } },
    shout: { type: 'select', label: 'Shout', options: { search: true } },
  },
})

const other = defineFixture({
  ...base,
  name: 'listed_options',
  scope: ({ identity: { claims } }) => eq(products.tenant, claims.tenant),
  filters: { category: {} },
})

const fixture = await startFixtureApi()
const api = fixture.variant({}, createRegistry([table, other, masked], { claims: fixtureClaims }))

const database = postgres(fixture.databaseUrl, { max: 1 })
await database`insert into products (id, tenant, name, supplier_id) values (201, 'north', 'مطار جدّة', 1), (202, 'north', '100% a_b', 1)`
await database`insert into products (id, tenant, name, supplier_id)
  values (203, 'west', ${'x'.repeat(1_001)}, 1), (204, 'west', ${'y'.repeat(1_000)}, 1)`
await database.end()

const path = 'query-table/searched_options'
const ask = (options: unknown, rest: object = {}, as = {}) => api.post(path, { options, ...rest }, as)

describe('the options of a select with searched options', () => {
  it('are the values in the rows of the caller with their labels and counts, by label, and no rows', async () => {
    const { json } = await ask({ field: 'supplier_id', limit: 2 })
    const { json: all } = await ask({ field: 'supplier_id' })
    const labels = all.bindings.supplier_id.map(({ label }: { label: string }) => label)
    expect(labels).toEqual([...labels].sort())
    expect(json.items).toEqual([])
    expect(json.bindings).toEqual({ supplier_id: all.bindings.supplier_id.slice(0, 2) })
    expect(json.bindings.supplier_id[0]).toEqual({ value: '1', label: 'Acme', count: expect.any(Number) })
    const { json: rows } = await api.post(path, { filters: { supplier_id: ['1'] } })
    expect(rows.pagination.total).toBe(json.bindings.supplier_id[0].count)
  })

  it('have no value that is too long for their filter, as facets have none', async () => {
    const as = { as: { sub: 'wes', tenant: 'west' } }
    const { json } = await ask({ field: 'name' }, {}, as)
    const value = 'y'.repeat(1_000)
    expect(json.bindings.name).toEqual([{ value, label: value, count: 1 }])
    const { facets } = (await api.post(path, { facets: ['name'], perPage: 1 }, as)).json
    expect(facets.name).toEqual({ options: json.bindings.name, more: true })
    expect((await api.post(path, { filters: { name: value } }, as)).json.pagination.total).toBe(1)
  })

  it.each([
    ['جده', ['مطار جدّة']],
    ['HAM', ['Hammer']],
    ['0%', ['100% a_b']],
    ['_', ['100% a_b']],
    ['a_ 100', ['100% a_b']],
    ['no such name', []],
  ])('hold every word of %j after folding: %j', async (search, found) => {
    const { json } = await ask({ field: 'name', search })
    const labels = json.bindings.name.map(({ label }: { label: string }) => label)
    expect(found.every((label) => labels.includes(label))).toBe(true)
    expect(labels.every((label: string) => !['100% a_b', 'مطار جدّة'].includes(label) || found.includes(label))).toBe(
      true,
    )
    if (found.length === 0) expect(labels).toEqual([])
  })

  it('come with the warnings of the request, if there are any', async () => {
    const { json } = await ask({ field: 'name' }, { filters: { nothing: 1 } })
    expect(json.warnings).toEqual([{ code: 'unknown_filter', field: 'nothing' }])
    expect((await ask({ field: 'name' })).json).not.toHaveProperty('warnings')
  })

  it('are found by their values as well as by their labels', async () => {
    const { json } = await ask({ field: 'supplier_id', search: 'acme 1' })
    expect(json.bindings.supplier_id.map(({ value }: { value: string }) => value)).toEqual(['1'])
  })

  it('come page by page, each once', async () => {
    const { json: whole } = await ask({ field: 'name', limit: 100 })
    const seen: unknown[] = []
    for (let page = 1; ; page += 1) {
      const { json } = await ask({ field: 'name', page, limit: 7 })
      seen.push(...json.bindings.name)
      expect(json.pagination).toMatchObject({ current_page: page, per_page: 7, next_cursor: null })
      if (json.pagination.last_page === page) {
        expect(json.pagination).toMatchObject({ total: seen.length, total_kind: 'exact' })
        break
      }
      expect(json.pagination).toMatchObject({ last_page: page + 1, total_kind: 'at_least' })
    }
    expect(seen).toEqual(whole.bindings.name)
    const { json: beyond } = await ask({ field: 'name', page: 900 })
    expect([beyond.bindings, beyond.pagination.from]).toEqual([{ name: [] }, null])
  })

  it('follow the other filters, groups and the search, but not the flat filters of their own name', async () => {
    const { json } = await ask(
      { field: 'name' },
      {
        filters: { name: 'Hammer', category: 'tool' },
        filter_groups: { none: [{ field: 'supplier_id', value: ['3'] }] },
      },
    )
    const { json: rows } = await api.post(path, {
      filters: { category: 'tool' },
      filter_groups: { none: [{ field: 'supplier_id', value: ['3'] }] },
      perPage: 100,
    })
    const names = new Set(rows.items.map(({ name }: { name: string }) => name))
    expect(new Set(json.bindings.name.map(({ value }: { value: string }) => value))).toEqual(names)
    const { json: searched } = await ask({ field: 'name' }, { search: 'hammer' })
    const total = searched.bindings.name.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
    expect([searched.bindings.name[0], total]).toEqual([{ value: 'Hammer', label: 'Hammer', count: 1 }, 2])
  })

  it('are those of the scope of the caller', async () => {
    const { json } = await ask({ field: 'name', search: 'hammer' }, {}, { as: south })
    expect(json.bindings.name).toEqual([{ value: 'Secret hammer', label: 'Secret hammer', count: 1 }])
  })

  it('are not for a caller who sees neither the column nor its labels', async () => {
    for (const field of ['note', 'stock']) {
      expect((await ask({ field }, {}, { as: manager })).json.bindings[field].length).toBeGreaterThan(0)
      const refused = await ask({ field })
      expectFailure(refused, { status: 422, code: 'validation_failed', field: 'options.field' })
      expect(refused.json.fields['options.field'][0]).toBe('must be one of: name, supplier_id')
    }
  })

  it('are refused where cells hide a part of the values or of their labels', async () => {
    for (const field of ['name', 'category', 'made']) {
      const refused = await api.post('query-table/masked_options', { options: { field } })
      expectFailure(refused, { status: 422, code: 'validation_failed', field: 'options.field' })
      expect(refused.json.fields['options.field'][0]).toBe('must be one of: shout')
    }
    const { json: asked } = await api.post('query-table/masked_options', {
      options: { field: 'shout', search: 'hammer' },
    })
    expect(asked.bindings.shout[0].value).toBe('HAMMER')
    const { json } = await api.get('load-table/masked_options')
    const searchable = json.filters.filter(({ props }: { props: { searchable?: true } }) => props.searchable)
    expect(searchable.map(({ filter_name }: { filter_name: string }) => filter_name)).toEqual(['shout'])
    const { json: counted } = await api.post('query-table/masked_options', { facets: ['category'] })
    for (const { value, label } of counted.facets.category.options) expect(label).toBe(value)
  })

  it('are not listed by the structure, which says that they are searched', async () => {
    const { json } = await api.get('load-table/searched_options')
    const filter = json.filters.find((entry: { filter_name: string }) => entry.filter_name === 'name')
    expect(filter.props).toEqual({
      operators: ['='],
      select_options: { all: 'All' },
      options: [{ value: 'all', label: 'All' }],
      searchable: true,
    })
  })
})

describe('options that cannot be read', () => {
  it.each([
    ['options', 'name'],
    ['options', [{ field: 'name' }]],
    ['options', true],
    ['options.field', {}],
    ['options.field', { field: 'category' }],
    ['options.field', { field: 7 }],
    ['options.field', { field: '__proto__' }],
    ['options.search', { field: 'name', search: ['x'] }],
    ['options.search', { field: 'name', search: 'x'.repeat(1_001) }],
    ['options.search', { field: 'name', search: 'nul\u0000' }],
    ['options.search', { field: 'name', search: Array.from({ length: 21 }, (_, index) => `w${index}`).join(' ') }],
    ['options.page', { field: 'name', page: 0 }],
    ['options.page', { field: 'name', page: 1_001 }],
    ['options.limit', { field: 'name', limit: 101 }],
    ['options.limit', { field: 'name', limit: '7.5' }],
  ])('are refused at %s: %j', async (field, options) => {
    expectFailure(await ask(options), { status: 422, code: 'validation_failed', field })
  })

  it('are refused in a table without any, and together with other faults', async () => {
    const refused = await api.post('query-table/listed_options', { options: { field: 'category' } })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'options' })
    const both = await ask({ field: 'nope' }, { filters: { category: 'nope' } })
    expect(Object.keys(both.json.fields)).toEqual(['options.field', 'filters.category'])
  })

  it('ask for nothing where they are null or an empty list', async () => {
    for (const options of [null, []]) expect((await ask(options)).json.items.length).toBeGreaterThan(0)
  })

  it.each([
    [{ search: true, label: 'nope' }, 'is no source of the table'],
    [{ search: true, label: 7 }, '{search: true, label?}'],
    [{ search: 1 }, '{search: true, label?}'],
  ])('are refused before a table with such options is served: %j', (options, text) => {
    const wrong = defineFixture({
      ...base,
      name: 'wrong',
      scope: ({ identity: { claims } }) => eq(products.tenant, claims.tenant),
      filters: { name: { type: 'select', options: options as never } },
    })
    expect(() => createRegistry([wrong], { claims: fixtureClaims })).toThrow(text)
  })
})

describe('the facet of a searched select', () => {
  it('has the labels of its options, and the values where it declares none', async () => {
    const { json } = await api.post(path, { facets: ['supplier_id', 'name'], perPage: 1 })
    const { json: asked } = await api.post(path, { options: { field: 'supplier_id' } })
    const labels = (options: readonly { value: unknown; label: string }[]) =>
      Object.fromEntries(options.map(({ value, label }) => [value, label]))
    expect(labels(json.facets.supplier_id.options)).toEqual(labels(asked.bindings.supplier_id))
    expect(labels(json.facets.supplier_id.options)[1]).toBe('Acme')
    for (const { value, label } of json.facets.name.options) expect(label).toBe(value)
  })
})

describe('the options of a filter in a data provider', () => {
  const client = createTableClient({
    baseUrl: publicUrl,
    token: () => fixture.provider.tokenFor(north),
    fetch: createApiFetch(api),
  })
  const resource = 'searched_options'
  const suppliers = { options: 'supplier_id' }

  it('are the choices of an autocomplete of react-admin', async () => {
    const provider = reactAdminOptions(reactAdminProvider(client), client)
    const { json } = await ask({ field: 'supplier_id' })
    const pagination = { page: 1, perPage: 2 }
    const first = await provider.getList(resource, { pagination, meta: suppliers })
    expect(first.data).toEqual(json.bindings.supplier_id.slice(0, 2).map(withId))
    expect(first.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false })
    const found = await provider.getList(resource, { pagination, filter: { q: 'orient' }, meta: suppliers })
    expect(found).toMatchObject({ data: [{ id: '4', label: 'Acme Orient' }], pageInfo: { hasNextPage: false } })
    const chosen = await provider.getMany(resource, { ids: [1, 999], meta: suppliers })
    expect(chosen.data).toMatchObject([
      { id: 1, label: 'Acme' },
      { id: 999, label: '999' },
    ])
    const named = await provider.getMany(resource, { ids: ['Hammer'], meta: { options: 'name' } })
    expect(named.data).toMatchObject([{ id: 'Hammer', label: 'Hammer', count: 1 }])
    const other = provider.getList(resource, { pagination, filter: { stock: 1 }, meta: suppliers })
    expect(await createFailure(other)).toMatchObject({ code: 'unsupported' })
    expect((await provider.getList(resource, { pagination })).data[0]).toHaveProperty('category')
    expect((await provider.getMany(resource, { ids: [1] })).data).toMatchObject([{ id: 1, name: expect.any(String) }])
  })

  it('are the options of a select of refine', async () => {
    const provider = refineOptions(refineDataProvider(client, publicUrl), client)
    const { data, total } = await provider.getList({ resource, pagination: { pageSize: 2 }, meta: suppliers })
    expect([data.length, total]).toEqual([2, 3])
    const filters = [{ field: 'label', operator: 'contains', value: 'orient' }] as const
    const found = await provider.getList({ resource, filters: [...filters], meta: suppliers })
    expect(found).toMatchObject({ data: [{ id: '4', value: '4', label: 'Acme Orient' }], total: 1 })
    const chosen = await provider.getMany?.({ resource, ids: ['1'], meta: suppliers })
    expect(chosen?.data).toMatchObject([{ id: '1', value: '1', label: 'Acme' }])
    const stock = [{ field: 'stock', operator: 'eq', value: 1 }] as const
    expect(await createFailure(provider.getList({ resource, filters: [...stock], meta: suppliers }))).toMatchObject({
      code: 'unsupported',
    })
    expect((await provider.getList({ resource })).data[0]).toHaveProperty('category')
  })
})

const withId = (option: { readonly value: string }) => ({ id: option.value, ...option })
