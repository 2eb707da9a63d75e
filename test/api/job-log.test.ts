import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { startJobInstallation } from '../support/jobs/job-installation.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())

const log = recordLog()

afterEach(() => {
  expect(log.take()).not.toMatch(/@example\.test|parcel \d/)
  jobs.mail.faults.clear()
  jobs.queue.faults.clear()
})

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const emails = ['ada@example.test', 'bob@example.test', 'cy@example.test']

/** Without those about messages, which in these tests the queue has never seen. */
const lines = () => log.lines().filter(({ code }) => code !== 'MessageNotInflight')

describe('the log lines of a job', () => {
  it('says in a line for each attempt what it waits for and when it is tried again', async () => {
    jobs.mail.faults.add({ code: 'Throttling', message: 'Daily message quota exceeded.' })
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.work([id])
    const about = { level: 'WARN', job: id, table: 'parcels', action: 'mail_report', attempt: 1, code: 'Throttling' }
    expect(lines()).toMatchObject([about, { ...about, again_after_seconds: expect.any(Number) }])
  })

  it('names the mails that SES refuses for good', async () => {
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'bob@example.test' })
    const id = await jobs.ask('parcels/mail_report', { ...small, emails })
    await jobs.work([id])
    const about = { job: id, table: 'parcels', action: 'mail_report', attempt: 1, code: 'MessageRejected' }
    expect(lines()).toMatchObject([{ level: 'ERROR', ...about }])
  })

  it('says why it failed for a reason that its owner can see', async () => {
    const id = await jobs.ask('parcels/move_all_or_none')
    await jobs.work([id])
    expect(lines()).toMatchObject([{ level: 'WARN', job: id, action: 'move_all_or_none', code: 'not_250' }])
  })

  it('says why it failed by a mistake of its author', async () => {
    const id = await jobs.ask('parcels/break_down')
    await jobs.work([id])
    expect(lines().at(-1)).toMatchObject({ job: id, table: 'parcels', action: 'break_down', attempt: 1 })
    expect(log.text()).not.toContain('secret')
  })

  it('names the call of AWS that failed', async () => {
    jobs.queue.faults.add({ action: 'PUT', times: 3, status: 503 })
    const id = await jobs.ask('parcels/push_report', small)
    await jobs.work([id])
    const [line, ...more] = lines()
    expect(more).toEqual([])
    expect(line).toMatchObject({ level: 'WARN', job: id, table: 'parcels', action: 'push_report', attempt: 1 })
    // The local S3 has no codes of its own.
    expect(line.code).toBe('HTTP 503')
  })

  it('names the action of a request that failed', async () => {
    jobs.queue.faults.add({ action: 'SendMessage', times: 2, status: 500, code: 'InternalError' })
    expect((await jobs.post('bulk-table-action/parcels/mail_report', small)).status).toBe(503)
    expect(lines()).toMatchObject([{ level: 'ERROR', table: 'parcels', action: 'mail_report' }])
  })

  it('says when a job is tried again that could not be claimed, and what failed', async () => {
    const id = await jobs.ask('parcels/move')
    await jobs.sql`alter table table_control.jobs rename to jobs_away`
    try {
      expect((await jobs.work([id])).batchItemFailures).toHaveLength(1)
    } finally {
      await jobs.sql`alter table table_control.jobs_away rename to jobs`
    }
    const about = { level: 'WARN', message: 'a job is tried again', again_after_seconds: expect.any(Number) }
    expect(lines()).toMatchObject([{ ...about, job: id, code: '42P01' }])
  })
})
