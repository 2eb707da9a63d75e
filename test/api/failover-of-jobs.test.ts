import { afterAll, afterEach, expect, it } from 'vitest'
import { loadConfig } from '../../lib/config.ts'
import { createWorkerService, reportWorker } from '../../lib/index.ts'
import { nora, startJobInstallation } from '../support/jobs/job-installation.ts'
import { jobRegistry, parcelCount } from '../support/jobs/job-tables.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'

const jobs = await startJobInstallation()
const proxy = await startTcpProxy({ target: String(jobs.environment['DATABASE_URL']) })
recordLog()
afterAll(async () => {
  await jobs.stop()
  await proxy.close()
})
afterEach(async () => {
  proxy.spoil(undefined)
  jobs.mail.faults.clear()
  await jobs.sql`update parcels set moves = 0 where moves <> 0`
})

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const findMails = (id: string) => jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === id)

/** Hands the job's message to a new worker, whose connections have no statements prepared: their texts are sent. */
async function work(id: string): Promise<void> {
  const workers = createWorkerService(loadConfig({ ...jobs.environment, DATABASE_URL: proxy.url() }))
  const worker = reportWorker(jobRegistry, () => workers)
  await worker(jobs.createEvent([id]), { getRemainingTimeInMillis: () => 900_000 })
  await Promise.all([workers.database.close(), workers.work.close()])
}

/** Lets the commit that follows a statement happen, and loses its response; or loses the commit on its way. */
const loseCommit = (after: string, from: 'client' | 'server') =>
  proxy.spoil({ kind: 'cut', from, containing: from === 'server' ? 'COMMIT' : 'commit', after })

const steps = [
  ['takes the job', "set state = 'running'"],
  ['records that a mail is about to be sent', "set state = 'sending'"],
  ['records what came of the mail', 'set state = $4'],
  ['ends the job', 'finished_at = now()'],
] as const
const sides = [
  ['saved', 'server'],
  ['not saved', 'client'],
] as const

it.each(steps.flatMap(([step, text]) => sides.map(([fate, from]) => ({ step, text, fate, from }))))(
  'a report is mailed once when the commit that $step is in doubt and was $fate',
  async ({ text, from }) => {
    const id = await jobs.ask('parcels/mail_report', small)
    loseCommit(text, from)
    await work(id)
    expect(proxy.isSpoilt()).toBe(false)
    for (let attempt = 0; attempt < 3; attempt++) {
      await jobs.later(id)
      await work(id)
    }
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', recipients: [{ status: 'sent' }] })
    expect(findMails(id)).toHaveLength(1)
  },
)

const failureMailSteps = [
  ['claims it', 'returning address, attempts', undefined],
  ['records that it was sent', 'message_id = $4', undefined],
  ['records that SES asks for time', 'message_id = $4', 'Throttling'],
] as const

it.each(
  failureMailSteps.flatMap(([step, text, code]) => sides.map(([fate, from]) => ({ step, text, code, fate, from }))),
)(
  'the mail about a failed report is sent once when the commit that $step is in doubt and was $fate',
  async ({ text, from, code }) => {
    jobs.mail.faults.add({ code: 'MessageRejected', recipient: 'ada@example.test' })
    if (code !== undefined) jobs.mail.faults.add({ code, recipient: String(nora.email) })
    const id = await jobs.ask('parcels/mail_report', { ...small, emails: ['ada@example.test'] })
    const findOwn = () => jobs.mail.envelopes().filter(({ destinations }) => destinations.includes(String(nora.email)))
    const before = findOwn().length
    loseCommit(text, from)
    await work(id)
    expect(proxy.isSpoilt()).toBe(false)
    for (let attempt = 0; attempt < 2; attempt++) {
      await jobs.sql`update table_control.failure_mails set not_before = null,
        updated_at = now() - interval '6 minutes', enqueued_at = now() - interval '3 minutes' where job_id = ${id}`
      await jobs.sweep()
      await work(id)
    }
    expect(findOwn()).toHaveLength(before + 1)
    const states = await jobs.sql`select state from table_control.failure_mails where job_id = ${id}`
    expect(states).toEqual([{ state: 'sent' }])
  },
)

it.each(sides)('a chunk of rows whose commit is in doubt and was %s is changed once', async (_fate, from) => {
  const id = await jobs.ask('slow/wait')
  loseCommit('set done_at = now()', from)
  await work(id)
  expect(proxy.isSpoilt()).toBe(false)
  for (let attempt = 0; attempt < 2; attempt++) {
    await jobs.later(id)
    await work(id)
  }
  expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', done: parcelCount })
  expect(await jobs.sql`select distinct moves from parcels`).toMatchObject([{ moves: 1 }])
})
