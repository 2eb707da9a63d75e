import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { northRows, type Product, supplierRows } from '../support/fixtures/fixture-rows.ts'
import { selectedIds } from '../support/fixtures/list-ids.ts'

const api = await startFixtureApi()

type Case = readonly [field: string, operator: string, value: unknown, holds: (row: Product) => unknown]

const inIgnoringCase = (text: string | null, part: string) => text?.toLowerCase().includes(part.toLowerCase())
const price = (row: Product) => (row.price === null ? Number.NaN : Number(row.price))
const stock = (row: Product) => row.stock ?? Number.NaN
const weight = (row: Product) => row.weight ?? Number.NaN
const findCountry = (row: Product) => supplierRows.find(({ id }) => id === row.supplier_id)?.country
const letters = (digit: string) => northRows.find(({ code }) => code?.startsWith(digit))?.code

const texts: readonly Case[] = [
  ['name', '=', 'Hammer', (row) => row.name === 'Hammer'],
  ['name', '=', 'تفاح', (row) => row.name === 'تفاح'],
  ['name', 'like', 'HAMM', (row) => inIgnoringCase(row.name, 'hamm')],
  ['name', 'like', 'طرق', (row) => inIgnoringCase(row.name, 'طرق')],
  ['name', 'like', '', () => true],
  ['name_any', '!=', 'Hammer', (row) => row.name !== 'Hammer'],
  ['name_any', 'not like', 'a', (row) => !inIgnoringCase(row.name, 'a')],
  ['name_any', 'in', ['Hammer', 'Saw', 'Nobody'], (row) => ['Hammer', 'Saw'].includes(row.name)],
  ['name_any', 'in', 'Hammer, Saw', (row) => ['Hammer', 'Saw'].includes(row.name)],
  ['name_any', 'in', [], () => false],
  ['name_any', 'not in', ['Hammer', 'Saw'], (row) => !['Hammer', 'Saw'].includes(row.name)],
  ['name', '=', 7, () => false],
  ['note', '=', '', (row) => row.note === ''],
  ['note', 'like', '%', (row) => row.note?.includes('%')],
  ['note', 'like', '_', (row) => row.note?.includes('_')],
  ['note', 'like', '\\', (row) => row.note?.includes('\\')],
  ['note', 'like', "'", (row) => row.note?.includes("'")],
  ['note', 'like', '"', (row) => row.note?.includes('"')],
  ['note', '=', '50% off', (row) => row.note === '50% off'],
  ['code', '=', letters('a'), (row) => row.code?.startsWith('a')],
  ['code', '=', letters('a')?.toUpperCase(), (row) => row.code?.startsWith('a')],
  ['code', '=', 'no code at all', () => false],
  ['code', 'like', 'bbbb', (row) => row.code?.includes('bbbb')],
  ['code', '!=', letters('a'), (row) => !row.code?.startsWith('a')],
  ['code', 'in', [letters('a'), 'no code'], (row) => row.code?.startsWith('a')],
  ['country_name', 'like', 'fran', (row) => findCountry(row) === 'FR'],
  ['country_name', '=', 'مصر', (row) => findCountry(row) === 'EG'],
]

const numbers: readonly Case[] = [
  ['stock', '=', 5, (row) => row.stock === 5],
  ['stock', '=', '5', (row) => row.stock === 5],
  ['stock', '=', ' 5.0 ', (row) => row.stock === 5],
  ['stock', '=', '5e0', (row) => row.stock === 5],
  ['stock', '=', 5.5, () => false],
  ['stock', '>=', 4.5, (row) => stock(row) >= 4.5],
  ['stock', '<=', '-0.5', (row) => stock(row) <= -0.5],
  ['stock', '<=', 2147483647, (row) => row.stock !== null],
  ['stock', '>=', '99999999999999999999', () => false],
  ['stock', '<=', '99999999999999999999', (row) => row.stock !== null],
  ['stock', '>=', '-1e30', (row) => row.stock !== null],
  ['stock', '=', '1e30', () => false],
  ['stock_any', '!=', 5, (row) => row.stock !== 5],
  ['stock_any', '!=', 5.5, () => true],
  ['stock_any', '<', 5, (row) => stock(row) < 5],
  ['stock_any', '>', 5, (row) => stock(row) > 5],
  ['stock_any', 'in', [5, '7', 5.5, '1e30'], (row) => [5, 7].includes(stock(row))],
  ['stock_any', 'in', '5,7', (row) => [5, 7].includes(stock(row))],
  ['stock_any', 'in', 5, (row) => row.stock === 5],
  ['stock_any', 'not in', [5, 7], (row) => ![5, 7].includes(stock(row))],
  ['stock_any', 'between', [2, 5], (row) => stock(row) >= 2 && stock(row) <= 5],
  ['stock_any', 'between', '2 - 5', (row) => stock(row) >= 2 && stock(row) <= 5],
  ['stock_any', 'between', '-3 - 0', (row) => stock(row) >= -3 && stock(row) <= 0],
  ['stock_any', 'between', [5, 2], () => false],
  ['stock_any', 'between', ['1.5', 4.5], (row) => stock(row) >= 1.5 && stock(row) <= 4.5],
  ['price', '=', '12.5', (row) => price(row) === 12.5],
  ['price', '=', 0.1, (row) => price(row) === 0.1],
  ['price', '!=', 0.1, (row) => price(row) !== 0.1],
  ['price', '>', '1000', (row) => price(row) > 1000],
  ['price', '<', '0.01', () => false],
  ['price', 'in', ['0.10', '0.3'], (row) => [0.1, 0.3].includes(price(row))],
  ['price', 'between', '0.1 - 0.5', (row) => price(row) >= 0.1 && price(row) <= 0.5],
  ['price', '>=', '123456789012345678901234567890', () => false],
  ['weight', '=', '0.1', (row) => row.weight === 0.1],
  ['weight', '>=', 0.2, (row) => weight(row) >= 0.2],
  ['weight', 'in', [0.1, '1.5'], (row) => [0.1, 1.5].includes(weight(row))],
  ['weight', 'between', [0.1, 0.3], (row) => weight(row) >= 0.1 && weight(row) <= 0.3],
  ['value', '>=', 100, (row) => price(row) * stock(row) >= 100],
  ['value', '=', '62.5', (row) => price(row) * stock(row) === 62.5],
  ['value', 'in', ['62.5', 10], (row) => [62.5, 10].includes(Math.round(price(row) * stock(row) * 1e4) / 1e4)],
]

