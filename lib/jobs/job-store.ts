import { randomUUID } from 'node:crypto'
import { plainValue, type StoredIdentity } from '../auth/identity.ts'
import { refundCaller, type UsageCharge } from '../db/charge-caller.ts'
import type { Database } from '../db/database.ts'
import type { Run } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { insertRowEvent } from '../push/subscriptions.ts'
import { releasePlan } from '../storage/plans.ts'
import { type Job, type JobFailure, type JobProgress, JobStopped, type LeasedJob } from './job.ts'
import { readStoredKind, toStoredKind } from './stored-kind.ts'

/** The number of seconds after which a worker that does not renew its lease loses its job. */
export const leaseSeconds = 60

const newLease = `now() + interval '${leaseSeconds} seconds'`

/** The condition under which a worker may write: job $1 is running and leased to the token $2. */
export const isLeased = "id = $1 and lease_token = $2 and state = 'running'"

// Indexes hold only these.
const isUnfinished = "state in ('queued', 'running')"

/** The columns that `toJob` reads. */
export const jobColumns = `id, identity, guard, language, table_name, action, kind, response, request, request_id, base_url,
  extract(epoch from created_at)::float8, attempts, done, total, cancel_requested, seq`

export function toJob(row: readonly unknown[]): Job {
  const [id, identity, guard, language, tableName, action, kind, response, body, requestId, baseUrl, ...state] = row
  const [createdAt, attempts, done, total, cancelRequested, seq] = state
  const { subject, claims, email } = identity as StoredIdentity
  const stored = { id, guard, language, tableName, action, kind, response, body, requestId, baseUrl }
  return {
    // The constraints of the table's columns vouch for these types.
    ...(stored as Pick<Job, keyof typeof stored>),
    kind: readStoredKind(kind),
    identity: { subject, claims, ...(email !== undefined && { email }) },
    requestedAt: new Date(Number(createdAt) * 1_000),
    attempts: Number(attempts),
    done: Number(done),
    total: typeof total === 'number' ? total : undefined,
    cancelRequested: cancelRequested === true,
    announced: Number(seq) > 0,
  }
}

// Creating a job

/** The parts of a request with which it can be carried out later, in the name of its caller. */
export interface NewJob
  extends Omit<Job, 'id' | 'requestedAt' | 'attempts' | 'done' | 'total' | 'cancelRequested' | 'announced'> {
  readonly recipients: readonly string[]
}

