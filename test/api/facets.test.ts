import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, manager } from '../support/fixtures/identities.ts'

const api = await startFixtureApi()

const ask = (table: string, facets: unknown, rest: object = {}, options = {}) =>
  api.post(`query-table/${table}`, { facets, perPage: 1, ...rest }, options)

describe('facets', () => {
  it('count the values of a choice, the most frequent first, in the words of the caller', async () => {
    const filters = [{ field: 'name', operator: 'like', value: 'hammer' }]
    const { json } = await ask('products', ['category', 'active'], { filters })
    expect(json.facets).toEqual({
      category: { options: [{ value: 'tool', label: 'Tool', count: 2 }], more: false },
      active: {
        options: [
          { value: '0', label: 'No', count: 1 },
          { value: '1', label: 'Yes', count: 1 },
        ],
        more: false,
      },
    })
    const { json: arabic } = await ask('products', ['category'], { filters }, { headers: { 'accept-language': 'ar' } })
    expect(arabic.facets.category.options[0].label).toBe('أداة')
  })

  it('leave out the flat filters of their own name, and no other', async () => {
    const filters = [
      { field: 'category', value: 'tool' },
      { field: 'active', value: true },
    ]
    const { json } = await ask('products', ['category', 'active'], { filters })
    expect(json.facets.category.options.map(({ value }: { value: string }) => value).sort()).toEqual([
      'food',
      'tool',
      'toy',
    ])
    const { json: alone } = await ask('products', ['active'], { filters: [filters[0]] })
    expect(json.facets.active).toEqual(alone.facets.active)
  })

  it('take labels from the bindings of a choice', async () => {
    const { json } = await ask('products', ['supplier'])
    const [option] = json.facets.supplier.options
    expect(option).toEqual({ value: expect.any(Number), label: expect.stringMatching(/\D/), count: expect.any(Number) })
  })

  it('are ranges for numbers and dates, whose end is exclusive', async () => {
    const { json } = await ask('products', ['stock', 'made_on_from'], {
      filters: [{ field: 'category', value: 'food' }],
    })
    expect(json.facets.stock.options[0]).toEqual({
      value: { from: expect.any(Number), to: expect.any(Number) },
      label: expect.stringContaining(' – '),
      count: expect.any(Number),
    })
    expect(json.facets.made_on_from.options[0].value.from).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  it('are ranges of the smallest unit of the calendar of which 20 hold all dates', async () => {
    const starts = async (from: string, to: string) => {
      const filter_groups = { all: [{ field: 'made_on_from', value: { from, to } }] }
      const { json } = await ask('products', ['made_on_from'], { filter_groups })
      return json.facets.made_on_from.options.map(({ value }: { value: { from: string } }) => value.from)
    }
    expect(await starts('2026-01-01', '2026-01-03')).toEqual(['2026-01-01', '2026-01-02', '2026-01-03'])
    expect(await starts('2026-01-01', '2026-01-31')).toEqual(['2025-12-29', '2026-01-12', '2026-01-26'])
    expect(await starts('2024-01-01', '2026-03-07')).toEqual(['2024-01-01', '2025-10-01', '2026-01-01'])
  })

  it.each([
    ['monday', 1],
    ['saturday', 6],
    ['sunday', 0],
  ] as const)('are weeks that begin on the day of the table, as its groups: %s', async (firstWeekday, weekday) => {
    const table = defineFixture({
      name: 'weekly',
      from: products,
      key: 'id',
      scope: everyRow,
      firstWeekday,
      columns: { made_on: { label: 'Made on' } },
      filters: { made_on: { type: 'date', label: 'Made on' } },
    })
    const weekly = api.variant({}, createRegistry([table], { claims: fixtureClaims }))
    const { json } = await weekly.post('query-table/weekly', {
      facets: ['made_on_from'],
      group_by: [{ field: 'made_on', bucket: 'week' }],
      filter_groups: { all: [{ field: 'made_on_from', value: { from: '2026-01-01', to: '2026-01-31' } }] },
    })
    const weeks = json.groups.map((group: { keys: { value: string }[]; count: number }) => [
      group.keys[0]?.value,
      group.count,
    ])
    expect(weeks.length).toBeGreaterThan(1)
    expect(new Set(weeks.map(([day]: [string]) => new Date(day).getUTCDay()))).toEqual(new Set([weekday]))
    const options: readonly {
      readonly value: { readonly from: string; readonly to: string }
      readonly count: number
    }[] = json.facets.made_on_from.options
    expect(options.map(({ value, count }) => [value.from, count])).toEqual(weeks)
    for (const { value } of options) expect(Date.parse(value.to) - Date.parse(value.from)).toBe(7 * 86_400_000)
  })

  it('have labels with thousands separators, as the cells of their column', async () => {
    const { json } = await ask('products', ['price'])
    expect(json.facets.price.options.at(-1)).toMatchObject({
      value: { from: 1_000, to: 1_100 },
      label: '1,000 – 1,100',
    })
  })

  it('are returned by load-table, which reads them as JSON from the query', async () => {
    const { json } = await api.get(`load-table/products/true?facets=${encodeURIComponent('["active"]')}`)
    expect(json.facets.active.options).toHaveLength(2)
  })

  it('do not exist for a filter that is hidden from the caller, in any text', async () => {
    expect((await ask('deals', ['price'], {}, { as: manager })).json.facets.price.more).toBe(false)
    const refused = await ask('deals', ['price'])
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'facets.0' })
    expect(refused.json.fields['facets.0'][0]).not.toContain('price')
  })

  it.each([
    ['facets', 'category'],
    ['facets', { name: 'category' }],
    ['facets', Array.from({ length: 11 }, () => 'category')],
    ['facets.0', ['nope']],
    ['facets.0', [null]],
    ['facets.0', ['name']],
    ['facets.1', ['category', 'made_on_to']],
    ['facets.0', ['made_on']],
  ])('are refused at %s for %j', async (field, facets) => {
    expectFailure(await ask('products', facets), { status: 422, code: 'validation_failed', field })
  })

  it('have no options if there are no rows', async () => {
    const filters = [{ field: 'name', value: 'nobody has this name' }]
    const { json } = await ask('products', ['category', 'stock', 'made_on_from'], { filters })
    const empty = { options: [], more: false }
    expect(json.facets).toEqual({ category: empty, stock: empty, made_on_from: empty })
  })
})
