import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { northRows, type Product, supplierRows } from '../support/fixtures/fixture-rows.ts'
import { listIds } from '../support/fixtures/list-ids.ts'

const api = await startFixtureApi()

const sortIds = async (sorts: unknown) => listIds(await api.post('query-table/products', { sorts, perPage: 100 }))

type Key = number | string | null
type Direction = 'asc' | 'desc'

/** Missing values last in both directions, ties by the key in the direction of the sort. */
function expectedOrder(keyOf: (row: Product) => Key, direction: Direction): readonly number[] {
  const sign = direction === 'asc' ? 1 : -1
  const compare = (a: Product, b: Product) => {
    const left = keyOf(a)
    const right = keyOf(b)
    if (left === right) return sign * (a.id - b.id)
    if (left === null || right === null) return left === null ? 1 : -1
    return sign * (left < right ? -1 : 1)
  }
  return northRows.toSorted(compare).map(({ id }) => id)
}

const categories: readonly (string | null)[] = ['tool', 'food', 'toy']
const numeric = (text: string | null): Key => (text === null ? null : Number(text))

const columns: readonly (readonly [string, (row: Product) => Key])[] = [
  ['id', (row) => row.id],
  ['price', (row) => numeric(row.price)],
  ['stock', (row) => row.stock],
  ['weight', (row) => row.weight],
  ['active', (row) => (row.active === null ? null : Number(row.active))],
  ['category', (row) => (row.category === null ? null : categories.indexOf(row.category))],
  ['made_on', (row) => row.made_on],
  [
    'sold_at',
    (row) => (row.sold_at === null ? null : row.sold_at.replace(/(\.\d+)?Z/, (_, part = '.0') => part.padEnd(7, '0'))),
  ],
  ['value', (row) => (row.price === null || row.stock === null ? null : Number(row.price) * row.stock)],
  ['supplier__home__name', (row) => countryOrder(row)],
]

const countryOrder = (row: Product): Key => {
  const country = supplierRows.find(({ id }) => id === row.supplier_id)?.country ?? null
  return country === null ? null : ['FR', 'SA', 'EG'].indexOf(country)
}

describe('a sort by a field and a direction', () => {
  it.each(columns.flatMap(([field, keyOf]) => [[field, 'asc', keyOf] as const, [field, 'desc', keyOf] as const]))(
    'orders by %s %s, missing values last',
    async (field, direction, keyOf) => {
      expect(await sortIds([{ field, direction }])).toEqual(expectedOrder(keyOf, direction))
    },
  )

  it('takes several sorts, the first one first', async () => {
    const ids = await sortIds([
      { field: 'category', direction: 'asc' },
      { field: 'stock', direction: 'desc' },
    ])
    const tools = northRows.filter(({ category }) => category === 'tool').map(({ id }) => id)
    expect((ids as number[]).slice(0, 4)).toEqual([13, 14, 8, 11])
    expect((ids as number[]).slice(0, tools.length).toSorted((a, b) => a - b)).toEqual(tools)
  })

  it.each([undefined, null, 'asc', 'ASC', 'Asc'])('reads the direction %j as ascending', async (direction) => {
    expect(await sortIds([{ field: 'id', direction }])).toEqual(northRows.map(({ id }) => id))
  })
})

describe('the default sort', () => {
  it.each([{}, { sorts: [] }, { sorts: null }, { sorts: {} }])(
    '%j is sorted by defSortCol and defSortDir of the structure',
    async (body) => {
      const { defSortCol, defSortDir } = (await api.get('load-table/products')).json
      const asked = await sortIds([{ field: defSortCol, direction: defSortDir }])
      expect(listIds(await api.post('query-table/products', { ...body, perPage: 100 }))).toEqual(asked)
      expect([defSortCol, defSortDir]).toEqual(['name', 'desc'])
    },
  )

  it('is used where every sort of the request is unknown', async () => {
    expect(await sortIds([{ field: 'note', direction: 'asc' }])).toEqual(await sortIds([]))
  })
})

describe('the order is total and stable', () => {
  it.each([
    ['asc', [1, 2, 11, 23]],
    ['desc', [23, 11, 2, 1]],
  ])('ties of a sort %s are broken by the row key', async (direction, ids) => {
    const body = { filters: [{ field: 'price', value: '12.5' }], sorts: [{ field: 'price', direction }] }
    const response = await api.post('query-table/products', body, { as: { sub: 'audrey', role: 'auditor' } })
    expect(listIds(response)).toEqual(ids)
  })
})

describe('a client cannot sort outside the sortables', () => {
  it.each([
    'note',
    'tenant',
    'tags',
    'code',
    'supplier_id',
    'supplier__id',
    'actions',
    'Name',
    'name ',
    'name; --',
    '__proto__',
    '',
  ])('"%s" is answered without it, with a warning', async (field) => {
    const response = await api.post('query-table/products', { sorts: [{ field, direction: 'asc' }], perPage: 100 })
    expect(response.status).toBe(200)
    expect(response.json.warnings).toEqual([{ code: 'unknown_sort', field }])
    expect(listIds(response)).toEqual(await sortIds([]))
  })
})

describe('sorts that cannot be read are 422', () => {
  it.each([
    [[{ field: 'name', direction: 'up' }], 'sorts.name'],
    [[{ field: 'name', direction: 'asc; drop table products' }], 'sorts.name'],
    [[{ field: 'name', direction: 1 }], 'sorts.name'],
    [[{ field: 'name', direction: {} }], 'sorts.name'],
    [[{ direction: 'asc' }], 'sorts.0.field'],
    [[{ field: 5, direction: 'asc' }], 'sorts.0.field'],
    [[{ field: {} }], 'sorts.0.field'],
    [['name'], 'sorts.0.field'],
    [[null], 'sorts.0.field'],
    ['name', 'sorts'],
    [7, 'sorts'],
    [Array.from({ length: 11 }, () => ({ field: 'name' })), 'sorts'],
  ])('%j', async (sorts, field) => {
    const response = await api.post('query-table/products', { sorts })
    expectFailure(response, { status: 422, code: 'validation_failed', field })
  })
})

it('a field sorted by twice counts once', async () => {
  const twice = [
    { field: 'id', direction: 'desc' },
    { field: 'id', direction: 'asc' },
  ]
  expect(await sortIds(twice)).toEqual(northRows.map(({ id }) => id).toReversed())
})
