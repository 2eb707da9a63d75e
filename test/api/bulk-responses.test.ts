import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, north } from '../support/fixtures/identities.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { jobRow, queuedMessages } from '../support/jobs/queued-jobs.ts'

const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test' })
beforeEach(async () => {
  api.queue.faults.clear()
  await queuedMessages(api.queue)
  await api.reset()
})

const act = (path: string, body: unknown = {}, options = {}) => api.post(`bulk-table-action/${path}`, body, options)

describe.each(['notify', 'recompute'])('%s', (action) => {
  it('reports picked rows that are not there for this caller', async () => {
    const { json } = await act(`bulk_orders/${action}`, { selected_ids: [1, 13, 999] })
    expect(json).toMatchObject({ success: true, not_found: [13, 999] })
    expect((await act(`bulk_orders/${action}`, { selected_ids: [1, 2] })).json).not.toHaveProperty('not_found')
  })
})

describe('an unknown sort', () => {
  const sorts = [{ field: 'nothing', direction: 'asc' }]
  const warnings = [{ code: 'unknown_sort', field: 'nothing' }]

  it.each<[string, object]>([
    ['touch', {}],
    ['touch', { dry_run: true }],
    ['touch', { plan: true }],
    ['touch', { selected_ids: [1, 2] }],
    ['notify', {}],
    ['recompute', { selected_ids: [1, 2] }],
    ['export_excel', {}],
    ['export_excel', { dry_run: true }],
  ])('is named by the response of %s with %j', async (action, body) => {
    const response = await act(`bulk_orders/${action}`, { ...body, sorts })
    expect(response.json.warnings, response.text).toEqual(warnings)
    expect((await act(`bulk_orders/${action}`, body)).json).not.toHaveProperty('warnings')
  })

  it.each(['touch', 'export_excel'])('is named by the repeated response of %s', async (action) => {
    const headers = { 'idempotency-key': `sorted ${action}` }
    for (let times = 0; times < 2; times++)
      expect((await act(`bulk_orders/${action}`, { sorts }, { headers })).json.warnings).toEqual(warnings)
  })
})

describe('notification', () => {
  it('is in the response, with what the action concluded', async () => {
    const { json } = await act('bulk_orders/notify', { selected_ids: [1, 2, 3] })
    expect(json).toMatchObject({ success: true, counts: { selected: 3, succeeded: 3, failed: 0 } })
    expect(json.notification).toEqual({
      id: expect.any(Number),
      title: 'It is done',
      body: '3 orders',
      level: 'warning',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      read_at: null,
      data: { seen: 3 },
    })
    expect(await api.runs(1, 2, 3)).toEqual([1, 1, 1])
  })

  it('is stored with the table of its action, so that its values can be erased', async () => {
    await act('bulk_orders/notify', { selected_ids: [1] })
    expect(await api.sql`select table_name from table_control.notifications`).toEqual([{ table_name: 'bulk_orders' }])
  })

  it('is stored for the caller, in both languages, and for no other caller', async () => {
    const { notification } = (await act('bulk_orders/notify', { selected_ids: [1] })).json
    expect((await api.get('notifications')).json.items).toEqual([notification])
    const { json } = await api.get('notifications', { headers: { ln: 'ar' } })
    expect(JSON.stringify(json)).toContain('1 طلبات')
    expect(JSON.stringify((await api.get('notifications', { as: colleague })).json)).not.toContain('It is done')
  })

  it('is named like the action where it concludes nothing', async () => {
    const { notification } = (await act('bulk_orders/notify_plainly', { selected_ids: [1, 2] })).json
    expect(notification).toMatchObject({ title: 'Notify', body: '2 rows done', level: 'success' })
  })

  it('is not stored where the action fails', async () => {
    await act('bulk_orders/notify', { selected_ids: [1], expected_count: 2 })
    expect(await api.sql`select from table_control.notifications`).toHaveLength(0)
  })

  it('becomes a job with a first notification if there are more rows than a client waits for', async () => {
    const { json } = await api.post('bulk-table-action/lines/process_later', {})
    expect(json.job).toEqual({ id: expect.any(String), status: 'queued' })
    expect(json.notification.data).toEqual({ job_id: json.job.id })
    expect(await queuedMessages(api.queue)).toEqual([{ v: 1, job: json.job.id }])
    const chunks =
      await api.sql`select jsonb_array_length(keys) as size from table_control.job_chunks order by position`
    expect(chunks.map(({ size }) => size)).toEqual([500, 500, 500, 500, 500, 500, 1])
  })
})

describe('websocket', () => {
  it('answers with a job and the channel of its events', async () => {
    const { status, json } = await act('bulk_orders/recompute', { selected_ids: [1, 2] })
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      message: 'The action has started',
      job: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), status: 'queued' },
      broadcast: { event: expect.stringMatching(/^bulk_action\./), channel: expect.stringContaining(json.job.id) },
    })
  })

  it('writes down who asked for what, on which rows, and gives the queue its id alone', async () => {
    const { json } = await act(
      'bulk_orders/recompute',
      { filters: { id: [8] }, selected_ids: [7, 1, 13] },
      { headers: { ln: 'ar' } },
    )
    expect(await jobRow(api.sql, json.job.id)).toMatchObject({
      subject: 'nora',
      guard: 'api',
      language: 'ar',
      table_name: 'bulk_orders',
      action: 'recompute',
      kind: 'bulk',
      response: 'websocket',
      state: 'queued',
      total: 2,
      enqueued_at: expect.any(Date),
    })
    const [chunk] = await api.sql`select keys from table_control.job_chunks`
    expect(chunk?.['keys']).toEqual(['1', '7'])
    expect(await queuedMessages(api.queue)).toEqual([{ v: 1, job: json.job.id }])
  })

  it('is 503 where the queue cannot be reached, and then the job never runs', async () => {
    api.queue.faults.add({ action: 'SendMessage', status: 500, code: 'InternalError', times: 10 })
    const response = await act('bulk_orders/recompute', { selected_ids: [1] })
    expectFailure(response, { status: 503, code: 'unavailable' })
    expect(response.headers).toHaveProperty('retry-after')
    const [job] = await api.sql`select state from table_control.jobs`
    expect(job?.['state']).toBe('failed')
  })
})

