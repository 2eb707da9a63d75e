import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { south } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'

const api = await startFixtureApi()

const refetch = async (table: string, row_ids: unknown, options = {}) =>
  await api.post(`multi-row-refetch/${table}`, { row_ids }, options)

describe('multi-row-refetch', () => {
  it.each(['products', 'samples', 'tasks', 'visits', 'ledger', 'documents', 'devices'])(
    'returns the rows of %s exactly as query-table does',
    async (table) => {
      const { items } = (await api.post(`query-table/${table}`, { perPage: 100 })).json
      const { status, json } = await refetch(
        table,
        items.map(({ id }: { id: unknown }) => id),
      )
      expect(status).toBe(200)
      expect(json).toEqual({ success: true, items, missing: [] })
    },
  )

  it('keeps the order of row_ids', async () => {
    expect(listIds(await refetch('products', [9, 1, 22, 4]))).toEqual([9, 1, 22, 4])
  })

  it('names removed rows and rows outside the scope as missing, in their order', async () => {
    const { status, json } = await refetch('products', [23, 2, 999, 1, 24])
    expect(status).toBe(200)
    expect(json.items.map((item: { id: number }) => item.id)).toEqual([2, 1])
    expect(json.missing).toEqual([23, 999, 24])
    expect(listIds(await refetch('products', [23, 2, 24], { as: south }))).toEqual([23, 24])
  })

  it('counts a duplicate once, whether text or number', async () => {
    expect((await refetch('products', [1, '1', 2, 1, 999, '999'])).json).toMatchObject({
      items: [{ id: 1 }, { id: 2 }],
      missing: [999],
    })
  })

  it('returns a row once whose id is spelled in two ways', async () => {
    const id = 'B81BC81B-DEAD-4E5D-ABFF-90865D1E13B1'
    const { json } = await refetch('devices', [id, id.toLowerCase()])
    expect(json).toMatchObject({ items: [{ id: id.toLowerCase() }], missing: [] })
  })

  it.each([
    ['products', '999', 999],
    ['ledger', 404, '404'],
    ['devices', 'A0000000-DEAD-4E5D-ABFF-90865D1E13B1', 'a0000000-dead-4e5d-abff-90865d1e13b1'],
  ])('names a missing row of %s by the id that its item would have: %j', async (table, asked, id) => {
    expect((await refetch(table, [asked])).json.missing).toEqual([id])
  })

  it('returns nothing for an empty list', async () => {
    expect((await refetch('products', [])).json).toEqual({ success: true, items: [], missing: [] })
  })

  it.each([
    ...['one', '', ' 1', '01', '1.0', '1e0', '-0', '２', '\u0000', '\ud800', '1; drop table products', '__proto__'],
    ...[0, -1, 2 ** 31, 2 ** 53 - 1, '9223372036854775808', 'x'.repeat(2_000)],
  ])('names an id that no row can have as missing: %j', async (id) => {
    expect((await refetch('products', [1, id])).json).toMatchObject({
      items: [{ id: 1 }],
      missing: [expect.anything()],
    })
  })

  it.each([
    [undefined, 'row_ids'],
    [null, 'row_ids'],
    ['1', 'row_ids'],
    [1, 'row_ids'],
    [{}, 'row_ids'],
    [{ 0: 1, length: 1 }, 'row_ids'],
    [true, 'row_ids'],
    [[null], 'row_ids.0'],
    [[1, {}], 'row_ids.1'],
    [[1, [2]], 'row_ids.1'],
    [[1, 2, true], 'row_ids.2'],
    [[1.5], 'row_ids.0'],
    [[2 ** 53], 'row_ids.0'],
    [Array.from({ length: 1_001 }, (_, index) => index), 'row_ids'],
    [Array.from({ length: 65_535 }, (_, index) => index), 'row_ids'],
  ])('answers 422 naming %j if row_ids cannot be read', async (ids, field) => {
    expectFailure(await refetch('products', ids), { status: 422, code: 'validation_failed', field })
  })

  it('answers 422 to a number that JSON has already rounded', async () => {
    const response = await api.post('multi-row-refetch/ledger', '{"row_ids": ["7", 9007199254740993]}')
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'row_ids.1' })
  })

  it('takes 1,000 ids', async () => {
    const ids = Array.from({ length: 1_000 }, (_, index) => index + 1)
    const { json } = await refetch('products', ids)
    expect(json.items).toHaveLength(22)
    expect(json.missing).toHaveLength(978)
  })

  it('accepts UUIDs of either case among ids that are none', async () => {
    const { json } = await refetch('devices', ['B81BC81B-DEAD-4E5D-ABFF-90865D1E13B1', 'nothing', 5])
    expect(json).toMatchObject({ items: [{ id: 'b81bc81b-dead-4e5d-abff-90865d1e13b1' }], missing: ['nothing', 5] })
  })

  it('applies the params of the body to the scope', async () => {
    const { json } = await api.post('multi-row-refetch/stocked', { row_ids: [1, 3], params: { min_stock: 50 } })
    expect(json).toMatchObject({ items: [{ id: 3 }], missing: [1] })
  })

  it('answers 404 for a table that is not registered', async () => {
    expectFailure(await refetch('nothing', [1]), { status: 404, code: 'table_not_found' })
  })
})
