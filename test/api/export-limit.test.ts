import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague } from '../support/fixtures/identities.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { queuedMessages } from '../support/jobs/queued-jobs.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test' })
beforeEach(async () => {
  api.queue.faults.clear()
  await queuedMessages(api.queue)
  await api.sql`delete from table_control.caller_usage`
  await api.reset()
})

const limited = api.variant({
  MAIL_DOMAINS: 'example.test',
  EXPORTS_PER_CALLER: '2',
  MAILS_PER_CALLER: '10',
  // Requests at once need a connection each.
  DATABASE_CONNECTIONS: '8',
})

const few = { filters: [{ field: 'id', operator: '<=', value: 3 }] }
const emails = (count: number) => Array.from({ length: count }, (_, n) => `to${n}@example.test`)

/** An export of each response type, and of rows for a notification that is ready at once. */
const responses = [
  ['instant', 'export_csv', few],
  ['email', 'Send%20Report', { ...few, emails: emails(1) }],
  ['notification', 'notified_report', few],
  ['notification of a job', 'notified_report', {}],
  ['websocket', 'pushed_report', few],
] as const

const ask = (action: string, body: object, options = {}) =>
  limited.post(`bulk-table-action/lines/${action}`, body, options)

/** How many units of each kind the caller has used, rounded to whole ones. */
async function readUse(subject = 'nora'): Promise<Readonly<Record<string, number>>> {
  const rows = await api.sql`select kind,
    round(extract(epoch from full_at - now()) / case kind when 'exports' then 1800 else 8640 end)::int as used
    from table_control.caller_usage where subject = ${subject} order by kind`
  return Object.fromEntries(rows.map(({ kind, used }) => [kind, used]))
}

const countJobs = async () => (await api.sql`select from table_control.jobs`).length

function expectRefusal(response: ApiResponse, kind: 'exports' | 'mails', policy: string): void {
  expectFailure(response, { status: 429, code: 'too_many_requests' })
  const wait = Number(response.headers['retry-after'])
  expect(wait).toBeGreaterThan(0)
  expect(response.headers['ratelimit']).toBe(`"${kind}";r=0;t=${wait}`)
  expect(response.headers['ratelimit-policy']).toBe(`"${kind}";${policy}`)
}

describe.each(responses)('an export that is answered by: %s', (_, action, body) => {
  it('is charged once, and refused beyond the limit of exports without being built', async () => {
    expect((await ask(action, body)).status).toBe(200)
    expect(await readUse()).toMatchObject({ exports: 1 })
    expect((await ask(action, body)).status).toBe(200)
    const messages = await queuedMessages(api.queue)
    const jobs = await countJobs()
    const refused = await ask(action, body)
    expectRefusal(refused, 'exports', 'q=2;w=3600')
    expect(refused.json.errors[0]).toMatch(/limit of exports \(2 an hour\); try again in \d+ s$/)
    expect(refused.json.errors[1]).toContain('عمليات التصدير (2 في الساعة)')
    expect(await readUse()).toMatchObject({ exports: 2 })
    expect([messages.length, await countJobs()]).toEqual([jobs, jobs])
    expect(await queuedMessages(api.queue)).toEqual([])
    expect((await ask(action, body, { as: colleague })).status).toBe(200)
  })

  it('is charged once for all requests with its idempotency key', async () => {
    const headers = { 'idempotency-key': 'the-same-export' }
    const both = [await ask(action, body, { headers }), await ask(action, body, { headers })]
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(both[1]?.headers['idempotency-replayed']).toBe('true')
    expect(await readUse()).toMatchObject({ exports: 1 })
  })

  it('costs nothing as a dry run, and none if it is not of the expected number of rows', async () => {
    expect((await ask(action, { ...body, dry_run: true })).status).toBe(200)
    expectFailure(await ask(action, { ...body, expected_count: 2 }), { status: 422, code: 'unexpected_count' })
    expect(await readUse()).toEqual({})
  })
})

describe('an export that fails before it begins', () => {
  it.each([
    ['of too many rows', 'export_csv', {}, 'export_too_large'],
    ['with an unknown column', 'export_csv', { ...few, columns: ['nothing'] }, 'validation_failed'],
    [
      'to a recipient who is not allowed',
      'Send%20Report',
      { ...few, emails: ['x@evil.test'] },
      'recipient_not_allowed',
    ],
  ])('costs no export: %s', async (_, action, body, code) => {
    expectFailure(await ask(action, body), { status: 422, code })
    expect(await readUse()).toEqual({})
  })

  it('costs no export where its mails are beyond their limit', async () => {
    expect((await ask('Send%20Report', { ...few, emails: emails(8) })).status).toBe(200)
    const before = await readUse()
    expectRefusal(await ask('Send%20Report', { ...few, emails: emails(3) }), 'mails', 'q=10;w=86400')
    expect(before).toEqual({ exports: 1, mails: 8 })
    expect(await readUse()).toEqual(before)
    expect(await countJobs()).toBe(1)
    expect((await ask('Send%20Report', { ...few, emails: emails(2) })).status).toBe(200)
  })

  it('costs nothing where the caller has too many unfinished jobs', async () => {
    const settings = { MAIL_DOMAINS: 'example.test', EXPORTS_PER_CALLER: '2', JOBS_PER_CALLER: '1' }
    const process = api.variant({ ...settings, MAILS_PER_CALLER: '10' })
    const report = () => process.post('bulk-table-action/lines/Send%20Report', { ...few, emails: emails(1) })
    expect((await report()).status).toBe(200)
    expectFailure(await report(), { status: 429, code: 'too_many_jobs' })
    expect(await readUse()).toEqual({ exports: 1, mails: 1 })
  })
})

describe('a job that the queue does not take', () => {
  it.each([
    ['a report', 'lines/Send%20Report', few],
    ['an action on rows', 'bulk_orders/mail_summary', { selected_ids: [1], note: 'x' }],
  ])('costs no export and no mail: %s', async (_, action, body) => {
    const ask = () => limited.post(`bulk-table-action/${action}`, { ...body, emails: emails(3) })
    expect((await ask()).status).toBe(200)
    const before = await readUse()
    expect(before).toMatchObject({ mails: 3 })
    api.queue.faults.add({ action: 'SendMessage', status: 500, code: 'InternalError' })
    api.queue.faults.add({ action: 'SendMessage', status: 500, code: 'InternalError' })
    expectFailure(await ask(), { status: 503, code: 'unavailable' })
    expect(await readUse()).toEqual(before)
    expect((await ask()).status).toBe(200)
    expect(await readUse()).toMatchObject({ mails: 6 })
  })
})

describe('an action that is no export', () => {
  it.each([
    ['instant', 'process'],
    ['notification', 'process_later'],
  ])('costs no export: %s', async (_, action) => {
    expect((await ask(action, few)).status).toBe(200)
    expect(await readUse()).toEqual({})
  })

  it('is charged for its mails alone', async () => {
    const body = { selected_ids: [1], note: 'x', emails: emails(4) }
    const mail = () => limited.post('bulk-table-action/bulk_orders/mail_summary', body)
    expect([await mail(), await mail()].map(({ status }) => status)).toEqual([200, 200])
    expectRefusal(await mail(), 'mails', 'q=10;w=86400')
    expect(await readUse()).toEqual({ mails: 8 })
  })
})

it('counts exports of requests that come at once, and grants no more than the limit', async () => {
  const both = await Promise.all(Array.from({ length: 8 }, () => ask('export_csv', few)))
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 200, ...Array(6).fill(429)])
  expect(await readUse()).toEqual({ exports: 2 })
})