const insertion = `insert into table_control.jobs
  (id, subject, identity, guard, language, table_name, action, kind, response, request, request_id, base_url)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

const recipientInsertion = `insert into table_control.job_recipients (job_id, address)
  select $1, address from unnest($2::text[]) as address`

/** Stores a job and its recipients in the caller's transaction. Returns its id. */
export async function insertJob(run: Run, job: NewJob): Promise<string> {
  const id = randomUUID()
  const { identity, guard, language, tableName, action, response, requestId, baseUrl, recipients } = job
  const owner = [id, identity.subject, JSON.stringify(identity, plainValue)]
  const what = [tableName, action, toStoredKind(job), response, JSON.stringify(job.body)]
  await run(insertion, [...owner, guard, language, ...what, requestId, baseUrl])
  if (recipients.length > 0) await run(recipientInsertion, [id, recipients])
  return id
}

const unfinished = `select count(*) from (select from table_control.jobs where subject = $1 and ${isUnfinished} limit $2::int) own`

/** Counts a caller's unfinished jobs, up to `max`. */
export async function countUnfinishedJobs(run: Run, subject: string, max: number): Promise<number> {
  const [row] = await run(unfinished, [subject, max])
  return Number(row?.[0])
}

const callerLock = "select pg_advisory_xact_lock(hashtextextended('table_control.jobs ' || $1, 0))"

/** Makes transactions of one caller wait for each other from here to their end. */
export const lockCallerJobs = (run: Run, subject: string): Promise<unknown> => run(callerLock, [subject])

// Sending a job to the queue

/** Stores that the queue has the message of a job. */
export const markEnqueued = ({ transaction }: Database, jobId: string): Promise<unknown> =>
  transaction(({ run }) => run('update table_control.jobs set enqueued_at = now() where id = $1', [jobId]))

const abandonment = `update table_control.jobs
  set state = 'failed', finished_at = now(), failure = $2
  where id = $1 and state = 'queued' and attempts = 0 and started_at is null returning true`

const announcementRemoval = `with untried as (
    update table_control.job_recipients set state = 'failed', code = 'unavailable', updated_at = now()
    where job_id = $1 and state = 'pending')
  delete from table_control.notifications announced using table_control.jobs job
  where job.id = $1 and announced.subject = job.subject and announced.dedupe_key = 'announced:' || job.id`

const answerRemoval = 'delete from table_control.idempotency_keys where subject = $1 and key = $2'

/** The row of an `Idempotency-Key` that holds the first response to a request. */
export interface KeptResponse {
  readonly subject: string
  readonly key: string
}

/** The other rows that the request of a job has stored: a kept response, its plan, its charges. */
export interface JobTraces {
  readonly kept?: KeptResponse | undefined
  readonly planId?: string | undefined
  readonly charges: readonly UsageCharge[]
}

/**
 * Fails a job that no worker has begun, removes its first notification and the kept response of its request, and
 * refunds its charges. Returns false if a worker has begun: then the queue has the message.
 */
export const abandonJob = (
  { transaction }: Database,
  jobId: string,
  failure: JobFailure,
  { kept, planId, charges }: JobTraces,
): Promise<boolean> =>
  transaction(async ({ run }) => {
    const rows = await run(abandonment, [jobId, JSON.stringify(failure)])
    if (rows.length === 0) return false
    await run(announcementRemoval, [jobId])
    if (kept !== undefined) await run(answerRemoval, [kept.subject, kept.key])
    if (planId !== undefined) await releasePlan(run, planId)
    for (const charge of charges) await refundCaller(run, charge)
    return true
  })

const maxLostJobs = 100

// A new job may still be on its way to the queue.
const lost = `update table_control.jobs set enqueued_at = now() where id in (
  select id from table_control.jobs where ${isUnfinished} and (state = 'queued' or lease_until < now())
    and greatest(coalesce(enqueued_at, created_at - interval '90 seconds'), not_before) < now() - interval '2 minutes'
    and (state = 'running' or created_at > now() - interval '1 day')
    and (not $1 or state = 'queued' and created_at < now() - interval '15 minutes' and coalesce(enqueued_at, created_at) < created_at + interval '2 minutes')
  order by created_at limit ${maxLostJobs} for update skip locked) returning id`

/**
 * Returns up to 100 jobs whose message seems lost or whose worker died, and stores that they are enqueued again. `sent
 * once` selects those that have waited for 15 minutes since their only message: in a long queue, most others still have
 * one.
 */
export const takeLostJobs = async ({ transaction }: Database, which: 'any' | 'sent once'): Promise<readonly string[]> =>
  (await transaction(({ run }) => run(lost, [which === 'sent once']))).map(([id]) => String(id))

const overdue = `select ${jobColumns} from table_control.jobs
  where state = 'queued' and created_at < now() - interval '1 day' order by created_at limit ${maxLostJobs}`

/** Returns up to 100 jobs that have been waiting for a day. */
export const findOverdueJobs = async ({ read }: Database): Promise<readonly Job[]> =>
  (await read(overdue, [])).map(toJob)

const cancellation = `update table_control.jobs set cancel_requested = true
  where id = $1 and subject = $2 and kind <> 'import' and state in ('queued', 'running') returning state, ${jobColumns}`

/** Stores that the owner cancels an unfinished job. Returns the job if it waits, and no worker will see the request. */
export async function requestCancel(
  { transaction }: Database,
  jobId: string,
  subject: string,
): Promise<Job | undefined> {
  const [row] = await transaction(({ run }) => run(cancellation, [jobId, subject]))
  if (row === undefined) return undefined
  const [state, ...job] = row
  return state === 'queued' ? toJob(job) : undefined
}

// Working on a job

/** In a queue of 100,000 jobs of 5,000 callers a claim takes 0.2 s, and each worker waits for those before it. */
const claimLock =
  "select pg_advisory_xact_lock(hashtext('table_control.claims')) from set_config('lock_timeout', '6s', true)"

// With `or`, the planner expects less than one job of a caller, and sorts all that wait instead of reading an index.
const isClaimable = `${isUnfinished} and case state when 'running' then lease_until < now() else true end
  and (not_before is null or not_before <= now())`

/**
 * The next job, fairly between callers. Its caller has the fewest running jobs, fewer than $3, and among equals the
 * least recent start. Of that caller's jobs it is the one that the message names, else the oldest. The index is read
 * from caller to caller, because reading all waiting jobs takes seconds; after `=`, the planner may do so by an index
 * of `created_at` alone.
 */
export const nextJob = `with recursive callers as (
    (select subject from table_control.jobs where ${isUnfinished} order by subject limit 1)
    union all
    select (select subject from table_control.jobs later where ${isUnfinished} and later.subject > callers.subject
      order by later.subject limit 1) from callers where subject is not null),
  named as (select subject, id, created_at from table_control.jobs where id = $1 and ${isClaimable}),
  running as (
    select subject, count(*) as jobs from table_control.jobs where state = 'running' and lease_until >= now() group by subject)
  select coalesce(named.id, oldest.id) from callers left join running using (subject) left join named using (subject)
  cross join lateral (select id, created_at from table_control.jobs own
    where own.subject between callers.subject and callers.subject and ${isClaimable} order by subject, created_at limit 1) oldest
  cross join lateral (select greatest(
    (select max(started_at) from table_control.jobs own where own.subject = callers.subject),
    (select max(enqueued_at) from table_control.jobs again
      where again.subject = callers.subject and again.state = 'queued' and again.attempts > 0)) as started_at) last
  where $3::int is null or coalesce(jobs, 0) < $3
  order by coalesce(jobs, 0), last.started_at nulls first, coalesce(named.created_at, oldest.created_at) limit 1`

// A mail that was being sent is of a worker that has lost the lease, so SES may or may not have it.
const claim = `with claimed as (
    update table_control.jobs
    set state = 'running', attempts = attempts + 1, lease_token = $2, started_at = coalesce(started_at, now()),
      lease_until = ${newLease}, held = false
    where id = (${nextJob}) and ${isClaimable} returning ${jobColumns}),
  interrupted as (
    update table_control.job_recipients set state = 'unknown', code = 'interrupted', updated_at = now()
    where job_id = (select id from claimed) and state = 'sending')
  select * from claimed`

const isHoldable = "state = 'queued' and not held and (not_before is null or not_before <= now())"

/** Holds the job of a message, or else the oldest that waits with one. */
export const holding = `update table_control.jobs set held = true, enqueued_at = now() where state = 'queued' and id = coalesce(
  (select id from table_control.jobs where id = $1 and ${isHoldable}),
  (select id from table_control.jobs where ${isHoldable} order by created_at limit 1))`

/**
 * Leases the next job, fairly between callers, among those that wait or whose worker lost its lease. A message of the
 * queue is a permit to run one job, so that `namedJob` is not always the one. Returns `undefined` if none may run: then
 * a job whose caller runs `maxRunning` of them waits without a message, until `releaseHeldJob`. A mail that was being
 * sent becomes `unknown`.
 */
export async function claimJob(
  { transaction }: Database,
  namedJob: string,
  maxRunning?: number,
): Promise<LeasedJob | undefined> {
  const leaseToken = randomUUID()
  return transaction(async ({ run }) => {
    // Sent together. Behind the lock, each claim counts the jobs of those before it.
    const [, [row]] = await Promise.all([run(claimLock, []), run(claim, [namedJob, leaseToken, maxRunning ?? null])])
    if (row !== undefined) return { ...toJob(row), leaseToken }
    if (maxRunning !== undefined) await run(holding, [namedJob])
    return undefined
  })
}

/** Gives a message to the oldest job of a caller that waits without one. */
export const release = `update table_control.jobs set held = false, enqueued_at = now()
  where id = (select id from table_control.jobs where subject between $1 and $1 and ${isUnfinished} and state = 'queued' and held
    order by subject, created_at limit 1) returning id`

/** Returns the id of a caller's oldest job that waits without a message, and stores that it gets one. */
export const releaseHeldJob = ({ transaction }: Database, subject: string): Promise<string | undefined> =>
  transaction(async ({ run }) => {
    const [, [row]] = await Promise.all([run(claimLock, []), run(release, [subject])])
    return row === undefined ? undefined : String(row[0])
  })

const renewal = `update table_control.jobs
  set lease_until = ${newLease}, done = greatest(done, $3), total = coalesce($4, total)
  where ${isLeased} returning cancel_requested`

/** Renews a lease and stores the progress. */
export async function renewLease(
  { transaction }: Database,
  { id, leaseToken }: LeasedJob,
  done: number,
  total: number | undefined,
): Promise<'renewed' | 'lost' | 'cancelled'> {
  const [row] = await transaction(({ run }) => run(renewal, [id, leaseToken, done, total ?? null]))
  if (row === undefined) return 'lost'
  return row[0] === true ? 'cancelled' : 'renewed'
}

const rowCount = `update table_control.jobs set done = $3, total = $3 where ${isLeased} returning true`

/** Stores the number of rows of a report file before it is sent, for a worker that may have to end the job. */
export async function saveRowCount(
  { transaction }: Database,
  { id, leaseToken }: LeasedJob,
  rows: number,
): Promise<void> {
  const saved = await transaction(({ run }) => run(rowCount, [id, leaseToken, rows]))
  if (saved.length === 0) throw new JobStopped('lost')
}

const requeueing = `update table_control.jobs set state = 'queued', lease_token = null, lease_until = null,
  enqueued_at = now(), not_before = case when $3::int = 0 then null else now() + make_interval(secs => $3) end
  where ${isLeased} returning true`

/** Ends a lease, so that the job can be claimed again after `afterSeconds`. Returns false if the lease is lost. */
export async function requeueJob(
  { transaction }: Database,
  { id, leaseToken }: LeasedJob,
  afterSeconds: number,
): Promise<boolean> {
  const requeue = () => transaction(({ run }) => run(requeueing, [id, leaseToken, afterSeconds]))
  // This connection may have been lost together with the job's own: then nothing has been saved.
  const rows = await requeue().catch((error) => {
    if (error instanceof RequestError && error.code === 'unavailable') return requeue()
    throw error
  })
  return rows.length > 0
}

// Progress resets the attempt counter.
const chunkProgress = `with progress as (update table_control.jobs
    set done = done + $3, attempts = 1, lease_until = ${newLease} where ${isLeased} returning table_name, kind, cancel_requested),
  watched as (${insertRowEvent('progress.table_name', "progress.kind = 'bulk'", 'progress')} returning true)
  select cancel_requested, exists (select from watched) from progress`

/**
 * Adds a chunk's rows to the progress, as the last statement before the commit: until the commit no other worker can
 * claim the job. Returns whether the owner has cancelled, and whether the rows are watched. Throws if the lease is
 * lost, which undoes the chunk.
 */
export async function saveProgress(
  run: Run,
  { id, leaseToken }: LeasedJob,
  rows: number,
): Promise<{ readonly isCancelled: boolean; readonly isWatched: boolean }> {
  const [row] = await run(chunkProgress, [id, leaseToken, rows])
  if (row === undefined) throw new JobStopped('lost')
  return { isCancelled: row[0] === true, isWatched: row[1] === true }
}

/** Returns whether the owner has cancelled, without locking the job. */
export async function isCancelRequested(run: Run, jobId: string): Promise<boolean> {
  const [row] = await run('select cancel_requested from table_control.jobs where id = $1', [jobId])
  return row?.[0] === true
}

const progress = `select job.kind, job.done, job.total,
  coalesce(sum((chunk.outcome ->> 'succeeded')::int), 0)::int, coalesce(sum((chunk.outcome ->> 'failed')::int), 0)::int
  from table_control.jobs job
  left join table_control.job_chunks chunk on chunk.job_id = job.id and chunk.done_at is not null
  where job.id = $1 group by job.id`

/** Reads the progress of a job: of an export as its worker stored it, of an action from its finished chunks. */
export async function readProgress(run: Database['read'], jobId: string): Promise<JobProgress> {
  const [row = []] = await run(progress, [jobId])
  const [kind, written, total, succeeded, failed] = row
  const known = typeof total === 'number' ? { total } : {}
  // A plan has changed nothing, and keeps nothing if it fails.
  if (kind === 'plan') return { rows: 0, done: 0, ...known }
  if (kind !== 'bulk') return { rows: Number(written ?? 0), done: Number(written ?? 0), ...known }
  const counts = { succeeded: Number(succeeded), failed: Number(failed) }
  const done = counts.succeeded + counts.failed
  const selected = known.total ?? done
  return { rows: counts.succeeded, done, ...known, ...(done > 0 && { counts: { selected, ...counts } }) }
}

// Ending a job

/**
 * Locks the row of a job that is about to end. Throws `JobStopped` if the lease is lost, or for a job without a lease
 * if a worker has begun.
 */
export async function lockEndingJob(run: Run, { id, leaseToken }: Job & Partial<LeasedJob>): Promise<void> {
  const [condition, parameters] =
    leaseToken === undefined ? ["id = $1 and state = 'queued'", [id]] : [isLeased, [id, leaseToken]]
  const rows = await run(`select true from table_control.jobs where ${condition} for update`, parameters)
  if (rows.length === 0) throw new JobStopped('lost')
}

/** Returns whether the end of a job is stored. */
export const hasEnded = async ({ read }: Database, jobId: string): Promise<boolean> =>
  (await read("select state not in ('queued', 'running') from table_control.jobs where id = $1", [jobId]))[0]?.[0] ===
  true

const ending = `update table_control.jobs set state = $2, result = $3, failure = $4, finished_at = now(),
  lease_token = null, lease_until = null, not_before = null,
  done = case when $5 then greatest(done, total, $6) else $7 end,
  total = case when $5 then greatest(done, total, $6) else total end
  where id = $1`

/** The end of a job as its row holds it. */
interface StoredEnding {
  readonly state: 'succeeded' | 'failed' | 'cancelled' | 'unknown'
  readonly result?: object
  readonly failure?: JobFailure
}

/** Stores the end of a job that `lockEndingJob` has locked. */
export async function storeEnding(
  run: Run,
  jobId: string,
  { state, result, failure }: StoredEnding,
  rows: number,
  done: number,
): Promise<void> {
  const texts = [result, failure].map((value) => (value === undefined ? null : JSON.stringify(value)))
  const isWhole = state === 'succeeded' || state === 'unknown'
  await run(ending, [jobId, state, ...texts, isWhole, rows, done])
}
