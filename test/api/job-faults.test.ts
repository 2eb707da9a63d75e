import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { Fault } from '../../infra/local/faults.ts'
import { createRandom } from '../faults/random.ts'
import { startJobInstallation } from '../support/jobs/job-installation.ts'
import { hurryReports, parcelCount } from '../support/jobs/job-tables.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())

const log = recordLog()

afterEach(async () => {
  // After every failure: logs contain no address and no cell.
  expect(log.take()).not.toMatch(/@example\.test|parcel \d/)
  jobs.mail.faults.clear()
  jobs.queue.faults.clear()
  await jobs.sql`update parcels set moves = 0 where moves <> 0`
})

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const emails = ['ada@example.test', 'bob@example.test', 'cy@example.test']
const findMails = (id: string) => jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === id)
const recipients = async (id: string) =>
  Object.fromEntries(
    (await jobs.job(id)).recipients.map(({ address, status }: Record<string, string>) => [address, status]),
  )
const findNotifications = (id: string) =>
  jobs.sql`select level, title, data from table_control.notifications where dedupe_key = ${`job:${id}`}`
const { shuffle } = createRandom(11)

describe('the worker', () => {
  it('sends one mail for each job if messages come one to five times, in any order, to two workers at once', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => jobs.ask('parcels/mail_report', small)))
    const deliveries = shuffle(ids.flatMap((id, index) => Array.from({ length: 1 + (index % 5) }, () => id)))
    const halves = [deliveries.slice(0, 45), deliveries.slice(45)]
    for (const response of await Promise.all(halves.map((half) => jobs.work(half)))) {
      expect(response).toEqual({ batchItemFailures: [] })
    }
    for (const id of ids) {
      expect(findMails(id)).toHaveLength(1)
      expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    }
  })

  it('does nothing for a job that has ended, is deleted or has another worker', async () => {
    const id = await jobs.ask('slow/wait', {})
    const working = jobs.work([id])
    await jobs.until(id, 'done > 0')
    const hands = () => jobs.sql`select lease_token from table_control.jobs where id = ${id}`
    const before = await hands()
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(await hands()).toEqual(before)
    await working
    const gone = 'bf2c1cd0-6c0e-4f5c-8a3e-7f3f5f3f3f3f'
    expect(await jobs.work([id, gone])).toEqual({ batchItemFailures: [] })
    expect(await jobs.sql`select distinct moves from parcels`).toMatchObject([{ moves: 1 }])
  })

  it.each(['', 'no json', '{}', '[]', 'null', '{"v":2,"job":"x"}', '{"v":1,"job":"x"}', '{"v":1}'])(
    'fails only the message %j of several',
    async (body) => {
      const id = await jobs.ask('parcels/mail_report', small)
      const record = { messageId: 'bad', receiptHandle: 'none', body, attributes: { ApproximateReceiveCount: '1' } }
      const good = { ...record, messageId: 'good', body: JSON.stringify({ v: 1, job: id }) }
      // The part of an SQS record that a worker reads.
      const Records = [record, good] as unknown as Parameters<typeof jobs.worker>[0]['Records']
      expect(await jobs.worker({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] })
      expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    },
  )
})

