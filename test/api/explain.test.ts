import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, south } from '../support/fixtures/identities.ts'

const api = await startFixtureApi()

const ask = (explain: unknown, rest: object = {}, options = {}) =>
  api.post('query-table/products', { explain, perPage: 5, ...rest }, options)

const everything = createRegistry(
  [
    defineFixture({
      name: 'ratios',
      from: products,
      key: 'id',
      scope: everyRow,
      columns: { id: { label: 'ID' } },
      computed: { ratio: sql<number>`1 / (${products.id} - 1)` },
      filters: {
        id: { type: 'number', label: 'ID', operators: ['>='] },
        ratio: { type: 'number', label: 'Ratio', operators: ['>='] },
      },
    }),
  ],
  { claims: fixtureClaims },
)

const tool = { field: 'category', value: 'tool' }
const none = { field: 'name', value: 'nobody has this name' }

describe('an explanation', () => {
  it('counts the rows without each restriction, and names the one that excludes most', async () => {
    const { json } = await ask(true, {
      filters: [tool, none],
      filter_groups: { any: [{ field: 'active', value: true }] },
    })
    expect(json.explain).toEqual({
      total: 0,
      without: [
        { filter: 'category', total: 0 },
        { filter: 'name', total: 5 },
        { filter: 'filter_groups', total: 0 },
      ],
      most: 'name',
    })
  })

  it('agrees with the total of the page', async () => {
    const { json } = await ask(true, { filters: [tool] })
    expect(json.explain).toEqual({
      total: json.pagination.total,
      without: [{ filter: 'category', total: 22 }],
      most: 'category',
    })
    expect((await ask(true)).json.explain).toEqual({ total: 22, without: [], most: null })
  })

  it('names no restriction if none excludes a row', async () => {
    const active = { field: 'active', value: true }
    const { json } = await ask(true, { filter_groups: { any: [active, { none: [active] }] } })
    expect(json.explain).toEqual({ total: 22, without: [{ filter: 'filter_groups', total: 22 }], most: null })
  })

  it('names the open group', async () => {
    const { json } = await ask(undefined, { group_by: [{ field: 'category' }] })
    const opened = await ask(true, { group: json.groups[0].token })
    expect(opened.json.explain).toEqual({ total: 8, without: [{ filter: 'group', total: 22 }], most: 'group' })
  })

  it('joins the conditions of one filter', async () => {
    const filters = [
      { field: 'stock_any', operator: '>=', value: 5 },
      { field: 'stock_any', operator: '<=', value: 5 },
    ]
    const { json } = await ask(true, { filters })
    expect(json.explain).toEqual({ total: 3, without: [{ filter: 'stock_any', total: 22 }], most: 'stock_any' })
  })

  it('with "auto" is there only if there are no rows, and never beyond the end', async () => {
    expect((await ask('auto', { filters: [none] })).json.explain.most).toBe('name')
    expect((await ask('auto', { filters: [tool] })).json).not.toHaveProperty('explain')
    expect((await ask('auto', { filters: [tool], page: 9 })).json).not.toHaveProperty('explain')
    expect((await ask(true, { filters: [tool], page: 9 })).json).not.toHaveProperty('explain')
  })

  it.each([true, { row_id: 1 }])(
    'is missing from the parts of the page if it fails on other rows, asked for by %j',
    async (explain) => {
      const filters = [
        { field: 'id', operator: '>=', value: 3 },
        { field: 'ratio', operator: '>=', value: 0 },
      ]
      const { status, json } = await api.variant({}, everything).post('query-table/ratios', { filters, explain })
      expect(status).toBe(200)
      expect(json.partial).toEqual(['explain'])
      expect(json).not.toHaveProperty('explain')
    },
  )

  it('is absent unless it is asked for', async () => {
    for (const explain of [undefined, null, false])
      expect((await ask(explain, { filters: [none] })).json).not.toHaveProperty('explain')
  })

  it('counts no rows outside the scope', async () => {
    const { json } = await ask(true, { filters: [none] }, { as: south })
    expect(json.explain).toEqual({ total: 0, without: [{ filter: 'name', total: 2 }], most: 'name' })
  })

  it('names the restrictions that exclude a row', async () => {
    const filters = [tool, { field: 'stock', operator: '>=', value: 50 }]
    expect((await ask({ row_id: 3 }, { filters })).json.explain).toEqual({ row_id: 3, excluded_by: ['category'] })
    expect((await ask({ row_id: '1' }, { filters })).json.explain).toEqual({ row_id: 1, excluded_by: ['stock'] })
    expect((await ask({ row_id: 13 }, { filters })).json.explain).toEqual({ row_id: 13, excluded_by: [] })
    expect((await ask({ row_id: 7 }, { filters })).json.explain.excluded_by).toEqual(['category', 'stock'])
  })

  it.each([23, 9_999, 'no number', '1 or true'])(
    'is refused for the row %s, which is missing or outside the scope',
    async (row_id) => {
      const refused = await ask({ row_id }, { filters: [tool] })
      expectFailure(refused, { status: 404, code: 'row_not_found' })
    },
  )

  it.each([
    ['explain', 'yes'],
    ['explain', 1],
    ['explain', {}],
    ['explain', [1]],
    ['explain.row_id', { row_id: true }],
    ['explain.row_id', { row_id: null }],
  ])('is refused at %s for %j', async (field, explain) => {
    expectFailure(await ask(explain), { status: 422, code: 'validation_failed', field })
  })
})
