import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { south } from '../support/fixtures/identities.ts'

const api = await startFixtureApi()

const missing = { status: 404, code: 'row_not_found' }

describe('row-refetch', () => {
  it.each(['products', 'samples', 'tasks', 'visits', 'deals', 'stocked'])(
    'returns each row of %s exactly as query-table does',
    async (table) => {
      const { items } = (await api.post(`query-table/${table}`, { perPage: 100 })).json
      const rows = await Promise.all(items.map(({ id }: { id: number }) => api.post(`row-refetch/${table}/${id}`)))
      expect(items.length).toBeGreaterThan(0)
      expect(rows.map(({ json }) => json)).toEqual(items.map((row: object) => ({ success: true, data: { row } })))
    },
  )

  it.each([undefined, '', '{}', { selected_ids: [] }, { anything: 1 }])('needs no body, and takes %j', async (body) => {
    const { status, json } = await api.post('row-refetch/products/1', body)
    expect(status).toBe(200)
    expect(json.data.row.id).toBe(1)
  })

  it('returns what is in the database now', async () => {
    const postgres = (await import('postgres')).default
    const sql = postgres(api.databaseUrl, { max: 1 })
    await sql`update documents set title = 'changed' where path = 'a'`
    await sql.end()
    expect((await api.post('row-refetch/documents/a')).json.data.row.title).toBe('changed')
  })

  it('a row that is gone and one outside the caller’s scope look the same', async () => {
    const [gone, outside] = await Promise.all([
      api.post('row-refetch/products/999'),
      api.post('row-refetch/products/23'),
    ])
    expectFailure(gone, missing)
    expectFailure(outside, missing)
    const { request_id: _, ...first } = gone.json
    const { request_id: __, ...second } = outside.json
    expect(second).toEqual(first)
    expect((await api.post('row-refetch/products/23', {}, { as: south })).status).toBe(200)
  })

  it.each([
    ...['0', '-1', '1.0', '01', '+1', ' 1', '1e0', '0x1', 'one', 'NaN', 'null', '1 or 1=1', "1'--", '２'],
    ...['2147483648', '-2147483649', '9223372036854775808', '99999999999999999999999999', '1'.repeat(1_001)],
    ...['%00', '~', '~x', '~AAAA', '~%00', '%F0%9F%98%80', '__proto__'],
  ])('"%s" is the id of no row of an integer key', async (id) => {
    const path = id.includes('%') ? id : encodeURIComponent(id)
    expectFailure(await api.post(`row-refetch/products/${path}`), missing)
  })

  it.each(['a81bc81b-dead-4e5d-abff-90865d1e13b2', 'a81bc81b', 'a81bc81bdead4e5dabff90865d1e13b1', '1'])(
    '"%s" is the id of no row of a UUID key',
    async (id) => {
      expectFailure(await api.post(`row-refetch/devices/${id}`), missing)
    },
  )

  it('takes a UUID in either case', async () => {
    const { json } = await api.post('row-refetch/devices/A81BC81B-DEAD-4E5D-ABFF-90865D1E13B1')
    expect(json.data.row).toMatchObject({ id: 'a81bc81b-dead-4e5d-abff-90865d1e13b1', label: 'first' })
  })

  it.each([
    ['-9007199254740995', '-9007199254740995'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740994', '9007199254740994'],
    ['9223372036854775807', '9223372036854775807'],
    ['7', '7'],
  ])('the big id %s is the text %j on every endpoint', async (path, id) => {
    const [one, many, page] = await Promise.all([
      api.post(`row-refetch/ledger/${path}`),
      api.post('multi-row-refetch/ledger', { row_ids: [path] }),
      api.post('query-table/ledger', { filters: [{ field: 'id', value: path }] }),
    ])
    expect([one.json.data?.row.id, many.json.items[0]?.id, page.json.items[0]?.id]).toEqual([id, id, id])
  })

  it('answers 400 to a body that is not JSON', async () => {
    expectFailure(await api.post('row-refetch/products/1', '{"a":'), { status: 400, code: 'invalid_body' })
  })

  it('answers 404 for a table that is not registered', async () => {
    expectFailure(await api.post('row-refetch/nothing/1'), { status: 404, code: 'table_not_found' })
  })

  it('params of the body are the row’s scoped context', async () => {
    const body = { params: { min_stock: 50 } }
    expect((await api.post('row-refetch/stocked/3', body)).json.data.row.id).toBe(3)
    expectFailure(await api.post('row-refetch/stocked/1', body), missing)
  })
})
