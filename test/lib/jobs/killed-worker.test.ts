import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TransactionSql } from 'postgres'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { startJobInstallation } from '../../support/jobs/job-installation.ts'
import { hurryReports, parcelCount } from '../../support/jobs/job-tables.ts'

const jobs = await startJobInstallation()
afterAll(() => jobs.stop())

afterEach(async () => {
  jobs.mail.faults.clear()
  await jobs.sql`update parcels set moves = 0 where moves <> 0`
})

const script = fileURLToPath(new URL('../../support/jobs/job-worker-process.ts', import.meta.url))
const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const findMails = (id: string) => jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === id)

function startWorker(id: string): ChildProcess {
  return spawn(process.execPath, [script, JSON.stringify(jobs.createEvent([id]))], {
    env: { ...process.env, ...jobs.environment },
    stdio: 'ignore',
  })
}

async function kill(worker: ChildProcess): Promise<void> {
  const gone = once(worker, 'exit')
  worker.kill('SIGKILL')
  await gone
}

/** Starts a worker, and kills it so many milliseconds after a condition on the job's row holds. */
async function startAndKill(id: string, condition: string, laterMs: number): Promise<void> {
  const worker = startWorker(id)
  try {
    await jobs.until(id, condition)
    await sleep(laterMs)
  } finally {
    if (worker.exitCode === null && worker.signalCode === null) await kill(worker)
  }
}

/** Kills a worker as soon as a condition on the job's row holds; a statement may stand in its way meanwhile. */
async function killedWhen(id: string, condition: string, inTheWay?: string): Promise<void> {
  if (inTheWay === undefined) await startAndKill(id, condition, 0)
  else {
    await jobs.sql.begin(async (holding: TransactionSql) => {
      // A worker that was started before could be past it already.
      await holding.unsafe(inTheWay, inTheWay.includes('$1') ? [id] : [])
      // The next request is the one that it must wait for.
      await startAndKill(id, condition, 150)
    })
  }
  // Postgres notices that the worker is gone.
  await sleep(100)
}

const of = (state: string) =>
  `exists (select from table_control.job_recipients r where r.job_id = job.id and r.state = '${state}')`

