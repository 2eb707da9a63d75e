import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { eventually } from '../support/run/patience.ts'
import { demoJobs } from '../support/stack/demo-jobs.ts'
import { demoQueue } from '../support/stack/demo-queue.ts'
import { type DemoIdentity, type DemoStack, startDemoStack } from '../support/stack/demo-stack.ts'
import { type RiskWrites, watchRisk } from '../support/stack/risk-writes.ts'

const boss: DemoIdentity = { sub: 'boss', role: 'supervisor', email: 'boss@example.com' }
const alice: DemoIdentity = { sub: 'alice', states: ['Ohio'], email: 'alice@example.com' }

let stack: DemoStack
let jobs: ReturnType<typeof demoJobs>
let queue: ReturnType<typeof demoQueue>
let risk: RiskWrites

// Messages come again while their jobs are still being worked on, and each worker has one job at a time.
beforeAll(async () => {
  stack = await startDemoStack({ LOCAL_VISIBILITY_SECONDS: '2', LOCAL_BATCH_SIZE: '1' })
  jobs = demoJobs(stack)
  queue = demoQueue(stack)
  risk = await watchRisk(stack.sql)
})
afterEach(() => stack?.cleared())
afterAll(() => stack?.stop())

const post = (path: string, as: DemoIdentity, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  stack.call(`bulk-table-action/${path}`, { as, body, headers })

/** A report to these recipients. */
const report = (...emails: readonly string[]) => jobs.ask('bird_strikes/email_report', alice, { emails })

/** To whom SES accepted a mail for a job, once for each mail. */
const listRecipients = async (id: string) =>
  (await jobs.findEnvelopes(id)).flatMap(({ destinations }) => destinations).sort()

/** Hands the job's message over once more, lets minutes pass, and waits until all that could come of it has come. */
const everythingAgain = async (id: string) => {
  await queue.send(JSON.stringify({ v: 1, job: id }))
  await jobs.minutesLater(id)
  await jobs.swept()
  await queue.emptied()
}

describe('a report by e-mail', () => {
  it('is one mail when SES throttles twice and then accepts', async () => {
    await stack.fault('ses', { code: 'Throttling', times: 2, recipient: 'slow@example.com' })
    const id = await report('slow@example.com')
    expect(await jobs.ended(id, alice)).toMatchObject({ status: 'succeeded', recipients: [{ status: 'sent' }] })
    await everythingAgain(id)
    expect(await listRecipients(id)).toEqual(['slow@example.com'])
  })

  it('reaches one recipient once when SES rejects the other, and its owner is notified', async () => {
    await stack.fault('ses', { code: 'MessageRejected', recipient: 'bad@example.com' })
    const id = await report('bad@example.com', 'good@example.com')
    const job = await jobs.ended(id, alice)
    expect(job).toMatchObject({
      status: 'succeeded',
      code: 'mail_failed',
      recipients: [
        { address: 'bad@example.com', status: 'failed', code: 'MessageRejected' },
        { address: 'good@example.com', status: 'sent' },
      ],
    })
    expect(job.errors[0]).toContain('bad@example.com')
    const [notification] = (await stack.call('notifications', { as: alice })).json.items
    expect(notification).toMatchObject({ level: 'warning', data: { job_id: id, code: 'mail_failed' } })
    await everythingAgain(id)
    expect(await listRecipients(id)).toEqual(['good@example.com'])
  })

  it('is never sent again when SES accepts and then resets, and its state is `unknown`', async () => {
    await stack.fault('ses', { kind: 'reset', when: 'after', recipient: 'lost@example.com' })
    const id = await report('lost@example.com', 'other@example.com')
    const job = await jobs.ended(id, alice)
    expect(job).toMatchObject({
      status: 'unknown',
      recipients: [
        { address: 'lost@example.com', status: 'unknown' },
        { address: 'other@example.com', status: 'sent' },
      ],
    })
    await everythingAgain(id)
    expect(await listRecipients(id)).toEqual(['lost@example.com', 'other@example.com'])
    expect(await jobs.status(id, alice)).toEqual(job)
  })

  it('is one mail when SES says that it is not available, and later is', async () => {
    await stack.fault('ses', { code: 'ServiceUnavailable', status: 503, recipient: 'later@example.com' })
    const id = await report('later@example.com')
    expect(await jobs.ended(id, alice)).toMatchObject({ status: 'succeeded' })
    await everythingAgain(id)
    expect(await listRecipients(id)).toEqual(['later@example.com'])
  })
})

describe('a queue', () => {
  it('makes the response 503 without a mail if it takes no message; the same key works afterwards', async () => {
    const headers = { 'idempotency-key': 'refused-once' }
    const ask = () => post('bird_strikes/email_report', alice, { emails: ['queued@example.com'] }, headers)
    const jobsToQueued =
      () => stack.sql()`select id, jobs.state from table_control.jobs join table_control.job_recipients
      on job_id = id where address = 'queued@example.com' order by created_at`
    await stack.fault('sqs', { action: 'SendMessage', code: 'InternalFailure', status: 500, times: 2 })
    const refused = await ask()
    expectFailure(refused, { status: 503, code: 'unavailable' })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    await stack.cleared()

    const [abandoned, ...more] = await jobsToQueued()
    expect([abandoned?.['state'], more]).toEqual(['failed', []])
    await everythingAgain(abandoned?.['id'])
    expect(await listRecipients(abandoned?.['id'])).toEqual([])

    const accepted = await ask()
    expect(accepted.status, accepted.text).toBe(200)
    expect((await ask()).json).toEqual(accepted.json)
    expect(await jobs.ended(accepted.json.job.id, alice)).toMatchObject({ status: 'succeeded' })
    await queue.emptied()
    expect(await listRecipients(accepted.json.job.id)).toEqual(['queued@example.com'])
    expect(await jobsToQueued()).toHaveLength(2)
  })

  it('puts an unreadable message aside, and others go on meanwhile', async () => {
    await queue.send('{"v": 1, "job": "poison"}')
    const ids = await Promise.all(['one', 'two', 'three'].map((name) => report(`${name}@example.com`)))
    for (const id of ids) expect(await jobs.ended(id, alice)).toMatchObject({ status: 'succeeded' })
    expect(await Promise.all(ids.map(listRecipients))).toEqual([
      ['one@example.com'],
      ['two@example.com'],
      ['three@example.com'],
    ])
    expect(await queue.firstDead()).toBe('{"v": 1, "job": "poison"}')
    await queue.emptied()
  })
})

describe('storage that takes no file', () => {
  it('makes the response of an instant export 503, and nothing more', async () => {
    await stack.fault('sqs', { action: 'PUT', status: 503, code: 'SlowDown', times: 3 })
    const refused = await post('bird_strikes/export_excel', alice)
    expectFailure(refused, { status: 503, code: 'unavailable' })
    expect(refused.headers['retry-after']).toBe('5')
    await stack.cleared()
    expect((await post('bird_strikes/export_excel', alice)).status).toBe(200)
  })
})

describe('losing', () => {
  it('every session of Postgres during a large export costs time, and the mail is one', async () => {
    const id = await jobs.ask('flights/email_report', alice)
    await eventually(async () => {
      const ended = await stack.sql()`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'table-control%' and exists (select from pg_stat_activity
          where application_name = 'table-control-work' and state <> 'idle' and query like 'fetch%')`
      return ended.length > 0 ? ended : undefined
    })
    const [flights] = await eventually(async () => {
      const { status, json } = await stack.call('query-table/flights', { as: alice, body: { perPage: 1 } })
      return status === 200 ? json.items : undefined
    })
    expect(flights).toHaveProperty('origin')
    // Put back by the worker, or, where the worker could not even do that, left with a lease that ends.
    await eventually(async () => {
      const free = await stack.sql()`select from table_control.jobs
        where id = ${id} and (state <> 'running' or lease_until < now() or attempts > 1)`
      return free.length > 0 ? true : undefined
    })
    await jobs.minutesLater(id)
    expect(await jobs.ended(id, alice)).toMatchObject({ status: 'succeeded', done: 200_000, total: 200_000 })
    const [job] = await stack.sql()`select attempts from table_control.jobs where id = ${id}`
    expect(job?.['attempts']).toBeGreaterThan(1)
    await everythingAgain(id)
    const texts = (await jobs.findEnvelopes(id)).map(async (envelope) => (await jobs.readMail(envelope)).text)
    expect(await Promise.all(texts)).toEqual([expect.stringContaining('Rows: 200,000')])
  })

  it('the whole process in the middle of its work makes nothing happen twice, and nothing be forgotten', async () => {
    await risk.forget()
    await risk.slowDown(0.5)
    await stack.fault('ses', { kind: 'hang', when: 'after', recipient: 'first@example.com' })
    const [scores, mails] = await Promise.all([
      jobs.ask('bird_strikes/recompute_risk', boss),
      report('first@example.com', 'second@example.com'),
    ])
    await eventually(async () => {
      const { done } = await jobs.status(scores, boss)
      return done > 0 && (await listRecipients(mails)).length > 0 ? true : undefined
    })
    await stack.killAndStart()
    const before = await risk.counts()
    expect(before.rows).toBeGreaterThan(0)
    expect(before.rows).toBeLessThan(10_000)
    await risk.slowDown(0)

    await Promise.all([scores, mails].map(jobs.minutesLater))
    expect(await jobs.ended(scores, boss)).toMatchObject({
      status: 'succeeded',
      done: 10_000,
      total: 10_000,
      result: { counts: { selected: 10_000, succeeded: 10_000, failed: 0 } },
    })
    expect(await risk.counts()).toEqual({ writes: 10_000, rows: 10_000 })
    expect(await jobs.ended(mails, alice)).toMatchObject({
      status: 'unknown',
      recipients: [
        { address: 'first@example.com', status: 'unknown', code: 'interrupted' },
        { address: 'second@example.com', status: 'sent' },
      ],
    })
    await Promise.all([scores, mails].map(everythingAgain))
    // The local SES forgets its mails at a restart: these were sent since.
    expect(await listRecipients(mails)).toEqual(['second@example.com'])
    expect(await risk.counts()).toEqual({ writes: 10_000, rows: 10_000 })
  })
})
