import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, expect, onTestFinished } from 'vitest'
import type { Fault } from '../../infra/local/faults.ts'
import { nora, startJobInstallation } from '../support/jobs/job-installation.ts'
import { parcelCount } from '../support/jobs/job-tables.ts'
import { queuedMessages } from '../support/jobs/queued-jobs.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { gatewayEvent } from '../support/requests/gateway-event.ts'
import { fault } from './fault.ts'
import type { Random } from './random.ts'

const jobs = await startJobInstallation()
recordLog()
afterAll(() => jobs.stop())
beforeEach(async () => {
  await jobs.sql`update parcels set moves = 0 where moves <> 0`
  await jobs.sql.unsafe('delete from table_control.jobs; delete from table_control.idempotency_keys')
  await queuedMessages(jobs.queue)
})
afterEach(() => {
  jobs.mail.faults.clear()
  jobs.queue.faults.clear()
})

const small = { filters: [{ field: 'depot', operator: '=', value: 'small' }] }
const people = ['ada@example.test', 'bob@example.test', 'cy@example.test']
const mailsTo = (id: string, address: string): number =>
  jobs.mail.envelopes().filter(({ tags, destinations }) => tags['job_id'] === id && destinations.includes(address))
    .length
const movesOfAll = async () => (await jobs.sql`select distinct moves from parcels order by 1`).map(({ moves }) => moves)

interface Recipient {
  readonly address: string
  readonly status: string
}

/** Lets time pass and hands the message over again until the job has ended. */
async function endedJob(id: string) {
  for (let attempt = 0; attempt < 12; attempt++) {
    const job = await jobs.job(id)
    if (!['queued', 'running'].includes(job.status)) return job
    await jobs.later(id)
    await jobs.work([id])
  }
  throw new Error(`the job does not end: ${JSON.stringify(await jobs.job(id))}`)
}

/** Each recipient has at most one mail, and exactly one where the job says so. */
function expectMailedOnce(id: string, recipients: readonly Recipient[]): void {
  for (const { address, status } of recipients) {
    const mails = mailsTo(id, address)
    if (status === 'unknown') expect(mails).toBeLessThanOrEqual(1)
    else expect([address, status, mails]).toEqual([address, status, status === 'sent' ? 1 : 0])
  }
}

const script = (name: string) => fileURLToPath(new URL(`../support/jobs/${name}`, import.meta.url))

