import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../lib/config.ts'
import { createService, createWorkerService, reportWorker, sweep } from '../../../lib/index.ts'
import { type JobInstallation, startJobInstallation } from '../../support/jobs/job-installation.ts'
import { jobRegistry, jobTemplate, parcelCount } from '../../support/jobs/job-tables.ts'
import { queuedMessages } from '../../support/jobs/queued-jobs.ts'
import { type ArchivingServer, startArchivingServer } from './restored-server.ts'

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const runbook = readFileSync(new URL('../../../infra/RUNBOOK.md', import.meta.url), 'utf8')
const [, restoreSection = ''] = /\n### Restore\n(.*?)\n### /s.exec(runbook) ?? []
const [, keepsMailsBack = ''] = /```sql\n(.*?)```/s.exec(restoreSection) ?? []

let first: ArchivingServer
let jobs: JobInstallation
/** The database as of the time that was restored. */
let restored: Sql
let ids: Readonly<Record<'running' | 'queued' | 'sent' | 'sending' | 'queuedMail' | 'lost', string>>

const findMails = (id: string) => jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === id)

/** The functions on a database that is there now. */
function functionsOn(url: string) {
  const config = loadConfig({ ...jobs.environment, DATABASE_URL: url })
  const service = createService(config)
  const workers = createWorkerService(config)
  const worker = reportWorker(jobRegistry, () => workers)
  return {
    sweep: sweep(() => service),
    work: (id: string) => worker(jobs.createEvent([id]), { getRemainingTimeInMillis: () => 900_000 }),
    close: () => Promise.all([service.database.close(), workers.database.close(), workers.work.close()]),
  }
}

beforeAll(async () => {
  first = await startArchivingServer()
  await jobTemplate.build(first.server.url())
  await first.takeBaseBackup()
  jobs = await startJobInstallation({ DATABASE_URL: first.server.url() })
  const ask = (path: string) => jobs.ask(path, small)
  const before = {
    running: await ask('parcels/move'),
    queued: await ask('parcels/move'),
    sent: await ask('parcels/mail_report'),
    sending: await ask('parcels/mail_report'),
    queuedMail: await ask('parcels/mail_report'),
  }
  await jobs.work([before.sent])
  const held = { lease_token: crypto.randomUUID(), attempts: 1, state: 'running' }
  for (const id of [before.running, before.sending])
    await first.sql`update table_control.jobs set ${first.sql(held)}, started_at = now(),
      lease_until = now() + interval '1 second' where id = ${id}`
  await first.sql`update table_control.job_recipients set state = 'sending' where job_id = ${before.sending}`
  await first.sql`insert into table_control.failure_mails (job_id, address) values (${before.sent}, 'nora@example.test')`

  // Later than every commit above, and earlier than every commit below.
  await sleep(20)
  const [moment] = await first.sql`select clock_timestamp()::text as now`
  await sleep(20)
  await jobs.work([before.queuedMail])
  ids = { ...before, lost: await ask('parcels/move') }
  await first.sql`update parcels set moves = 99`

  await Promise.all([jobs.service.database.close()])
  const server = await first.restoreTo(String(moment?.['now']))
  restored = postgres(server.url(), { max: 2, onnotice: () => {} })
  await restored.unsafe(keepsMailsBack)
  // The queue outlives the database, but the messages of jobs that were worked on are gone.
  await queuedMessages(jobs.queue)
  await restored`update table_control.jobs set enqueued_at = now() - interval '1 hour' where state in ('queued', 'running')`
  const functions = functionsOn(server.url())
  const isHeld = async () => (await restored`select from table_control.jobs where lease_until >= now()`).length > 0
  while (await isHeld()) await sleep(50)
  await functions.sweep()
  const found = (await queuedMessages(jobs.queue)) as readonly { readonly job: string }[]
  for (const { job } of found) await functions.work(job)
  // A message that the queue still had when the database was lost.
  for (const id of Object.values(ids)) await functions.work(id)
  await functions.close()
})

afterAll(async () => {
  await restored?.end({ timeout: 5 })
  await jobs?.stop()
  await first?.stop()
})

const readState = async (id: string) =>
  (await restored`select state from table_control.jobs where id = ${id}`)[0]?.['state']

describe('a database that was restored to a point in time', () => {
  it('has what was committed until then, and nothing of what came later', async () => {
    expect(await readState(ids.lost)).toBeUndefined()
    expect(await readState(ids.sent)).toBe('succeeded')
    const [later] = await restored`select count(*)::int as rows from parcels where moves = 99`
    expect(later?.['rows']).toBe(0)
  })

  it('lets jobs go on that were queued or under way, each of them once', async () => {
    expect([await readState(ids.queued), await readState(ids.running)]).toEqual(['succeeded', 'succeeded'])
    const [moved] = await restored`select sum(moves)::int as moves, count(*)::int as rows from parcels`
    expect(moved).toMatchObject({ moves: 2 * 10, rows: parcelCount })
  })

  it('sends no mail twice, whether it was sent before that time or after', async () => {
    expect([ids.sent, ids.queuedMail, ids.sending].map((id) => findMails(id).length)).toEqual([1, 1, 0])
  })

  it('does not try again a mail about a failed job that may have been sent after that time', async () => {
    const mails = await restored`select state, attempts from table_control.failure_mails where job_id = ${ids.sent}`
    expect(mails).toEqual([{ state: 'sending', attempts: 0 }])
  })

  it('notifies the owners of mails that may have been sent', async () => {
    expect([await readState(ids.sending), await readState(ids.queuedMail)]).toEqual(['unknown', 'unknown'])
    for (const id of [ids.sending, ids.queuedMail])
      expect(await restored`select from table_control.notifications where dedupe_key = ${`job:${id}`}`).toHaveLength(1)
  })
})
