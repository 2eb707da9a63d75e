import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { cellAt, dataSheet, listSheets, listValues } from '../lib/reports/workbook.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims, manager, south } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { openedFile, readBytes } from '../support/jobs/opened-file.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startDeliveringApi()
beforeEach(() => api.reset())

const excelType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const exportRows = (table: string, action: string, body: unknown = {}, options = {}) =>
  api.post(`bulk-table-action/${table}/${action}`, body, options)

const fetchFile = async ({ json }: ApiResponse) => readBytes(await openedFile(api, json.data.url))
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('the default export_excel', () => {
  it('answers with a link to the file', async () => {
    const { status, json } = await exportRows('orders', 'export_excel')
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      type: 'stream',
      onSuccess: 'downloadData',
      file_name: expect.stringMatching(/^orders-\d{4}-\d\d-\d\d\.xlsx$/),
      rows: 12,
      data: {
        url: expect.stringContaining(`${publicUrl}/api/`),
        filename: json.file_name,
        file: json.data.url,
        name: json.file_name,
        expires_at: expect.any(String),
        download_id: expect.any(String),
      },
    })
  })

  it('returns a URL that works without headers for a short time', async () => {
    const { data } = (await exportRows('orders', 'export_excel')).json
    expect((Date.parse(data.expires_at) - Date.now()) / 60_000).toBeLessThanOrEqual(15)
    const file = await openedFile(api, data.url)
    expect(file.headers.get('content-type')).toBe(excelType)
    expect(file.headers.get('content-disposition')).toContain('attachment; filename="orders-')
    await api.sql`update table_control.downloads set expires_at = now()`
    const late = await api.request({ method: 'GET', path: new URL(data.url).pathname }, { as: null })
    expectFailure(late, { status: 404, code: 'download_not_found' })
  })

  it('holds what the table shows: its columns, rows and order', async () => {
    const sheet = await dataSheet(await fetchFile(await exportRows('orders', 'export_excel')))
    expect(sheet.rows[0]).toEqual(['ID', 'Title', 'State', 'Assignee', 'Runs', 'Flagged', 'Amount', 'Due'])
    const rows = listValues(sheet)
    expect(rows.map(([id]) => id)).toEqual(upTo(12))
    expect(rows[1]).toEqual([2, 'Order 2', 'open', null, 0, 'No', 2.5, '2026-01-04T01:30:00'])
  })

  it('is in the caller’s language', async () => {
    const response = await exportRows('orders', 'export_excel', {}, { headers: { ln: 'ar' } })
    expect(response.json.file_name).toMatch(/^\d{4}-\d\d-\d\d-الطلبات\.xlsx$/)
    expect((await dataSheet(await fetchFile(response))).rows[0]?.slice(0, 2)).toEqual(['المعرف', 'العنوان'])
  })

  it('holds the selected rows, or what the filters select, inside the scope', async () => {
    const ids = async (body: object, options = {}) => {
      const response = await exportRows('orders', 'export_excel', body, options)
      const rows = listValues(await dataSheet(await fetchFile(response)))
      expect(response.json.rows).toBe(rows.length)
      return rows.map(([id]) => id)
    }
    expect(await ids({ selected_ids: [3, 14, 2, 999] })).toEqual([2, 3])
    expect(await ids({ filters: { state: 'done' } })).toEqual([9, 10, 11, 12])
    expect(await ids({}, { as: south })).toEqual([13, 14, 15, 16])
    expect(await ids({ selected_ids: [13] })).toEqual([])
  })

  it('holds the columns that the caller may know of', async () => {
    const header = async (options: object) =>
      (await dataSheet(await fetchFile(await exportRows('orders', 'export_excel', {}, options)))).rows[0]
    expect(await header({ as: manager })).toContain('Tenant')
    expect(await header({})).not.toContain('Tenant')
  })

  it('holds the chosen columns in their order', async () => {
    const sheet = await dataSheet(
      await fetchFile(await exportRows('orders', 'export_excel', { columns: ['title', 'id'] })),
    )
    expect(sheet.rows.slice(0, 2)).toEqual([
      ['Title', 'ID'],
      ['Order 1', 1],
    ])
  })

  it.each<[string, unknown, string]>([
    ['unknown', ['nothing'], 'columns.0'],
    ['hidden', ['id', 'tenant'], 'columns.1'],
    ['of actions', ['actions'], 'columns.0'],
    ['no text', [7], 'columns.0'],
    ['named like a prototype', ['__proto__'], 'columns.0'],
    ['no list', 'id', 'columns'],
    ['too many', Array(1_001).fill('id'), 'columns'],
  ])('refuses a chosen column that is %s', async (_, columns, field) => {
    expectFailure(await exportRows('orders', 'export_excel', { columns }), {
      status: 422,
      code: 'validation_failed',
      field,
    })
  })

  it.each<[string, unknown, string]>([
    ['an unknown filter', { filters: { nothing: 1 } }, 'filters.nothing'],
    ['ids that are none', { selected_ids: [{}] }, 'selected_ids.0'],
    ['an expected count that is none', { expected_count: 'x' }, 'expected_count'],
  ])('refuses %s', async (_, body, field) => {
    expectFailure(await exportRows('orders', 'export_excel', body), { status: 422, code: 'validation_failed', field })
  })

  it('has the filters and the number of rows in a second sheet', async () => {
    const sheets = await listSheets(
      await fetchFile(await exportRows('orders', 'export_excel', { filters: { state: 'done' } })),
    )
    expect(sheets).toHaveLength(2)
    expect(JSON.stringify(sheets[1]?.rows)).toContain('done')
    const picked = await listSheets(
      await fetchFile(await exportRows('orders', 'export_excel', { selected_ids: [1, 2, 2] })),
    )
    expect(picked[1]?.rows).toContainEqual(['Selected rows', 2])
  })
})

