import { readXlsx } from 'hucre/xlsx'
import { beforeEach, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { editSheet, findCell, startImportApi } from '../support/fixtures/import-api.ts'
import { importRegistry } from '../support/fixtures/imported-orders.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'

const minutesTable = defineFixture({
  ...ofOrders,
  name: 'minutes',
  columns: { due: { label: 'Due', type: 'date', pattern: 'yyyy-MM-dd HH:mm', editable: true } },
})

const work = await startImportApi(createRegistry([minutesTable], { claims: fixtureClaims }))
const api = work.variant({}, importRegistry)
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

it('a workbook without the seconds that a pattern hides changes only the dates that were edited', async () => {
  await work.sql`update orders set due = '2026-01-02 22:30:45Z' where id in (1, 2)`
  const file = await work.exportRows({ selected_ids: [1, 2] }, { table: 'minutes' })
  const edited = await editSheet(file, (sheet) => {
    for (const row of [2, 3]) expect(findCell(sheet, 'Due', row).value).toEqual(new Date('2026-01-02T22:30:00Z'))
    findCell(sheet, 'Due', 3).value = new Date('2026-01-02T22:31:00Z')
  })
  const sent = await work.send(edited, { table: 'minutes' })
  expect(sent.json.plan.counts, sent.text).toEqual({ change: 1, conflict: 0, refused: 0 })
  expect((await work.apply(sent, { table: 'minutes' })).json).toMatchObject({ cells: { changed: 1, refused: 0 } })
  const dues = await work.sql`select due from orders where id in (1, 2) order by id`
  expect(dues.map(({ due }) => new Date(due).toISOString())).toEqual([
    '2026-01-02T22:30:45.000Z',
    '2026-01-02T22:31:00.000Z',
  ])
})
