import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { northRows, type Product } from '../support/fixtures/fixture-rows.ts'
import { selectedIds } from '../support/fixtures/list-ids.ts'

const api = await startFixtureApi()

/** Row 2 begins February in Riyadh, row 4 begins March, row 5 has no dates. */
describe('dates of a table in Asia/Riyadh', () => {
  it.each([
    ['>=', '2026-02-01', [2, 3, 4]],
    ['>', '2026-02-01', [3, 4]],
    ['<', '2026-02-01', [1]],
    ['<=', '2026-01-31', [1]],
    ['<=', '2026-02-28', [1, 2, 3]],
    ['=', '2026-02-28', [3]],
    ['=', '2026-03-01', [4]],
    ['!=', '2026-03-01', [1, 2, 3, 5]],
    ['between', ['2026-02-01', '2026-02-28'], [2, 3]],
    ['between', '2026-02-01 - 2026-02-28', [2, 3]],
    ['between', '01-02-2026 - 28-02-2026', [2, 3]],
    ['between', '2026-03-01 - 2026-01-01', []],
    ['>=', '01-02-2026', [2, 3, 4]],
    ['>=', { from: '2026-02-01', to: '2026-02-28' }, [2, 3]],
    ['>=', { from: '2026-02-28' }, [3, 4]],
    ['>=', { to: '2026-01-31' }, [1]],
    ['>=', { from: '', to: '2026-01-31' }, [1]],
    ['>=', { from: null, to: '01-02-2026' }, [1, 2]],
  ])('a whole day means the table’s day for every kind of column: %s %j', async (operator, value, expected) => {
    for (const name of ['at', 'clock', 'day']) {
      expect(await selectedIds(api, 'visits', [{ field: `${name}_from`, operator, value }]), name).toEqual(expected)
    }
  })

  it.each([
    ['2026-01-31T21:00:00Z', [2, 3, 4]],
    ['2026-02-01T00:00:00+03:00', [2, 3, 4]],
    ['2026-02-01T00:00:00+0300', [2, 3, 4]],
    ['2026-02-01T00:00', [2, 3, 4]],
    ['2026-02-01 00:00:00', [2, 3, 4]],
    ['2026-02-01 00:00:00.001', [3, 4]],
    [Date.UTC(2026, 0, 31, 21), [2, 3, 4]],
    [String(Date.UTC(2026, 0, 31, 21)), [2, 3, 4]],
    [Date.UTC(2026, 0, 31, 21) + 1, [3, 4]],
  ])('a moment, also without an offset, is read in the table’s time zone: %j', async (value, expected) => {
    for (const name of ['at', 'clock']) {
      const filters = [{ field: `${name}_from`, operator: '>=', value }]
      expect(await selectedIds(api, 'visits', filters), name).toEqual(expected)
    }
  })

  it('a date as an upper bound on the "to" entry includes that whole day', async () => {
    for (const name of ['at', 'clock', 'day']) {
      const filters = [
        { field: `${name}_from`, operator: '>=', value: '2026-02-01' },
        { field: `${name}_to`, operator: '<=', value: '2026-02-28' },
      ]
      expect(await selectedIds(api, 'visits', filters), name).toEqual([2, 3])
    }
  })
})

const riyadh = { from: '2026-01-31T21:00:00.000Z', to: '2026-02-27T21:00:00.000Z' }
const newYork = { from: '2026-02-01T05:00:00.000Z', to: '2026-02-28T05:00:00.000Z' }
const auckland = { from: '2026-01-31T11:00:00.000Z', to: '2026-02-27T11:00:00.000Z' }
const fiji = { from: '2026-01-31T12:00:00.000Z', to: '2026-02-27T12:00:00.000Z' }