describe('a report by e-mail while SES fails', () => {
  it('reaches the other two if one of three recipients is refused, and its owner is notified of that one', async () => {
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'bob@example.test' })
    const id = await jobs.ask('parcels/mail_report', { ...small, emails })
    await jobs.work([id])
    expect(await recipients(id)).toEqual({
      'ada@example.test': 'sent',
      'bob@example.test': 'failed',
      'cy@example.test': 'sent',
    })
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', code: 'mail_failed' })
    expect(await findNotifications(id)).toMatchObject([{ level: 'warning', data: { code: 'mail_failed' } }])
    expect(findMails(id)).toHaveLength(2)
  })

  it('fails and is not tried again if every recipient is refused', async () => {
    jobs.mail.faults.add({ code: 'AccountSendingPausedException', times: 9 })
    const id = await jobs.ask('parcels/mail_report', small)
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'mail_failed' })
    expect(await findNotifications(id)).toMatchObject([{ level: 'danger' }])
  })

  it('is sent again within the same run if SES throttles it for a moment', async () => {
    jobs.mail.faults.add({ code: 'Throttling', message: 'Maximum sending rate exceeded.' })
    const id = await jobs.ask('parcels/mail_report', small)
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    expect(findMails(id)).toHaveLength(1)
  })

  it('waits if the daily quota is used up, four times at most', async () => {
    jobs.mail.faults.add({ code: 'Throttling', message: 'Daily message quota exceeded.', times: 4 })
    const id = await jobs.ask('parcels/mail_report', small)
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect((await jobs.work([id])).batchItemFailures).toHaveLength(1)
      expect(await jobs.job(id)).toMatchObject({ status: 'queued' })
      const waits =
        await jobs.sql`select not_before > now() + interval '50 minutes' as long from table_control.jobs where id = ${id}`
      expect(waits).toMatchObject([{ long: true }])
      expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
      await jobs.later(id)
    }
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'mail_failed' })
    expect(await findNotifications(id)).toHaveLength(1)
    expect(findMails(id)).toEqual([])
  })

  const ambiguous: readonly [string, Fault, number][] = [
    ['resets the connection before it takes the mail', { kind: 'reset' }, 0],
    ['resets the connection after it took the mail', { kind: 'reset', when: 'after' }, 1],
    ['fails inside after it took the mail', { kind: 'error', code: 'InternalFailure', status: 500, when: 'after' }, 1],
  ]
  it.each(ambiguous)('becomes unknown and is not sent twice if SES %s', async (_what, fault, accepted) => {
    jobs.mail.faults.add(fault)
    const id = await jobs.ask('parcels/mail_report', small)
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(await jobs.job(id)).toMatchObject({ status: 'unknown', code: 'mail_unknown' })
    expect(await findNotifications(id)).toMatchObject([
      { level: 'warning', title: { en: 'Please check: Mail report' } },
    ])
    await jobs.later(id)
    await jobs.work([id, id])
    expect(findMails(id)).toHaveLength(accepted)
  })
})

describe('a request whose job SQS does not take', () => {
  it('is answered 503, its job never runs, and its key may be used again', async () => {
    jobs.queue.faults.add({ action: 'SendMessage', times: 2, status: 500, code: 'InternalError' })
    const headers = { 'idempotency-key': 'once' }
    const refused = await jobs.post('bulk-table-action/parcels/mail_report', small, { headers })
    expect(refused).toMatchObject({ status: 503, json: { code: 'unavailable' } })
    const [abandoned] =
      await jobs.sql`select id from table_control.jobs where state = 'failed' order by created_at desc limit 1`
    await jobs.work([abandoned?.['id']])
    expect(findMails(abandoned?.['id'])).toEqual([])
    const again = await jobs.post('bulk-table-action/parcels/mail_report', small, { headers })
    expect(again).toMatchObject({ status: 200, json: { job: { status: 'queued' } } })
    expect(again.json.job.id).not.toBe(abandoned?.['id'])
  })
})

describe('a report whose file S3 does not take', () => {
  it('waits and is made again', async () => {
    jobs.queue.faults.add({ action: 'PUT', times: 3, status: 503, code: 'SlowDown' })
    const id = await jobs.ask('parcels/push_report', small)
    expect((await jobs.work([id])).batchItemFailures).toHaveLength(1)
    expect(await jobs.job(id)).toMatchObject({ status: 'queued' })
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', result: { rows: 10 } })
  })
})

describe('a job whose connections Postgres ends', () => {
  it('makes its report again and sends it once', async () => {
    const id = await jobs.ask('slow/mail_report')
    const working = jobs.work([id])
    await jobs.until(id, 'done > 0')
    await jobs.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'table-control%'`
    expect((await working).batchItemFailures).toHaveLength(1)
    expect(await jobs.job(id)).toMatchObject({ status: 'queued' })
    using _ = hurryReports()
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', done: parcelCount })
    expect(findMails(id)).toHaveLength(1)
  })

  it('changes each row once, though they end repeatedly, between and in chunks', async () => {
    const id = await jobs.ask('slow/wait')
    for (let end = 0; end < 3; end++) {
      const working = jobs.work([id])
      await jobs.until(id, `done >= ${(end + 1) * 300}`)
      await jobs.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'table-control-work'`
      await working
      await jobs.later(id)
    }
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', done: parcelCount })
    expect(await jobs.sql`select distinct moves from parcels`).toMatchObject([{ moves: 1 }])
  })
})

