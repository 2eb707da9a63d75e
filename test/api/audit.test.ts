import { beforeEach, describe, expect, it } from 'vitest'
import { colleague, south } from '../support/fixtures/identities.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'

// Requests at once need a connection each.
const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test', DATABASE_CONNECTIONS: '5' })
beforeEach(() => api.reset())

const entry = (known: object) => ({
  id: expect.anything(),
  at: expect.any(Date),
  subject: 'nora',
  guard: 'api',
  filter_hash: expect.stringMatching(/^[\w-]{43}$/),
  request_id: expect.stringMatching(/.+/),
  job_id: null,
  outcome: 'succeeded',
  ...known,
})

const hashes = async () => (await api.audit()).map((row) => row['filter_hash'])

describe('an action or export', () => {
  const row = { kind: 'row', table_name: 'orders' }
  const rowBulk = { kind: 'row_bulk', table_name: 'orders' }
  const bulk = { kind: 'bulk', table_name: 'bulk_orders' }
  const refusedBulk = { ...bulk, outcome: 'validation_failed' }
  const lines = { kind: 'export', table_name: 'lines' }
  const queued = { outcome: 'queued', job_id: expect.any(String) }

  it.each<[string, unknown, object]>([
    ['row-table-action/orders/Mark%20Reviewed/2', {}, { ...row, action: 'mark_reviewed', rows: 1 }],
    ['row-table-action/orders/show_details/2', {}, { ...row, action: 'show_details', rows: 1 }],
    ['row-bulk-table-action/orders/flag', { selected_ids: [1, 2, 999] }, { ...rowBulk, action: 'flag', rows: 2 }],
    ['bulk-table-action/bulk_orders/touch', { selected_ids: [1, 2, 13] }, { ...bulk, action: 'touch', rows: 2 }],
    ['bulk-table-action/bulk_orders/in_parts', { selected_ids: [1, 2, 3] }, { ...bulk, action: 'in_parts', rows: 2 }],
    ['bulk-table-action/bulk_orders/notify', { filters: { state: 'done' } }, { ...bulk, action: 'notify', rows: 4 }],
    ['bulk-table-action/bulk_orders/touch', {}, { ...bulk, action: 'touch', rows: 12, filter_hash: null }],
    [
      'bulk-table-action/bulk_orders/recompute',
      { selected_ids: [1, 2] },
      { ...bulk, ...queued, action: 'recompute', rows: 2 },
    ],
    ['bulk-table-action/lines/export_csv', { selected_ids: [1, 2] }, { ...lines, action: 'export_csv', rows: 2 }],
    ['bulk-table-action/lines/excel_file', { selected_ids: [1] }, { ...lines, action: 'excel_file', rows: 1 }],
    [
      'bulk-table-action/lines/notified_report',
      { selected_ids: [1] },
      { ...lines, action: 'notified_report', rows: 1 },
    ],
    [
      'bulk-table-action/lines/send_report',
      { selected_ids: [1], emails: ['b@example.test'] },
      { ...lines, ...queued, action: 'send_report' },
    ],
  ])('%s %j', async (path, body, expected) => {
    const response = await api.post(path, body)
    expect(response.status, response.text).toBe(200)
    expect(await api.audit()).toEqual([expect.objectContaining(entry(expected))])
  })

  it.each<[string, unknown, object]>([
    ['row-table-action/orders/mark_reviewed/9', {}, { ...row, outcome: 'action_not_applicable' }],
    ['row-table-action/orders/mark_reviewed/13', {}, { ...row, outcome: 'row_not_found' }],
    ['row-table-action/orders/assign/2', { assignee: 'x' }, { ...row, outcome: 'validation_failed' }],
    ['row-table-action/refusing_orders/refuse_odd/3', {}, { kind: 'row', outcome: 'odd_order' }],
    ['row-table-action/refusing_orders/explode/3', {}, { kind: 'row', outcome: 'internal_error' }],
    ['row-table-action/orders/flag/2', { dryRun: true }, { ...row, outcome: 'validation_failed' }],
    ['row-table-action/orders/flag/2', { plan: true }, { ...row, outcome: 'validation_failed' }],
    ['row-table-action/orders/flag/2', { selected_ids: 'all' }, { ...row, outcome: 'validation_failed' }],
    ['row-bulk-table-action/orders/flag', { selected_ids: [] }, { ...rowBulk, outcome: 'validation_failed' }],
    [
      'row-bulk-table-action/orders/flag',
      { selected_ids: [2], select_all: true },
      { ...rowBulk, outcome: 'validation_failed' },
    ],
    ['bulk-table-action/bulk_orders/touch', { filter: { state: 'done' } }, { ...refusedBulk, filter_hash: null }],
    ['bulk-table-action/bulk_orders/touch', { versions: { 1: '1' } }, { ...refusedBulk, filter_hash: null }],
    [
      'row-bulk-table-action/orders/mark_reviewed',
      { selected_ids: [9] },
      { ...rowBulk, outcome: 'action_not_applicable' },
    ],
    ['bulk-table-action/bulk_orders/all_or_none', { selected_ids: [1, 3] }, { ...bulk, outcome: 'third_order' }],
    ['bulk-table-action/bulk_orders/touch', { filters: { nothing: 1 } }, { ...bulk, outcome: 'validation_failed' }],
    ['bulk-table-action/lines/export_excel', { filters: {} }, { ...lines, outcome: 'export_too_large' }],
  ])('leaves one audit row if it fails: %s %j', async (path, body, expected) => {
    expect((await api.post(path, body)).status).not.toBe(200)
    expect(await api.audit()).toEqual([expect.objectContaining(entry({ rows: 0, ...expected }))])
  })

  it('leaves at most a hundred audit rows of failures of one caller in an hour, and one of every success', async () => {
    await api.sql`insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id)
      select 'nora', 'orders', 'count', 'api', 'row', 0, 'row_not_found', '' from generate_series(1, 99)`
    // The end of a job is no refusal.
    await api.sql`insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id, job_id, at)
      select 'nora', 'orders', 'count', 'api', 'bulk', 0, outcome, '', gen_random_uuid(), now() - interval '1 minute'
      from unnest(array['planned', 'cancelled', 'unknown', 'internal_error']) as outcome`
    for (let times = 0; times < 3; times += 1) await api.post('row-table-action/orders/mark_reviewed/13')
    expect(await api.audit()).toHaveLength(104)
    await api.post('row-table-action/orders/mark_reviewed/13', {}, { as: colleague })
    await api.post('row-table-action/orders/show_details/2')
    expect(await api.audit()).toHaveLength(106)
    await api.sql`update table_control.audit set at = at - interval '61 minutes'`
    await api.post('row-table-action/orders/mark_reviewed/13')
    expect(await api.audit()).toHaveLength(107)
  })

  it('leaves an audit row of a failure however often the caller has succeeded in the hour', async () => {
    await api.sql`insert into table_control.audit (subject, table_name, action, guard, kind, rows, outcome, request_id)
      select 'nora', 'orders', 'count', 'api', 'row', 1, (array['succeeded', 'queued'])[1 + n % 2], ''
      from generate_series(1, 200) n`
    await api.post('row-table-action/orders/mark_reviewed/13')
    expect((await api.audit()).at(-1)).toMatchObject({ outcome: 'row_not_found' })
  })

  it('leaves its caller, its guard and its request in the audit', async () => {
    const path = 'row-table-action/orders/count/999'
    const { json } = await api.post(path, {}, { as: colleague, guard: 'web' })
    expect(await api.audit()).toEqual([
      expect.objectContaining({ subject: 'noel', guard: 'web', request_id: json.request_id }),
    ])
  })

  it('leaves none of what never was an action of this caller, nor of a form that was only opened, nor of a read', async () => {
    await api.post('row-table-action/orders/nothing/2')
    await api.post('row-table-action/nothing/count/2')
    await api.post('row-table-action/orders/count/2', {}, { as: null })
    await api.post('row-table-action/orders/reschedule/2')
    await api.post('query-table/orders')
    expect(await api.audit()).toEqual([])
  })
})