const choices: readonly Case[] = [
  ['category', '=', 'tool', (row) => row.category === 'tool'],
  ['category', '=', 'all', () => true],
  ['category_any', '!=', 'tool', (row) => row.category !== 'tool'],
  ['category_any', 'in', ['tool', 'toy'], (row) => row.category === 'tool' || row.category === 'toy'],
  ['category_any', 'not in', 'tool,toy', (row) => row.category !== 'tool' && row.category !== 'toy'],
  ['categories', 'in', ['food'], (row) => row.category === 'food'],
  ['categories', 'in', 'food,toy', (row) => row.category === 'food' || row.category === 'toy'],
  ['categories', 'in', 'all', () => true],
  ['supplier', '=', 2, (row) => row.supplier_id === 2],
  ['supplier', '=', '2', (row) => row.supplier_id === 2],
  ['country', '=', 'SA', (row) => findCountry(row) === 'SA'],
  ['active', '=', true, (row) => row.active === true],
  ['active', '=', '1', (row) => row.active === true],
  ['active', '=', 1, (row) => row.active === true],
  ['active', '=', 'true', (row) => row.active === true],
  ['active', '=', false, (row) => row.active === false],
  ['active', '=', '0', (row) => row.active === false],
  ['active', '=', 0, (row) => row.active === false],
  ['active', '=', 'false', (row) => row.active === false],
  ['active', '=', 'all', () => true],
  ['has_note', '=', 'set', (row) => row.note !== null],
  ['has_note', '=', 'not_set', (row) => row.note === null],
  ['has_note', '=', '1', (row) => row.note !== null],
  ['has_note', '=', false, (row) => row.note === null],
  ['has_note', '=', 'all', () => true],
]

describe('a filter selects exactly the rows that fit', () => {
  it.each([...texts, ...numbers, ...choices])('%s %s %j', async (field, operator, value, holds) => {
    const expected = northRows.filter(holds).map(({ id }) => id)
    expect(await selectedIds(api, 'products', [{ field, operator, value }])).toEqual(expected)
  })
})

describe('several filters', () => {
  it('several filters must all match a row, also two on one field', async () => {
    const filters = [
      { field: 'stock', operator: '>=', value: 5 },
      { field: 'stock', operator: '<=', value: '50' },
      { field: 'country', operator: '=', value: 'FR' },
      { field: 'active', operator: '=', value: '1' },
    ]
    const fits = (row: Product) =>
      stock(row) >= 5 && stock(row) <= 50 && findCountry(row) === 'FR' && row.active === true
    expect(await selectedIds(api, 'products', filters)).toEqual(northRows.filter(fits).map(({ id }) => id))
  })

  it('are two for "=" and one for "like" if they differ in case alone', async () => {
    const ask = async (operator: string) => {
      const filters = ['Hammer', 'HAMMER'].map((value) => ({ field: 'name', operator, value }))
      return (await api.post('query-table/products', { filters })).json.pagination.total
    }
    expect(await ask('=')).toBe(0)
    expect(await ask('like')).toBe(northRows.filter(({ name }) => inIgnoringCase(name, 'hammer')).length)
  })

  it('take the value "all" of a text filter as a text like any other', async () => {
    const filters = [{ field: 'name', operator: '=', value: 'all' }]
    expect((await api.post('query-table/products', { filters })).json.pagination.total).toBe(0)
  })

  it('use the first operator of a filter by default', async () => {
    expect(await selectedIds(api, 'products', [{ field: 'name_any', value: 'hamm' }])).toEqual([1, 2])
    expect(await selectedIds(api, 'products', [{ field: 'name', value: 'Hammer', operator: '' }])).toEqual([1])
  })

  it('filters that exclude every row give empty items, never an error', async () => {
    const { status, json } = await api.post('query-table/products', { filters: [{ field: 'name', value: 'nothing' }] })
    expect(status).toBe(200)
    expect(json).toMatchObject({ items: [], pagination: { total: 0, last_page: 1, from: null, to: null } })
  })
})

describe('exact numbers', () => {
  it.each([
    ['id', '=', '9007199254740993', ['9007199254740993']],
    ['id', '=', '9007199254740993.0', ['9007199254740993']],
    ['id', '=', '9007199254740993.5', []],
    ['id', '>=', '9223372036854775807', ['9223372036854775807']],
    ['id', '>', '9223372036854775807', []],
    ['id', 'in', ['9007199254740993', '7'], ['7', '9007199254740993']],
    ['id', 'between', ['9007199254740993', '9007199254740993'], ['9007199254740993']],
    ['amount', '=', '12345678901234567890.123', ['7']],
    ['amount', '>', '12345678901234567890.1229', ['7']],
    ['amount', '<', '0', ['-9007199254740995']],
  ])('ledger.%s %s %j', async (field, operator, value, expected) => {
    const { json } = await api.post('query-table/ledger', { filters: [{ field, operator, value }] })
    expect(json.items.map((item: { id: unknown }) => String(item.id))).toEqual(expected)
  })
})