describe('a worker that is killed', () => {
  it.each([
    ['after it has claimed the job', 'small', "state = 'running'", 'lock table parcels in access exclusive mode'],
    ['in the middle of the rows', 'slow', 'done > 0', undefined],
    [
      'when the file is written, before anything is sent',
      'small',
      "state = 'running'",
      'select from table_control.job_recipients where job_id = $1 for update',
    ],
  ])('has its report made by the next one and sent once: %s', async (_when, table, condition, inTheWay) => {
    const id = await (table === 'slow' ? jobs.ask('slow/mail_report') : jobs.ask('parcels/mail_report', small))
    await killedWhen(id, condition, inTheWay)
    expect(findMails(id)).toEqual([])
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'running' })
    using _ = hurryReports()
    await jobs.later(id)
    await jobs.work([id, id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
    expect(findMails(id)).toHaveLength(1)
  })

  it.each([
    ['while SES has the mail and has not taken it', { kind: 'hang' }, 0],
    ['while SES has taken the mail and has not answered', { kind: 'hang', when: 'after' }, 1],
  ] as const)('leaves the job unknown, and nothing is sent twice: %s', async (_when, fault, accepted) => {
    jobs.mail.faults.add(fault)
    const id = await jobs.ask('parcels/mail_report', small)
    const worker = startWorker(id)
    await jobs.until(id, `${of('sending')} and state = 'running'`)
    await expect.poll(jobs.mail.faults.count).toBe(0)
    await expect.poll(() => findMails(id).length).toBe(accepted)
    await kill(worker)
    await jobs.later(id)
    await jobs.work([id, id])
    expect(await jobs.job(id)).toMatchObject({
      status: 'unknown',
      code: 'mail_unknown',
      recipients: [{ status: 'unknown', code: 'interrupted' }],
    })
    expect(findMails(id)).toHaveLength(accepted)
    const notifications = await jobs.sql`select from table_control.notifications where dedupe_key = ${`job:${id}`}`
    expect(notifications).toHaveLength(1)
  })

  it('leaves the job unknown after SES has answered and before the response is stored', async () => {
    jobs.mail.faults.add({ kind: 'delay', delayMs: 1_500 })
    const id = await jobs.ask('parcels/mail_report', small)
    const worker = startWorker(id)
    await jobs.until(id, of('sending'))
    await jobs.sql.begin(async (holding) => {
      await holding`select from table_control.jobs where id = ${id} for update`
      while (findMails(id).length === 0) await sleep(20)
      await sleep(200)
      await kill(worker)
    })
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'unknown' })
    expect(findMails(id)).toHaveLength(1)
  })

  it('leaves only the end of the job to write if all mails were sent', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await killedWhen(id, of('sent'), 'lock table table_control.audit in share mode')
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({
      status: 'succeeded',
      done: 10,
      result: { rows: 10 },
      recipients: [{ status: 'sent' }],
    })
    expect(findMails(id)).toHaveLength(1)
  })

  it('has one mail sent to each of its recipients if it was killed between them', async () => {
    jobs.mail.faults.add({ kind: 'hang', recipient: 'noel@example.test' })
    const emails = ['ada@example.test', 'noel@example.test', 'zoe@example.test']
    const id = await jobs.ask('parcels/mail_report', { ...small, emails })
    await killedWhen(id, `${of('sent')} and ${of('sending')}`)
    jobs.mail.faults.add({ message: 'Daily message quota exceeded.', recipient: 'zoe@example.test' })
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({
      status: 'queued',
      recipients: [{ status: 'sent' }, { status: 'unknown' }, { status: 'pending' }],
    })
    await jobs.later(id)
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({
      status: 'unknown',
      recipients: [{ status: 'sent' }, { status: 'unknown' }, { status: 'sent' }],
    })
    expect(findMails(id).flatMap(({ destinations }) => destinations)).toEqual(['ada@example.test', 'zoe@example.test'])
  })

  it('changes each row once if it is killed anywhere in an action, three times', async () => {
    const id = await jobs.ask('slow/wait')
    for (const done of [400, 1_200, 2_000]) {
      await killedWhen(id, `done >= ${done}`)
      await jobs.later(id)
    }
    await jobs.work([id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', done: parcelCount })
    expect(await jobs.sql`select distinct moves from parcels`).toMatchObject([{ moves: 1 }])
  })

  it.each([
    [
      // The row in its way is stored, and removed before the next worker.
      'between two chunks',
      "state = 'running'",
      "insert into table_control.job_chunks (job_id, position, keys) values ($1, 20, '[]')",
      1,
    ],
    [
      'when all rows are stored, before the job has ended',
      'exists (select from table_control.plans plan where plan.id = job.id)',
      'lock table table_control.audit in share mode',
      32,
    ],
  ])('has its plan made once by the next one: %s', async (_when, condition, inTheWay, chunks) => {
    const id = await jobs.ask('parcels/move', { plan: true })
    await killedWhen(id, condition, inTheWay)
    const stored = await jobs.sql`select from table_control.job_chunks where job_id = ${id}`
    expect(stored).toHaveLength(chunks)
    await jobs.sql`delete from table_control.job_chunks where keys = '[]'`
    await jobs.later(id)
    await jobs.work([id, id])
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', result: { plan: { id, applicable: parcelCount } } })
    const keys = await jobs.sql`
      select distinct key from table_control.job_chunks, jsonb_array_elements_text(keys) key where job_id = ${id}`
    expect(keys).toHaveLength(parcelCount)
  })

  it('applies a plan once to each row if it is killed twice in the middle', async () => {
    const planned = await jobs.ask('slow/wait', { plan: true })
    await jobs.work([planned])
    await jobs.sql`update parcels set name = 'other' where id = 3000`
    const id = await jobs.ask('slow/wait', { plan_id: planned })
    for (const done of [400, 1_600]) {
      await killedWhen(id, `done >= ${done}`)
      await jobs.later(id)
    }
    await jobs.work([id])
    const counts = { selected: parcelCount, succeeded: parcelCount - 1, failed: 1 }
    expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', result: { counts } })
    const moves = await jobs.sql`select moves, count(*)::int as count from parcels group by moves order by moves`
    expect(moves).toEqual([
      { moves: 0, count: 1 },
      { moves: 1, count: parcelCount - 1 },
    ])
  })

  it('fails the job with a text before its message is given up, if it is killed every time', async () => {
    const id = await jobs.ask('parcels/mail_report', small)
    await jobs.sql`update table_control.jobs set state = 'running', attempts = 4, lease_until = now() where id = ${id}`
    expect(await jobs.work([id])).toEqual({ batchItemFailures: [] })
    expect(await jobs.job(id)).toMatchObject({ status: 'failed', code: 'internal_error' })
  })
})