describe('the audit', () => {
  it('holds no value of a filter, a form, a cell or an address', async () => {
    await api.post('row-table-action/orders/assign/2', { assignee: 'hunter2' })
    await api.post('bulk-table-action/bulk_orders/touch', { filters: { state: 'hunter2' } })
    await api.post('bulk-table-action/lines/send_report', {
      emails: ['hunter2@example.test'],
      selected_ids: ['hunter2'],
    })
    await api.post('row-table-action/orders/count/hunter2')
    const rows = await api.audit()
    expect(rows).toHaveLength(4)
    expect(JSON.stringify(rows)).not.toMatch(/hunter2|Order 2/)
  })

  it('holds a hash in place of the rows, equal for the same rows and another one for others', async () => {
    const touch = (body: object, as = south) => api.post('bulk-table-action/bulk_orders/touch', body, { as })
    await touch({ filters: { state: 'open' } })
    await touch({ filters: { state: 'open' }, sorts: [] })
    await touch({ filters: { state: 'done' } })
    await touch({ selected_ids: [1] })
    const [first, again, ...others] = await hashes()
    expect(again).toBe(first)
    expect(new Set([first, ...others]).size).toBe(3)
  })

  it('holds another hash for other params', async () => {
    for (const state of ['open', 'open', 'done']) await api.post(`bulk-table-action/scoped_orders/touch?state=${state}`)
    const [first, again, other] = await hashes()
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })

  it('holds a hash in place of the id of a row', async () => {
    for (const id of [2, 2, 3]) await api.post(`row-table-action/orders/count/${id}`)
    const [first, again, other] = await hashes()
    expect(again).toBe(first)
    expect(other).not.toBe(first)
  })
})

describe('the audit row of a change', () => {
  it('is not saved without the change, nor the change without it', async () => {
    await api.sql`alter table table_control.audit rename to audit_away`
    expect((await api.post('row-table-action/orders/count/2')).status).toBe(500)
    await api.sql`alter table table_control.audit_away rename to audit`
    expect(await api.runs(2)).toEqual([0])
  })

  it('is written once for all requests with the same key', async () => {
    const headers = { 'idempotency-key': 'one' }
    await Promise.all(Array.from({ length: 5 }, () => api.post('row-table-action/orders/count/2', {}, { headers })))
    expect(await api.audit()).toHaveLength(1)
  })

  it('is written for each of many requests at once', async () => {
    await Promise.all(Array.from({ length: 20 }, () => api.post('row-table-action/orders/count/2')))
    expect(await api.audit()).toHaveLength(20)
  })
})
