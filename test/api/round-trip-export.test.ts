import { readXlsx } from 'hucre/xlsx'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { importRegistry } from '../support/fixtures/imported-orders.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'

const work = await startDeliveringApi()
const api = work.variant({}, importRegistry)
afterAll(() => work.stop())
beforeEach(() => work.reset())

const accept = { accept: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }

it('an Excel export with round_trip has a hidden last column with a token per row and a hidden sheet', async () => {
  const response = await api.post('bulk-table-action/orders/export_excel', { round_trip: true }, { headers: accept })
  expect(response.status, response.text).toBe(200)
  const { sheets } = await readXlsx(response.bytes)
  const [data, , manifest] = sheets
  expect(data?.rows[0]?.at(-1)).toBe('table_control')
  const tokens = data?.rows.slice(1).map((row) => String(row.at(-1))) ?? []
  expect(new Set(tokens).size).toBe(tokens.length)
  expect(tokens[0]).toMatch(/^[A-Za-z\d.-]{60,}$/)
  expect(data?.columns?.at(-1)).toMatchObject({ hidden: true })
  expect(manifest).toMatchObject({ name: 'table_control', hidden: true })
})

it.each([
  ['a CSV export', 'export_csv', true, 'orders'],
  ['a value that is neither true nor false', 'export_excel', 'yes', 'orders'],
  ['a table without editable columns', 'export_excel', true, 'plain'],
])('refuses round_trip for %s', async (_, action, value, table) => {
  const response = await api.post(`bulk-table-action/${table}/${action}`, { round_trip: value })
  expectFailure(response, { status: 422, code: 'validation_failed', field: 'round_trip' })
})

it('a file without round_trip has neither the column nor the sheet', async () => {
  const response = await api.post('bulk-table-action/orders/export_excel', {}, { headers: accept })
  const { sheets } = await readXlsx(response.bytes)
  expect(sheets.map(({ name }) => name)).toEqual(['Orders', 'Summary'])
})

it('the structure says which exports can be sent back, if the caller can edit a column', async () => {
  const listExports = async (table: string) => {
    const { json } = await api.get(`load-table/${table}`)
    return json.bulkActions
      .filter((one: { round_trip?: true }) => one.round_trip)
      .map(({ action_key }: { action_key: string }) => action_key)
  }
  const orders = await listExports('orders')
  expect(orders).toContain('export_excel')
  expect(orders.filter((key: string) => key.includes('csv'))).toEqual([])
  expect(await listExports('plain')).toEqual([])
})
