import { beforeEach, describe, expect, it } from 'vitest'
import { dataSheet, listValues } from '../lib/reports/workbook.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { objectKeys } from '../support/jobs/object-keys.ts'
import { openedFile, readBytes } from '../support/jobs/opened-file.ts'
import { jobRow, queuedMessages } from '../support/jobs/queued-jobs.ts'
import type { ApiResponse } from '../support/requests/api.ts'

// Requests at once need a connection each.
const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test', DATABASE_CONNECTIONS: '6' })
beforeEach(async () => {
  await queuedMessages(api.queue)
  await api.reset()
})

const excelType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const exportRows = (table: string, action: string, body: unknown = {}, options = {}) =>
  api.post(`bulk-table-action/${table}/${action}`, body, options)

const fetchFile = async ({ json }: ApiResponse) => readBytes(await openedFile(api, json.data.url))

describe('an export', () => {
  const accepting = (accept: string, action = 'export_excel') =>
    exportRows('orders', action, { selected_ids: [2] }, { headers: { accept } })

  it.each([
    'application/json',
    '*/*',
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'text/csv',
    '',
    `application/json, ${excelType};q=0.5`,
    `${excelType};q=0, */*`,
  ])('is delivered as JSON for Accept: %s', async (accept) =>
    expect((await accepting(accept)).json).toMatchObject({ success: true, type: 'stream' }),
  )

  it.each([
    excelType,
    `${excelType}, application/json;q=0.5`,
    `application/json, ${excelType};v=1`,
    excelType.toUpperCase(),
  ])('is delivered as the file for Accept: %s', async (accept) => {
    const { status, headers, bytes } = await accepting(accept)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'content-type': excelType, 'x-total-rows': '1', 'cache-control': 'no-store' })
    expect(headers['content-disposition']).toMatch(/^attachment; filename="orders-.*\.xlsx"/)
    expect(listValues(await dataSheet(Buffer.from(bytes)))).toHaveLength(1)
  })

  it('is delivered as the file if its action says so', async () => {
    const { headers, bytes } = await exportRows('lines', 'excel_file', { selected_ids: [1, 2] })
    expect(headers['content-type']).toBe(excelType)
    expect(listValues(await dataSheet(Buffer.from(bytes)))).toEqual([
      [1, 'Line 1', 'new'],
      [2, 'Line 2', 'new'],
    ])
  })

  it('is delivered as a link below the guard of the request, which is absolute if the public URL is known', async () => {
    const web = await exportRows('orders', 'export_excel', {}, { guard: 'web' })
    expect(new URL(web.json.data.url).pathname).toMatch(/^\/api-table\/control-tables\/downloads\//)
    expect((await fetchFile(web)).subarray(0, 2).toString()).toBe('PK')
    const relative = api.variant({ ACTION_URLS: 'relative' })
    const { json } = await relative.post('bulk-table-action/orders/export_excel')
    expect(json.data.url).toMatch(new RegExp(`^${publicUrl}/api/api-table/control-tables/downloads/`))
    const unknown = api.variant({ ACTION_URLS: 'relative', PUBLIC_URL: '', MAIL_SENDER: '' })
    const { data } = (await unknown.post('bulk-table-action/orders/export_excel')).json
    expect(data.url).toMatch(/^\/api\/api-table\/control-tables\/downloads\//)
  })

  it('is answered 503 without a link if the object store does not take the file', async () => {
    api.queue.faults.add({ action: 'PUT', status: 500, code: 'InternalError', times: 10 })
    const response = await exportRows('orders', 'export_excel')
    api.queue.faults.clear()
    expectFailure(response, { status: 503, code: 'unavailable' })
    expect(await api.sql`select from table_control.downloads`).toHaveLength(0)
    expect(await api.audit()).toMatchObject([{ action: 'export_excel', outcome: 'unavailable', rows: 0 }])
  })

  it('is a CSV file in UTF-8 with its mark if its action says so', async () => {
    const response = await exportRows('lines', 'export_csv', { selected_ids: [1, 2] }, { headers: { ln: 'ar' } })
    expect(response.json.file_name).toMatch(/\.csv$/)
    const file = await fetchFile(response)
    expect([...file.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(file.subarray(3).toString().split('\r\n').slice(0, 2)).toEqual(['المعرف;الاسم;State', '1;Line 1;new'])
    expect((await exportRows('lines', 'export_csv', {}, { headers: { accept: 'text/csv' } })).json.code).toBe(
      'export_too_large',
    )
  })

  it('is a CSV file with the requested separator, and with raw values if they are requested', async () => {
    const csv = async (body: object) => {
      const response = await exportRows('lines', 'export_csv', { selected_ids: [1], ...body })
      return (await fetchFile(response)).subarray(3).toString().split('\r\n')[1]
    }
    expect(await csv({})).toBe('1,"Line 1",new')
    expect(await csv({ csv_separator: null, csv_raw: null })).toBe('1,"Line 1",new')
    expect(await csv({ csv_separator: ';' })).toBe('1;Line 1;new')
    await api.sql`update lines set label = '+20101234567' where id = 1`
    expect(await csv({})).toBe("1,'+20101234567,new")
    expect(await csv({ csv_raw: true })).toBe('1,+20101234567,new')
    await api.sql`update lines set label = 'Line 1' where id = 1`
  })

  it.each([
    [{ csv_separator: '|' }, 'csv_separator'],
    [{ csv_raw: 'yes' }, 'csv_raw'],
    [{ csvSeparator: ';' }, 'csvSeparator'],
  ])('delivers nothing if %j cannot be read', async (body, field) => {
    const response = await exportRows('lines', 'export_csv', { selected_ids: [1], ...body })
    expectFailure(response, { status: 422, code: 'validation_failed' })
    expect(Object.keys(response.json.fields)).toEqual([field])
  })

  it('delivers nothing for a dry run', async () => {
    const { json } = await exportRows('orders', 'export_excel', { dry_run: true })
    expect(json).toEqual({ success: true, dry_run: true, counts: { selected: 12 } })
    expect(await api.sql`select from table_control.downloads`).toHaveLength(0)
  })

  it('delivers nothing if another number of rows was expected', async () => {
    const response = await exportRows('orders', 'export_excel', { expected_count: 11 })
    expectFailure(response, { status: 422, code: 'unexpected_count' })
  })
})

describe('an export that is not in the audit', () => {
  const files = async () => (await api.sql`select from table_control.downloads`).length
  const countSucceeded = async () => (await api.audit()).filter(({ outcome }) => outcome === 'succeeded').length

  it.each([
    ['a link', 'orders/export_excel'],
    ['a notification', 'lines/notified_report'],
  ])('is not delivered as %s for a key that is used twice at once', async (_, path) => {
    const before = (await objectKeys(api.queue)).length
    const headers = { 'idempotency-key': 'one' }
    const responses = await Promise.all(
      [1, 1, 1, 2, 2, 2].map((id) => api.post(`bulk-table-action/${path}`, { selected_ids: [id] }, { headers })),
    )
    expect(new Set(responses.map(({ json }) => json.code))).toEqual(new Set([undefined, 'idempotency_key_reused']))
    expect({ files: await files(), succeeded: await countSucceeded() }).toEqual({ files: 1, succeeded: 1 })
    expect(await objectKeys(api.queue)).toHaveLength(before + 1)
  })

  it.each([
    ['a link', 'orders/export_excel'],
    ['a notification', 'lines/notified_report'],
  ])('is not delivered as %s while the audit cannot be written', async (_, path) => {
    const before = (await objectKeys(api.queue)).length
    await api.sql.unsafe(`alter table table_control.audit add constraint full_disk check (outcome <> 'succeeded')`)
    const response = await api.post(`bulk-table-action/${path}`, { selected_ids: [1] })
    await api.sql.unsafe('alter table table_control.audit drop constraint full_disk')
    expect(response.json.success).toBe(false)
    expect({ files: await files(), succeeded: await countSucceeded() }).toEqual({ files: 0, succeeded: 0 })
    expect(await objectKeys(api.queue)).toHaveLength(before)
  })
})

describe('an export that is no response', () => {
  it('becomes a job by email for any number of rows', async () => {
    const { json } = await exportRows('lines', 'send_report', { emails: ['b@example.test'], columns: ['id'] })
    expect(json).toEqual({
      success: true,
      message: 'The report will be sent by e-mail',
      job: { id: expect.any(String), status: 'queued' },
    })
    const job = await jobRow(api.sql, json.job.id)
    expect(job).toMatchObject({ kind: 'report', response: 'email', state: 'queued', request: { columns: ['id'] } })
    expect(await queuedMessages(api.queue)).toEqual([{ v: 1, job: json.job.id }])
  })

  it('becomes a job with a channel by websocket', async () => {
    const { json } = await exportRows('lines', 'pushed_report')
    expect(json).toMatchObject({
      job: { status: 'queued' },
      broadcast: { channel: expect.stringContaining(json.job.id) },
    })
  })

  it('is made at once by notification if it is small', async () => {
    const { json } = await exportRows('lines', 'notified_report', { selected_ids: [1, 2] })
    expect(json.notification).toMatchObject({ title: 'The report is ready', level: 'success', data: { rows: 2 } })
    expect(await (await openedFile(api, json.notification.data.url)).text()).toContain('2,"Line 2",new')
    expect((await api.get('notifications')).json.items).toHaveLength(1)
  })

  it('names its file in Arabic behind the number of rows, so that neither turns the other around', async () => {
    const headers = { ln: 'ar' }
    const { json } = await exportRows('lines', 'notified_report', { selected_ids: [1, 2] }, { headers })
    expect(json.notification.body).toMatch(/^صفان في الملف .+\.csv$/)
  })

  it('becomes a job by notification if it is large', async () => {
    const { json } = await exportRows('lines', 'notified_report')
    expect(json).toMatchObject({ job: { status: 'queued' }, notification: { data: { job_id: json.job.id } } })
  })

  it.each(['send_report', 'pushed_report', 'notified_report'])(
    'is refused by %s as an instant one is',
    async (action) => {
      const emails = ['b@example.test']
      const refused = [
        { columns: ['nothing'] },
        { filters: { nothing: 1 } },
        { expected_count: 7 },
        { selected_ids: 'x' },
      ]
      for (const body of refused) expect((await exportRows('lines', action, { emails, ...body })).status).toBe(422)
      expect(await api.sql`select from table_control.jobs`).toHaveLength(0)
    },
  )
})