describe('email', () => {
  const body = { selected_ids: [1], note: 'x' }
  const recipients = async () =>
    (await api.sql`select address from table_control.job_recipients`).map(({ address }) => address)

  it('answers with a job, and keeps each recipient once', async () => {
    const emails = [' Nora@example.test', 'nora@example.test', 'b@example.test ']
    const { json } = await act('bulk_orders/mail_summary', { ...body, emails })
    expect(json).toMatchObject({ success: true, message: expect.any(String), job: { status: 'queued' } })
    expect((await recipients()).map((address) => address.toLowerCase()).toSorted()).toEqual([
      'b@example.test',
      'nora@example.test',
    ])
  })

  it('goes to the caller’s own verified address where none is named', async () => {
    const as = { ...north, email: 'nora@elsewhere.test', email_verified: true }
    expect((await act('bulk_orders/mail_summary', body, { as })).status).toBe(200)
    expect(await recipients()).toEqual(['nora@elsewhere.test'])
  })

  it.each<[string, unknown, object, string]>([
    ['no recipient, of a caller without an address', undefined, north, 'emails'],
    ['no recipient, of a caller whose address is not verified', [], { ...north, email: 'n@example.test' }, 'emails'],
    ['what is no list', 'b@example.test', north, 'emails'],
    ['what is no address', ['nobody'], north, 'emails.0'],
    ['a header', ['b@example.test\r\nBcc: c@example.test'], north, 'emails.0'],
    ['a number', [7], north, 'emails.0'],
    ['two in one', ['b@example.test,c@example.test'], north, 'emails.0'],
  ])('is refused to %s', async (_, emails, as, field) => {
    const response = await act('bulk_orders/mail_summary', { ...body, ...(emails !== undefined && { emails }) }, { as })
    expectFailure(response, { status: 422, code: 'validation_failed', field })
    expect(await api.sql`select from table_control.jobs`).toHaveLength(0)
  })

  it('is sent to ten at most, each counted once', async () => {
    const ten = Array.from({ length: 10 }, (_, index) => `to${index}@example.test`)
    const response = await act('bulk_orders/mail_summary', { ...body, emails: [...ten, 'eleventh@example.test'] })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'emails' })
    expect((await act('bulk_orders/mail_summary', { ...body, emails: [...ten, ' TO0@EXAMPLE.TEST'] })).status).toBe(200)
    expect(await recipients()).toHaveLength(10)
  })

  it('is refused to whom the installation does not allow', async () => {
    const response = await act('bulk_orders/mail_summary', { ...body, emails: ['b@example.test', 'x@evil.test'] })
    expectFailure(response, { status: 422, code: 'recipient_not_allowed', field: 'emails.1' })
    expect(await queuedMessages(api.queue)).toEqual([])
  })

  it('checks its form before anything is queued', async () => {
    const response = await act('bulk_orders/mail_summary', { selected_ids: [1], emails: ['b@example.test'] })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'note' })
  })
})

describe('jobs of one caller', () => {
  it('are refused beyond the most that may wait, until one has ended, and others are not held up', async () => {
    const few = api.variant({ MAIL_DOMAINS: 'example.test', JOBS_PER_CALLER: '2' })
    const ask = (options = {}) => few.post('bulk-table-action/bulk_orders/recompute', { selected_ids: [2] }, options)
    const jobs = [await ask(), await ask()]
    expect(jobs.map(({ status }) => status)).toEqual([200, 200])
    expectFailure(await ask(), { status: 429, code: 'too_many_jobs' })
    expect((await ask({ as: colleague })).status).toBe(200)
    await api.sql`update table_control.jobs set state = 'cancelled' where id = ${jobs[0]?.json.job.id}`
    expect((await ask()).status).toBe(200)
  })

  it('are never more than the limit, however many are requested at once', async () => {
    const few = api.variant({ JOBS_PER_CALLER: '5', DATABASE_CONNECTIONS: '20' })
    const ask = () => few.post('bulk-table-action/bulk_orders/recompute', { selected_ids: [2] })
    const responses = await Promise.all(Array.from({ length: 40 }, ask))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
    // They count one after the other, and on a busy machine the last ones do not wait that long.
    const codes = responses.filter(({ status }) => status !== 200).map(({ json }) => json.code)
    expect(codes.filter((code) => code !== 'too_many_jobs' && code !== 'row_busy')).toEqual([])
    expect((await api.sql`select count(*)::int from table_control.jobs`)[0]).toEqual({ count: 5 })
  })

  it('keep what they need of a request and nothing else', async () => {
    const { json } = await api.post('bulk-table-action/bulk_orders/recompute', {
      selected_ids: [2],
      junk: 'x'.repeat(9),
    })
    expect((await jobRow(api.sql, json.job.id))?.['request']).toEqual({ selected_ids: [2] })
  })
})