interface ProcessOptions {
  readonly before?: readonly string[]
  readonly node?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

function start(
  name: string,
  argument: unknown,
  { before = [], node = [], env = {} }: ProcessOptions = {},
): ChildProcess {
  const [file = '', ...args] = [...before, process.execPath, ...node, script(name), JSON.stringify(argument)]
  return spawn(file, args, { env: { ...process.env, ...jobs.environment, ...env }, stdio: 'ignore' })
}

const isOver = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

async function kill(child: ChildProcess): Promise<void> {
  if (isOver(child)) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

fault('F9', 'the disk of the worker is full', async (random) => {
  const directory = await mkdtemp(join(tmpdir(), 'table-control-full-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const id = await jobs.ask('parcels/push_report')
  const before = ['prlimit', `--fsize=${random.int(0, 20_000)}`]
  const worker = start('job-worker-process.ts', jobs.createEvent([id]), { before, env: { TMPDIR: directory } })
  await once(worker, 'exit')
  expect(['queued', 'failed']).toContain((await jobs.job(id)).status)
  expect((await readdir(directory)).filter((name) => !name.startsWith('node-compile-cache'))).toEqual([])
})

fault('F11', 'messages come one to five times, in any order, to two workers', async (random) => {
  const ids = await Promise.all(Array.from({ length: random.int(5, 15) }, () => jobs.ask('parcels/mail_report', small)))
  const deliveries = random.shuffle(ids.flatMap((id) => Array.from({ length: random.int(1, 5) }, () => id)))
  const half = random.int(1, deliveries.length - 1)
  await Promise.all([jobs.work(deliveries.slice(0, half)), jobs.work(deliveries.slice(half))])
  for (const id of ids) {
    const { status, recipients } = await jobs.job(id)
    expect(status).toBe('succeeded')
    expectMailedOnce(id, recipients)
  }
})

const queueFaults: readonly Fault[] = [
  { action: 'SendMessage', status: 500, code: 'InternalError' },
  { action: 'SendMessage', status: 403, code: 'ThrottlingException' },
  { action: 'SendMessage', kind: 'reset' },
  { action: 'SendMessage', kind: 'reset', when: 'after' },
  { action: 'SendMessage', kind: 'error', status: 500, code: 'InternalError', when: 'after' },
]

fault('F12', 'SQS refuses a message, or takes it and does not say so', async (random) => {
  const asked = random.pick(queueFaults)
  jobs.queue.faults.add({ ...asked, times: random.int(1, 3) })
  const headers = { 'idempotency-key': 'once' }
  const ask = () => jobs.post('bulk-table-action/parcels/mail_report', small, { headers })
  const first = await ask()
  expect([200, 503]).toContain(first.status)
  jobs.queue.faults.clear()
  const again = await ask()
  expect(again.status, again.text).toBe(200)
  const unfinished = await jobs.sql`select id from table_control.jobs where state <> 'failed'`
  expect(unfinished).toMatchObject([{ id: again.json.job.id }])
  for (const { id } of await jobs.sql`select id from table_control.jobs`) await jobs.work([id, id])
  const { status, recipients } = await jobs.job(again.json.job.id)
  expect(status).toBe('succeeded')
  expectMailedOnce(again.json.job.id, recipients)
  expect(jobs.mail.envelopes().filter(({ tags }) => tags['job_id'] === unfinished[0]?.['id'])).toHaveLength(1)
})

fault('F13', 'the function dies between the commit and the message', async (random) => {
  jobs.queue.faults.add({
    action: 'SendMessage',
    kind: 'hang',
    when: random.pick(['before', 'after'] as const),
    times: 3,
  })
  const headers = { authorization: `Bearer ${jobs.provider.tokenFor(nora)}` }
  const path = '/api/api-table/control-tables/bulk-table-action/parcels/mail_report'
  const { event } = gatewayEvent({ method: 'POST', path, body: small, headers })
  const request = start('job-request-process.ts', event)
  const selectJobs = () => jobs.sql`select id from table_control.jobs`
  await expect.poll(async () => (await selectJobs()).length, { interval: 10 }).toBe(1)
  await sleep(random.int(0, 300))
  await kill(request)
  jobs.queue.faults.clear()
  await queuedMessages(jobs.queue)
  const id = String((await selectJobs())[0]?.['id'])
  expect(await jobs.job(id)).toMatchObject({ status: 'queued' })
  await jobs.sql`update table_control.jobs set created_at = now() - interval '3 minutes' where id = ${id}`
  await jobs.sweep()
  expect(await queuedMessages(jobs.queue)).toEqual([{ v: 1, job: id }])
  const { status, recipients } = await endedJob(id)
  expect(status).toBe('succeeded')
  expectMailedOnce(id, recipients)
})

/** Runs a worker that is killed at a random moment after it has begun with the job. */
async function killWorker(random: Random, id: string, maxMs: number): Promise<void> {
  const worker = start('job-worker-process.ts', jobs.createEvent([id]))
  const begun = async () =>
    isOver(worker) || (await jobs.sql`select from table_control.jobs where id = ${id} and attempts > 0`).length > 0
  await expect.poll(begun, { interval: 5 }).toBe(true)
  await sleep(random.int(0, maxMs))
  await kill(worker)
}

fault('F14', 'the worker is killed anywhere', async (random) => {
  const isReport = random.chance(0.6)
  if (isReport)
    jobs.mail.faults.add({
      kind: 'delay',
      delayMs: random.int(50, 800),
      when: random.pick(['before', 'after'] as const),
    })
  const id = isReport
    ? await jobs.ask('parcels/mail_report', { ...small, emails: people })
    : await jobs.ask('slow/wait')
  await killWorker(random, id, isReport ? 600 : 2_000)
  // Mails that SES had accepted by then arrive.
  await sleep(900)
  jobs.mail.faults.clear()
  const job = await endedJob(id)
  expect(isReport ? ['succeeded', 'unknown'] : ['succeeded']).toContain(job.status)
  if (isReport) expectMailedOnce(id, job.recipients)
  else expect([job.done, await movesOfAll()]).toEqual([parcelCount, [1]])
})

/** Runs a worker that is killed when the work of its job is stored and only the end is not. */
async function killBeforeEnd(id: string, isStored: string): Promise<void> {
  const worker = start('job-worker-process.ts', jobs.createEvent([id]))
  await jobs.sql.begin(async (holding) => {
    // The end of a job is audited.
    await holding`lock table table_control.audit in share mode`
    await jobs.until(id, isStored)
    await kill(worker)
  })
}

const killPlanWorker = (random: Random, id: string, isStored: string) =>
  random.chance(0.3) ? killBeforeEnd(id, isStored) : killWorker(random, id, 500)

async function killWhilePlanned(random: Random): Promise<void> {
  await jobs.sql`delete from table_control.plans`
  await jobs.sql`delete from table_control.audit`
  await jobs.sql`update parcels set name = 'parcel ' || id`
  const planned = await jobs.ask('parcels/move', { plan: true })
  const isMaking = random.chance(0.5)
  if (isMaking)
    await killPlanWorker(random, planned, 'exists (select from table_control.plans where plans.id = job.id)')
  const { plan } = (await endedJob(planned)).result
  expect([plan.id, plan.applicable]).toEqual([planned, parcelCount])
  const changed = random.int(1, parcelCount)
  await jobs.sql`update parcels set name = 'theirs' where id = ${changed}`
  const apply = () =>
    jobs.post('bulk-table-action/parcels/move', { plan_id: planned }, { headers: { 'idempotency-key': planned } })
  const { id } = (await apply()).json.job
  if (!isMaking) await killPlanWorker(random, id, 'done = total')
  const job = await endedJob(id)
  const counts = { selected: parcelCount, succeeded: parcelCount - 1, failed: 1 }
  const reason = { code: 'plan_outdated', text: expect.stringMatching(/\w/), count: 1, sample_ids: [changed] }
  expect(job).toMatchObject({ status: 'succeeded', result: { counts, refused: [reason] } })
  expect((await apply()).json).toMatchObject({ job: { id }, replayed: true })
  const other = await jobs.sql`select id, name, moves from parcels where moves <> 1 or name = 'theirs'`
  expect(other).toEqual([{ id: changed, name: 'theirs', moves: 0 }])
  const audit = await jobs.sql`select job_id, outcome, rows from table_control.audit order by id`
  expect(audit).toEqual([
    { job_id: planned, outcome: 'queued', rows: parcelCount },
    { job_id: planned, outcome: 'planned', rows: parcelCount },
    { job_id: id, outcome: 'queued', rows: parcelCount },
    { job_id: id, outcome: 'succeeded', rows: parcelCount - 1 },
  ])
}

/** Kills before the end of the job that makes the plan, and of the one that applies it. */
fault(
  'F31',
  'the worker is killed anywhere while it makes a plan of many rows, or applies one',
  killWhilePlanned,
  [7, 2],
)

fault('F15', 'the function has a minute left, or less', async (random) => {
  const path = random.pick(['slow/wait', 'slow/wait_all_or_none', 'slow/mail_report'])
  const id = await jobs.ask(path)
  const end = performance.now() + random.int(59_000, 62_500)
  await jobs.worker(jobs.createEvent([id]), { getRemainingTimeInMillis: () => end - performance.now() })
  const stopped = await jobs.job(id)
  expect(['queued', 'failed', 'succeeded']).toContain(stopped.status)
  if (path !== 'slow/wait') {
    const met = await movesOfAll()
    if (stopped.status !== 'succeeded') expect(met).toEqual([0])
    return
  }
  expect(await endedJob(id)).toMatchObject({ status: 'succeeded', done: parcelCount })
  expect(await movesOfAll()).toEqual([1])
})

const mailFaults: readonly Fault[] = [
  { code: 'Throttling', message: 'Maximum sending rate exceeded.' },
  { code: 'Throttling', message: 'Daily message quota exceeded.' },
  { code: 'MessageRejected' },
  { code: 'AccountSendingPausedException' },
  { code: 'ServiceUnavailable', status: 503 },
  { code: 'InternalFailure', status: 500, when: 'after' },
  { kind: 'reset' },
  { kind: 'reset', when: 'after' },
  { kind: 'delay', delayMs: 100 },
]

fault('F16', 'SES refuses, throttles, breaks off, or says nothing of what it took', async (random) => {
  for (let faults = random.int(1, 4); faults > 0; faults--) {
    const recipient = random.chance(0.7) ? { recipient: random.pick(people) } : {}
    jobs.mail.faults.add({ ...random.pick(mailFaults), ...recipient })
  }
  const id = await jobs.ask('parcels/mail_report', { ...small, emails: people })
  await jobs.work([id])
  const { status, recipients } = await endedJob(id)
  expect(['succeeded', 'failed', 'unknown']).toContain(status)
  expectMailedOnce(id, recipients)
  await jobs.work([id, id])
  expectMailedOnce(id, recipients)
})

const garbage = (random: Random): string =>
  random.pick([
    '',
    'null',
    '[]',
    '{"v":1}',
    `{"v":${random.int(2, 9)},"job":"x"}`,
    '{"v":1,"job":"x"}',
    '{'.repeat(random.int(1, 50)),
    Array.from({ length: random.int(1, 40) }, () => String.fromCodePoint(random.int(32, 1_000))).join(''),
  ])

fault('F17', 'unreadable messages come among others', async (random) => {
  const id = await jobs.ask('parcels/mail_report', small)
  const [good] = jobs.createEvent([id]).Records
  const poison = Array.from({ length: random.int(1, 5) }, (_, index) => ({
    ...good,
    messageId: `bad-${index}`,
    body: garbage(random),
  }))
  const Records = random.shuffle([good, ...poison]) as Parameters<typeof jobs.worker>[0]['Records']
  const { batchItemFailures } = await jobs.worker({ Records })
  const failed = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).toSorted()
  expect(failed).toEqual(poison.map(({ messageId }) => messageId).toSorted())
  expect(await jobs.job(id)).toMatchObject({ status: 'succeeded' })
})

fault('F23', 'the worker has 128 MB for 200,000 rows', async (random) => {
  const most = 200_000
  await jobs.sql`insert into parcels select n, 'parcel ' || n, 'many', 0 from generate_series(${parcelCount + 1}::int, ${most}::int) n`
  onTestFinished(async () => void (await jobs.sql`delete from parcels where id > ${parcelCount}`))
  const id = await jobs.ask(`parcels/${random.pick(['push_report', 'note_report'])}`)
  const node = ['--max-old-space-size=128']
  const worker = start('job-worker-process.ts', jobs.createEvent([id]), { node })
  await once(worker, 'exit')
  expect(worker.exitCode).toBe(0)
  expect(await jobs.job(id)).toMatchObject({ status: 'succeeded', result: { rows: most } })
})
