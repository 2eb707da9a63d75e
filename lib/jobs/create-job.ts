import { randomUUID } from 'node:crypto'
import type { Identity } from '../auth/identity.ts'
import { bind, createStatement } from '../db/statement.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Language } from '../i18n/language.ts'
import { keysText } from '../query/keys-statement.ts'
import type { Plan } from '../query/plan.ts'
import type { OpenedTable } from '../table/open-table.ts'

type Run = Transaction['run']

/** What is kept of a request so that it can be done later, in the name of whoever asked. */
export interface NewJob {
  readonly identity: Identity
  readonly guard: string
  readonly language: Language
  readonly tableName: string
  readonly action: string
  readonly kind: 'report' | 'bulk'
  readonly response: 'email' | 'notification' | 'websocket'
  /** The body that was asked with; it has been checked, and is read again when the job runs. */
  readonly body: Readonly<Record<string, unknown>>
  readonly requestId: string
  readonly baseUrl: string
  readonly recipients: readonly string[]
  /** How many unfinished jobs this caller may have, this one included. */
  readonly maxUnfinished: number
}

const insertion = `insert into table_control.jobs
  (id, subject, identity, guard, language, table_name, action, kind, response, request, request_id, base_url)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

const recipientInsertion = `insert into table_control.job_recipients (job_id, address)
  select $1, address from unnest($2::text[]) as address`

const unfinished = `select count(*) from (select from table_control.jobs
  where subject = $1 and state in ('queued', 'running') limit $2::int) mine`

/**
 * Writes a job down, in the caller's transaction. Nothing runs before its id is sent to the queue. Throws `too_many_jobs` where the
 * caller has as many unfinished ones; `assertJobLimit` finds those that are being created at the same moment.
 */
export async function createJob(run: Run, job: NewJob): Promise<string> {
  const { maxUnfinished } = job
  if ((await countUnfinished(run, job.identity.subject, maxUnfinished)) >= maxUnfinished)
    throw tooManyJobs(maxUnfinished)
  const id = randomUUID()
  const { identity, guard, language, tableName, action, kind, response, requestId, baseUrl, recipients } = job
  const asked = JSON.stringify(job.body)
  const who = [id, identity.subject, JSON.stringify(identity)]
  await run(insertion, [...who, guard, language, tableName, action, kind, response, asked, requestId, baseUrl])
  if (recipients.length > 0) await run(recipientInsertion, [id, recipients])
  return id
}

// Held until the transaction ends, so that the next caller's count sees this job.
const lock = "select pg_advisory_xact_lock(hashtextextended('table_control.jobs ' || $1, 0))"

/**
 * Throws `too_many_jobs` where this caller's new job is one too many. To be called last in the transaction that creates the job:
 * transactions of one caller wait for each other from here to their end.
 */
export async function assertJobLimit(run: Run, subject: string, maxUnfinished: number): Promise<void> {
  await run(lock, [subject])
  if ((await countUnfinished(run, subject, maxUnfinished + 1)) > maxUnfinished) throw tooManyJobs(maxUnfinished)
}

/** Counts a caller's unfinished jobs, up to `max`. */
async function countUnfinished(run: Run, subject: string, max: number): Promise<number> {
  const [waiting] = await run(unfinished, [subject, max])
  return Number(waiting?.[0])
}

const tooManyJobs = (limit: number): RequestError => new RequestError('too_many_jobs', { limit })

/**
 * Freezes the rows of a job, in their order, by one statement: whatever the job changes later, no row is skipped or met twice.
 * Returns how many there are, counting up to one more than `most`.
 */
export async function freezeRows(
  run: Run,
  jobId: string,
  opened: OpenedTable,
  plan: Plan,
  { chunk, most }: { readonly chunk: number; readonly most: number },
): Promise<number> {
  const statement = createStatement()
  const job = bind(statement, jobId)
  const keys = keysText(statement, opened, plan)
  const text = `with frozen as (
    insert into table_control.job_chunks (job_id, position, keys)
    select ${job}::uuid, (place - 1) / ${chunk}, jsonb_agg(k order by place)
    from (select k::text as k, row_number() over () as place from (${keys} limit ${most + 1}) asked) numbered
    group by 2 returning jsonb_array_length(keys) as size)
    select coalesce(sum(size), 0)::int from frozen`
  const [row] = await run(text, statement.parameters)
  const total = Number(row?.[0] ?? 0)
  await run('update table_control.jobs set total = $2 where id = $1', [jobId, total])
  return total
}

/** The texts of the keys of a job's frozen rows. */
export async function frozenKeys(run: Run, jobId: string): Promise<readonly string[]> {
  const chunks = await run('select keys from table_control.job_chunks where job_id = $1', [jobId])
  return chunks.flatMap(([keys]) => keys as readonly string[])
}
