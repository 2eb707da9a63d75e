import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { samples } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startFixtureApi()

async function listFilters(table: string, ln = 'en'): Promise<Record<string, ApiResponse['json']>> {
  const { json } = await api.get(`load-table/${table}`, { headers: { ln } })
  const entries = [...json.filters, ...json.advancedFilters]
  return Object.fromEntries(entries.map((filter: { filter_name: string }) => [filter.filter_name, filter]))
}

describe('a filter entry', () => {
  it('has the keys that every type shares, and at least one operator', async () => {
    for (const filter of Object.values(await listFilters('products'))) {
      expect(filter).toMatchObject({ type: expect.any(String), label: expect.any(String), loadIf: true })
      expect(filter.props.operators.length).toBeGreaterThan(0)
    }
  })

  it.each([
    ['name', 'text', ['=', 'like']],
    ['stock', 'number', ['=', '<=', '>=']],
    ['category', 'select', ['=']],
    ['categories', 'multi_select', ['in']],
    ['active', 'boolean', ['=']],
    ['has_note', 'null', ['=']],
    ['made_on_from', 'date', ['>=']],
    ['made_on_to', 'date', ['<=']],
  ])('%s, a %s filter, has its type’s default operators', async (name, type, operators) => {
    expect((await listFilters('products'))[name]).toMatchObject({ type, props: { operators } })
  })

  it('a table may override the operators; the first is the default', async () => {
    const filters = await listFilters('products')
    expect(filters['name_any'].props.operators).toEqual(['like', '=', '!=', 'not like', 'in', 'not in'])
  })

  it.each(['category', 'categories', 'supplier', 'country'])('%s offers "all" first', async (name) => {
    const { select_options } = (await listFilters('products'))[name].props
    expect(Object.keys(select_options).find((key) => !/^\d+$/.test(key))).toBe('all')
  })

  it.each([
    ['category', ['all', 'tool', 'food', 'toy']],
    ['supplier', ['all', '1', '2', '3', '4']],
    ['active', ['all', '1', '0']],
    ['has_note', ['all', 'set', 'not_set']],
  ])('%s lists the same options in the author’s order', async (name, values) => {
    const { select_options, options } = (await listFilters('products'))[name].props
    const offered: readonly { readonly value: string; readonly label: string }[] = options
    expect(offered.map(({ value }) => value)).toEqual(values)
    expect(Object.fromEntries(offered.map(({ value, label }) => [value, label]))).toEqual(select_options)
  })

  it('keeps the order of values that look like numbers if its options are a list', async () => {
    const options = [
      { value: '30', label: 'High' },
      { value: '20', label: { en: 'Middle', ar: 'متوسط' } },
      '10',
    ] as const
    const table = defineFixture({
      name: 'ranked',
      from: samples,
      key: 'id',
      scope: everyRow,
      columns: { short: { label: 'Short' } },
      filters: { short: { type: 'select', label: 'Rank', options } },
    })
    const served = api.variant({}, createRegistry([table], { claims: fixtureClaims }))
    const { json } = await served.get('load-table/ranked')
    expect(json.filters[0].props.options.slice(1)).toEqual([
      { value: '30', label: 'High' },
      { value: '20', label: 'Middle' },
      { value: '10', label: '10' },
    ])
    expect((await served.post('query-table/ranked', { filters: { short: { value: '40' } } })).status).toBe(422)
  })

  it.each(['name', 'stock', 'made_on_from'])('%s has no options to list', async (name) => {
    expect((await listFilters('products'))[name].props).not.toHaveProperty('options')
  })

  it('a select offers its options from value to label', async () => {
    const filters = await listFilters('products')
    expect(filters['category'].props.select_options).toEqual({ all: 'All', tool: 'Tool', food: 'Food', toy: 'TOY' })
    expect(filters['categories'].props.select_options).toEqual({ all: 'All', tool: 'tool', food: 'food', toy: 'toy' })
  })

  it('a select over a binding offers the options that the binding has without filters', async () => {
    expect((await listFilters('products'))['supplier'].props.select_options).toEqual({
      all: 'All',
      1: 'Acme',
      2: 'مؤسسة النور',
      3: 'Nowhere Ltd',
      4: 'Acme Orient',
    })
  })

  it('a boolean filter offers "1", "0" and "all", and what is selected by default', async () => {
    expect((await listFilters('products'))['active'].props).toMatchObject({
      select_options: { '1': 'Yes', '0': 'No', all: 'All' },
      default_selected: '1',
    })
  })

  it('a null filter offers set and not set', async () => {
    expect((await listFilters('products'))['has_note'].props.select_options).toEqual({
      all: 'All',
      set: 'Set',
      not_set: 'Not set',
    })
  })

  it('a date filter is a pair: the "from" entry names the other, both name their group and limits in ms', async () => {
    const { made_on_from, made_on_to } = await listFilters('products')
    const common = { group_src: 'made_on', min: Date.UTC(2024, 0, 1), max: Date.UTC(2026, 11, 31) }
    expect(made_on_from).toMatchObject({ ...common, pair_with: 'made_on_to', props: { is_from: true } })
    expect(made_on_to).toMatchObject({ ...common, props: { is_from: false } })
    expect(made_on_to).not.toHaveProperty('pair_with')
  })

  it.each([
    ['Asia/Riyadh', '2023-12-31T21:00:00Z', '2026-12-30T21:00:00Z'],
    ['America/New_York', '2024-01-01T05:00:00Z', '2026-12-31T05:00:00Z'],
  ])('a date filter’s limits are midnights of the table’s zone, %s', async (TIME_ZONE, min, max) => {
    const { json } = await api.variant({ TIME_ZONE }).get('load-table/products')
    const entry = json.filters.find(({ filter_name }: { filter_name: string }) => filter_name === 'made_on_from')
    expect(entry).toMatchObject({ min: Date.parse(min), max: Date.parse(max) })
  })

  it('has its texts in the language of the caller', async () => {
    const filters = await listFilters('products', 'ar')
    expect(filters).toMatchObject({
      name: { label: 'الاسم' },
      category: { props: { select_options: { all: 'الكل', tool: 'أداة', toy: 'TOY' } } },
      active: { props: { select_options: { '1': 'نعم', '0': 'لا', all: 'الكل' } } },
      has_note: { props: { select_options: { set: 'توجد قيمة', not_set: 'لا توجد قيمة' } } },
    })
  })
})