describe('a job whose table was migrated while its worker was warm', () => {
  it('is tried again and changes each row once', async () => {
    for (let time = 0; time < 4; time++) await jobs.work([await jobs.ask('parcels/move', small)])
    await jobs.sql`alter table parcels alter column name type varchar(90)`
    const id = await jobs.ask('parcels/move', small)
    expect((await jobs.work([id])).batchItemFailures).toHaveLength(1)
    expect(await jobs.job(id)).toMatchObject({ status: 'queued' })
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', done: 10 })
    expect(await jobs.sql`select distinct moves from parcels where depot = 'small'`).toMatchObject([{ moves: 5 }])
  })
})

describe('a job whose function has no time left', () => {
  /** Works on a job, and has less than a minute left once some rows are done. */
  const runOutOfTime = async (id: string) => {
    let remainingMs = 900_000
    const working = jobs.worker(eventFor(id), { getRemainingTimeInMillis: () => remainingMs })
    await jobs.until(id, 'done > 0')
    remainingMs = 59_000
    await working
  }

  it('ends as too large if it makes a report', async () => {
    const id = await jobs.ask('slow/mail_report')
    await runOutOfTime(id)
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'report_too_large' })
    expect(findMails(id)).toEqual([])
  })

  it('continues its action by another message where it stopped', async () => {
    const id = await jobs.ask('slow/wait')
    await runOutOfTime(id)
    const { status, done } = await jobs.job(id)
    expect(status).toBe('queued')
    expect(done).toBeGreaterThan(0)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', done: parcelCount })
    expect(await jobs.sql`select distinct moves from parcels`).toMatchObject([{ moves: 1 }])
  })

  it('counts its attempts anew after each function that made progress', async () => {
    const id = await jobs.ask('slow/wait')
    await jobs.sql`update table_control.jobs set attempts = 3 where id = ${id}`
    await runOutOfTime(id)
    expect(await jobs.sql`select state, attempts from table_control.jobs where id = ${id}`).toEqual([
      { state: 'queued', attempts: 1 },
    ])
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
  })

  it('does nothing and is not tried again if its action is atomic', async () => {
    const id = await jobs.ask('slow/wait_all_or_none')
    await runOutOfTime(id)
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'timed_out' })
    expect(await jobs.sql`select distinct moves from parcels`).toMatchObject([{ moves: 0 }])
  })

  it('leaves the code of an author that hangs', async () => {
    let remainingMs = 900_000
    const begin = async (action: string, condition: string) => {
      const id = await jobs.ask(`hanging/${action}`, { selected_ids: [1] })
      const working = jobs.worker(eventFor(id), { getRemainingTimeInMillis: () => remainingMs })
      await jobs.until(id, condition)
      return { id, working }
    }
    const begun = [
      await begin('conclude', 'done > 0'),
      await begin('tell', 'done > 0'),
      await begin('tell_all', 'done > 0'),
      await begin('load', "state = 'running'"),
      // Last, because it locks the row that all of them select.
      await begin('run', "state = 'running'"),
    ]
    remainingMs = 29_000
    await Promise.all(begun.map(({ working }) => working))
    const ended = await Promise.all(begun.map(({ id }) => jobs.job(id)))
    expect(ended.map(({ status, code }) => code ?? status)).toEqual([
      'timed_out',
      'queued',
      'queued',
      'timed_out',
      'queued',
    ])
    const told = begun.slice(1, 3).map(({ id }) => id)
    await jobs.work(told)
    for (const id of told) expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
  })

  const eventFor = (id: string) => jobs.createEvent([id])
})
