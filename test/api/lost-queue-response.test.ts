import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startJobInstallation } from '../support/jobs/job-installation.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const emails = ['ada@example.test', 'bob@example.test', 'cy@example.test']
const findMails = (id: string) => jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === id)

describe('a message that SQS accepts, whose response is lost', () => {
  it('leads to the usual response, even if the job ran meanwhile, and to one mail for each recipient', async () => {
    onTestFinished(recordLog().restore)
    // The first try takes the message and never answers; the worker is done with it before the second one.
    jobs.queue.faults.add({ action: 'SendMessage', kind: 'hang', when: 'after' })
    jobs.queue.faults.add({ action: 'SendMessage', status: 500, code: 'InternalError' })
    jobs.mail.faults.add({ code: 'Throttling', message: 'Daily message quota exceeded.', recipient: 'cy@example.test' })
    const asked = jobs.post('bulk-table-action/parcels/mail_report', { ...small, emails })
    const newest = () => jobs.sql`select id from table_control.jobs where enqueued_at is null and state = 'queued'`
    while ((await newest()).length === 0) await sleep(20)
    const id = String((await newest())[0]?.['id'])
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'queued' })
    expect(await asked).toMatchObject({ status: 200, json: { job: { id, status: 'queued' } } })
    expect((await jobs.job(id)).recipients).toMatchObject([
      { status: 'sent' },
      { status: 'sent' },
      { status: 'pending' },
    ])
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    expect(findMails(id).flatMap(({ destinations }) => destinations)).toEqual(emails)
  })
})