describe('the days of {from, to}, picked from 1 to 28 February', () => {
  it.each([
    ['Riyadh', riyadh],
    ['Riyadh, in milliseconds', { from: Date.parse(riyadh.from), to: String(Date.parse(riyadh.to)) }],
    ['Riyadh, with its offset', { from: '2026-02-01T00:00:00+03:00', to: '2026-02-28T00:00:00+03:00' }],
    ['New York', newYork],
    ['Fiji', fiji],
    ['no zone', { from: '2026-02-01T00:00', to: '2026-02-28 00:00:00' }],
    ['a picker that sends the last moment of a day', { from: newYork.from, to: '2026-02-28T20:59:59.999Z' }],
  ])('are both whole for plain dates, with the local midnights of %s', async (_, value) => {
    expect(await selectedIds(api, 'visits', [{ field: 'day_from', value }])).toEqual([2, 3])
  })

  it.each(['at', 'clock'])(
    'are both whole for moments (%s), with the local midnights of the table’s zone',
    async (name) => {
      for (const value of [riyadh, { from: '2026-02-01T00:00', to: '2026-02-28T00:00' }]) {
        expect(await selectedIds(api, 'visits', [{ field: `${name}_from`, value }])).toEqual([2, 3])
      }
    },
  )

  it.each([
    ['New York', newYork, [3, 4]],
    ['Auckland', auckland, [1, 2]],
  ])('are the days of the client for moments, with the local midnights of %s', async (_, value, expected) => {
    for (const name of ['at', 'clock']) {
      expect(await selectedIds(api, 'visits', [{ field: `${name}_from`, value }]), name).toEqual(expected)
    }
  })

  it('are one of two conditions where the same filter is sent twice, and both hold', async () => {
    const days = (value: object) => ({ field: 'day_from', value })
    const first = days({ from: '2026-02-01', to: '2026-02-28' })
    const second = days({ from: '2026-01-01', to: '2026-02-01' })
    expect(await selectedIds(api, 'visits', [first, second])).toEqual([2])
    expect(await selectedIds(api, 'visits', [second, first])).toEqual([2])
  })

  it('are a value of their own in an object of filters, and stay one beside other keys', async () => {
    const select = async (filters: object) => {
      const { json } = await api.post('query-table/visits', { filters })
      return json.items.map(({ id }: { readonly id: number }) => id)
    }
    expect(await select({ day_from: riyadh })).toEqual([2, 3])
    expect(await select({ day_from: { value: riyadh, operator: '>=' } })).toEqual([2, 3])
    expect(await select({ day_from: { from: riyadh.from } })).toEqual([2, 3, 4])
  })

  it('may lack an end, and are the last moment of a day where a picker sends that', async () => {
    const select = (value: object) => selectedIds(api, 'visits', [{ field: 'at_from', value }])
    expect(await select({ to: riyadh.to })).toEqual([1, 2, 3])
    expect(await select({ from: riyadh.from })).toEqual([2, 3, 4])
    expect(await select({ from: riyadh.from, to: '2026-02-28T20:59:59.999Z' })).toEqual([2, 3])
  })
})

describe('dates of a table in the service’s time zone', () => {
  const soldOn = (row: Product) => row.sold_at?.slice(0, 10) ?? ''

  it.each<[string, string, string, (row: Product) => boolean]>([
    ['sold_any_from', '=', '2026-01-01', (row) => soldOn(row) === '2026-01-01'],
    ['sold_any_from', '<=', '2025-12-31', (row) => soldOn(row) !== '' && soldOn(row) <= '2025-12-31'],
    ['sold_any_from', '!=', '2026-01-01', (row) => soldOn(row) !== '2026-01-01'],
    ['made_any_from', '=', '2024-02-29', (row) => row.made_on === '2024-02-29'],
    ['made_any_from', '>', '2026-03-01', (row) => (row.made_on ?? '') > '2026-03-01'],
    ['sold_at_to', '<=', '2026-01-01', (row) => soldOn(row) !== '' && soldOn(row) <= '2026-01-01'],
  ])('%s %s %s', async (field, operator, value, holds) => {
    const expected = northRows.filter(holds).map(({ id }) => id)
    expect(await selectedIds(api, 'products', [{ field, operator, value }])).toEqual(expected)
  })

  it('is TIME_ZONE where the table names none', async () => {
    const filters = [{ field: 'sold_any_from', operator: '=', value: '2026-01-01' }]
    const riyadh = api.variant({ TIME_ZONE: 'Asia/Riyadh' })
    expect(await selectedIds(api, 'products', filters)).toEqual([1, 2, 11])
    expect(await selectedIds(riyadh, 'products', filters)).toEqual([1, 11, 12])
  })
})
