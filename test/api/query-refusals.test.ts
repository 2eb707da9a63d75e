import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'

const api = await startFixtureApi()

const expectRefusal = async (table: string, field: string, operator: unknown, value: unknown) => {
  const response = await api.post(`query-table/${table}`, { filters: [{ field, operator, value }] })
  expectFailure(response, { status: 422, code: 'validation_failed', field: `filters.${field}` })
  return response.json
}

describe('an operator that the filter does not allow is answered 422 and names the filter', () => {
  it.each([
    ['name', '<='],
    ['name', 'in'],
    ['name', 'LIKE'],
    ['name', 'ilike'],
    ['name', '; drop table products'],
    ['name', {}],
    ['name', ['=']],
    ['name', 1],
    ['stock', 'like'],
    ['stock', '!='],
    ['category', 'in'],
    ['category', 'like'],
    ['categories', '='],
    ['active', '!='],
    ['has_note', 'is'],
    ['sold_at_from', '<='],
    ['sold_at_to', '>='],
    ['sold_any_to', '='],
    ['value', '!='],
  ])('%s %j', async (field, operator) => {
    const { fields } = await expectRefusal('products', field, operator, '2026-01-01')
    expect(fields[`filters.${field}`][0]).toContain('operators')
  })

  it('the text filter allows only = and like', async () => {
    const { fields } = await expectRefusal('products', 'name', '!=', 'x')
    expect(fields['filters.name']).toEqual(['must use one of the operators =, like'])
  })
})

describe('a value that cannot be read as the filter’s type is answered 422 and names the filter', () => {
  it.each([
    ...['five', '', ' ', '1,5', '0x10', 'NaN', 'Infinity', '1e400', '--1', true, [1], {}].map((v) => ['stock', '=', v]),
    ...['five', '', 'NaN', null, {}, '1e999'].map((v) => ['price', '=', v]),
    ...['x', ['x'], [{}], [null], {}, true].map((v) => ['price', 'in', v]),
    ...[[1], [1, 2, 3], '1-2', '1 - ', 5, {}, ['a', 'b']].map((v) => ['stock_any', 'between', v]),
    ...['yes', 2, '', 'TRUE', [], {}, -1].map((v) => ['active', '=', v]),
    ...['boat', '', 'Tool', 5, {}, ['tool']].map((v) => ['category', '=', v]),
    ...[['tool', 'boat'], 'tool,boat', [null], {}].map((v) => ['categories', 'in', v]),
    ...['maybe', '', 2, {}].map((v) => ['has_note', '=', v]),
    ...[{}, [], true, null, undefined].map((v) => ['name', '=', v]),
    ...['2026-02-30', '2026-13-01', '31-02-2026', '0000-01-01', '10000-01-01', 'today'].map((v) => [
      'sold_at_from',
      '>=',
      v,
    ]),
    ...['infinity', '-infinity', 'now', '', '2026-01-01T25:00', '2026-01-01T00:60', 1.5].map((v) => [
      'sold_at_from',
      '>=',
      v,
    ]),
    ...['9999999999999999', -1e16, true, [], {}, { from: 'x' }, { to: '2026-02-31' }].map((v) => [
      'sold_at_from',
      '>=',
      v,
    ]),
    ...[['2026-01-01'], '2026-01-01', '2026-01-01 - x'].map((v) => ['made_any_from', 'between', v]),
  ])('%s %s %j', async (field, operator, value) => {
    await expectRefusal('products', String(field), operator, value)
  })

  it.each(['\u0000', 'a\u0000b', '\ud800', 'x\udfff'])('text that no database holds: %j', async (value) => {
    await expectRefusal('products', 'name', 'like', value)
  })

  it('a UUID select takes UUIDs only', async () => {
    await expectRefusal('devices', 'serial', '=', 'a81bc81b')
    await expectRefusal('devices', 'serial', 'in', ['a81bc81b-dead-4e5d-abff-90865d1e13b1', 'x'])
  })
})

describe('limits', () => {
  it('accept a text of 1,000 characters, and refuse one more with 422', async () => {
    const filters = (length: number) => ({ filters: [{ field: 'name', operator: 'like', value: 'ض'.repeat(length) }] })
    expect((await api.post('query-table/products', filters(1_000))).json.items).toEqual([])
    const response = await api.post('query-table/products', filters(1_001))
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'filters.name' })
  })

  it('accept 100 filters, and refuse one more with 422', async () => {
    const filters = (count: number) => ({
      filters: Array.from({ length: count }, () => ({ field: 'stock', value: 5 })),
    })
    expect((await api.post('query-table/products', filters(100))).json.pagination.total).toBe(3)
    const response = await api.post('query-table/products', filters(101))
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'filters' })
  })

  it('accept 5 different conditions on one filter, and refuse one more with 422', async () => {
    const filters = (count: number) => ({
      filters: Array.from({ length: count }, (_, value) => ({ field: 'stock', value })),
    })
    expect((await api.post('query-table/products', filters(5))).json.items).toEqual([])
    const response = await api.post('query-table/products', filters(6))
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'filters.stock' })
  })

  it.each([
    ['a list', (count: number) => Array.from({ length: count }, (_, index) => index)],
    ['commas', (count: number) => Array.from({ length: count }, (_, index) => index).join(',')],
  ])('accept 1,000 values of `in` as %s, and refuse one more with 422', async (_, values) => {
    const body = (count: number) => ({ filters: [{ field: 'stock_any', operator: 'in', value: values(count) }] })
    expect((await api.post('query-table/products', body(1_000))).status).toBe(200)
    const response = await api.post('query-table/products', body(1_001))
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'filters.stock_any' })
  })
})

it('every wrong field is named at once, with messages in the language of the caller', async () => {
  const body = {
    filters: [
      { field: 'stock', value: 'x' },
      { field: 'active', value: 'x' },
    ],
    sorts: [{ field: 'name', direction: 'up' }],
  }
  const { json } = await api.post('query-table/products', body, { headers: { ln: 'ar' } })
  expect(json.fields).toEqual({
    'filters.stock': ['يجب أن يكون عددًا'],
    'filters.active': ['يجب أن يكون true أو false'],
    'sorts.name': ['يجب أن يكون asc أو desc'],
  })
  expect(json.errors).toContain('filters.stock: must be a number')
})
