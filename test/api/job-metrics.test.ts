import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { startJobInstallation } from '../support/jobs/job-installation.ts'
import { listMetrics } from '../support/log/metric-line.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const jobs = await startJobInstallation({ LOG_LEVEL: 'info' })
const log = recordLog()
afterAll(() => {
  log.restore()
  return jobs.stop()
})
afterEach(() => {
  expect(log.take()).not.toMatch(/@example\.test|parcel \d/)
  jobs.mail.faults.clear()
  jobs.queue.faults.clear()
})

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const emails = ['ada@example.test', 'bob@example.test', 'cy@example.test']
const toLine = (endpoint: string) => log.lines().findLast((line) => line.endpoint === endpoint)

describe("the worker's line", () => {
  it('counts what was made and sent, and says how long the job had waited', async () => {
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'bob@example.test' })
    const id = await jobs.ask('parcels/mail_report', { ...small, emails })
    const { request_id } = toLine('bulkTableAction')
    const event = jobs.createEvent([id])
    for (const record of event.Records) record.attributes.SentTimestamp = String(Date.now() - 5_000)
    await jobs.worker(event, { getRemainingTimeInMillis: () => 900_000 })
    const line = toLine('reportWorker')
    expect(line).toMatchObject({ level: 'INFO', job: id, request_id, table: 'parcels', action: 'mail_report' })
    const metrics = listMetrics(line)
    expect(metrics).toMatchObject({
      'Exports by service': 1,
      'ReportRows by service': 10,
      // Two reports, and the mail that tells of the third.
      'MailsSent by service': 3,
      'MailsFailed by service': 1,
    })
    expect(metrics['QueueAge by service']).toBeGreaterThanOrEqual(5_000)
  })

  it('counts a mail that may or may not have been sent', async () => {
    jobs.mail.faults.add({ kind: 'reset', when: 'after', recipient: 'ada@example.test' })
    const id = await jobs.ask('parcels/mail_report', { ...small, emails: ['ada@example.test'] })
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'unknown' })
    expect(toLine('reportWorker')).toMatchObject({ MailsUnknown: 1 })
  })

  it('counts jobs that are tried again, and jobs that failed by no fault of their owners', async () => {
    jobs.mail.faults.add({ code: 'Throttling', message: 'Daily message quota exceeded.' })
    await jobs.work([await jobs.ask('parcels/mail_report', { ...small, emails: ['cy@example.test'] })])
    expect(toLine('reportWorker')).toMatchObject({ MailsDelayed: 1, JobsRetried: 1 })
    await jobs.work([await jobs.ask('parcels/break_down')])
    expect(toLine('reportWorker')).toMatchObject({ JobsFailed: 1 })
    await jobs.work([await jobs.ask('parcels/move_all_or_none')])
    expect(toLine('reportWorker')).not.toHaveProperty('JobsFailed')
  })

  it('is there also for a message that is none of ours', async () => {
    const [record] = jobs.createEvent(['x']).Records
    if (record !== undefined) {
      await jobs.worker({ Records: [{ ...record, body: 'hello' }] }, { getRemainingTimeInMillis: () => 900_000 })
    }
    expect(listMetrics(toLine('reportWorker'))).toHaveProperty(['Duration by service,endpoint'])
  })
})

describe("the sweep's line", () => {
  it('says that it came to its end, and what it found', async () => {
    const id = await jobs.ask('parcels/move')
    await jobs.sql`update table_control.jobs set created_at = now() - interval '10 minutes',
      enqueued_at = now() - interval '10 minutes' where id = ${id}`
    await jobs.sweep()
    const line = toLine('sweep')
    expect(line).toMatchObject({ level: 'INFO', Sweeps: 1, JobsOverdue: 0 })
    expect(line.JobsResent).toBeGreaterThanOrEqual(1)
    expect(listMetrics(line)).toHaveProperty(['Sweeps by service'], 1)
  })

  it('does not say so where a step has failed', async () => {
    await jobs.sql`alter table table_control.sockets rename to sockets_away`
    await expect(jobs.sweep()).rejects.toThrow('The sweep was not complete')
    await jobs.sql`alter table table_control.sockets_away rename to sockets`
    expect(toLine('sweep')).not.toHaveProperty('Sweeps')
    const failed = { level: 'ERROR', route: 'sweep', step: 'SocketsClosed' }
    expect(log.lines()).toContainEqual(expect.objectContaining(failed))
  })
})