it('writes no more of a date into a spreadsheet than its pattern shows, and all places of a decimal', async () => {
  const dated = defineFixture({
    ...ofOrders,
    name: 'dated_orders',
    timeZone: 'Asia/Riyadh',
    computed: { month: sql`${orders.due}::timestamp`, clock: sql`${orders.due}::timestamp` },
    columns: {
      due: { label: 'Year', type: 'date', pattern: 'yyyy' },
      month: { label: 'Month', type: 'date', pattern: 'MM/yyyy' },
      clock: { label: 'Clock', type: 'date', pattern: 'dd HH' },
      amount: { label: 'Amount', type: 'number' },
    },
  })
  await api.sql`update orders set due = '2026-12-31 22:30:45Z' where id = 1`
  const other = api.variant({}, createRegistry([dated], { claims: fixtureClaims }))
  const headers = { accept: excelType }
  const file = await other.post('bulk-table-action/dated_orders/export_excel', { selected_ids: [1] }, { headers })
  const sheet = await dataSheet(Buffer.from(file.bytes))
  expect(listValues(sheet)).toEqual([['2027-01-01T00:00:00', '2026-12-01T00:00:00', '31 22', 1.5]])
  const formats = [0, 1, 2, 3].map((column) => cellAt(sheet, 0, column)?.style?.numFmt)
  expect(formats).toEqual(['yyyy', 'mm\\/yyyy', '@', '#,##0.00'])
})

describe('an instant export', () => {
  const first = (count: number) => ({ filters: [{ field: 'id', operator: '<=', value: count }] })

  it.each(['export_excel', 'export_csv', 'excel_file'])('accepts exactly 3,000 rows: %s', async (action) => {
    expect((await exportRows('lines', action, first(3_000))).status).toBe(200)
  })

  it.each(['export_excel', 'export_csv', 'excel_file'])(
    'is refused for 3,001 rows, and names the limit, the count and the e-mail action: %s',
    async (action) => {
      const response = await exportRows('lines', action, first(3_001))
      expectFailure(response, { status: 422, code: 'export_too_large' })
      expect(response.json.errors[0]).toMatch(/3000\b.*\b3001\b.*"Send report"/)
      expect(response.json.errors[1]).toMatch(/تصدير 3000 صف .* 3001؛ .*«إرسال التقرير»/)
      expect(await api.sql`select from table_control.downloads`).toHaveLength(0)
    },
  )

  it('is refused for more than 3,000 ids', async () => {
    const response = await exportRows('lines', 'export_excel', { selected_ids: upTo(3_001) })
    expectFailure(response, { status: 422, code: 'export_too_large' })
  })

  it('names e-mail in general where the table has no such action', async () => {
    const { json } = await exportRows('heavy_lines', 'export_excel')
    expect(json.errors[0]).toMatch(/a report by e-mail/)
    expect(json.errors[1]).toContain('استخدم تقريرًا بالبريد الإلكتروني')
  })

  it('becomes a link if it is larger than a response may be', async () => {
    const small = await exportRows('heavy_lines', 'csv_file', first(500))
    expect(small.headers['content-type']).toBe('text/csv; charset=utf-8')
    const large = await exportRows('heavy_lines', 'csv_file', first(1_000))
    expect(large.json).toMatchObject({ success: true, type: 'stream', rows: 1_000 })
    expect((await fetchFile(large)).length).toBeGreaterThan(5_000_000)
  })
})
