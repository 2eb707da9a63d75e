import { assertRunDone, concluded, type RunOutcome } from '../actions/bulk-outcome.ts'
import { readInput } from '../actions/form-input.ts'
import { type RowFailure, rowResult } from '../actions/row-outcome.ts'
import { type BulkWork, runChunk } from '../actions/run-chunk.ts'
import type { Transaction } from '../db/transaction.ts'
import { leaseSeconds } from './claim-job.ts'
import type { HeldJob } from './job.ts'
import type { JobOutcome } from './job-outcome.ts'
import { JobStopped } from './job-stopped.ts'
import type { JobTarget } from './job-target.ts'
import type { JobWorker } from './job-worker.ts'
import type { Watched } from './run-report.ts'

/** What is kept of the rows that failed, of each chunk and of the whole run: their number is always told in full. */
const mostFailures = 100

/** What is written down of a chunk that is done. */
interface StoredChunk {
  readonly succeeded: number
  readonly failed: number
  readonly failures: readonly (readonly [key: string, failure: RowFailure])[]
  readonly data?: unknown
}

/**
 * Works on what is left of a job's frozen rows, then concludes. A chunk's changes and the note that it is done are one
 * transaction, which ends only while the lease holds: killed anywhere, no chunk is skipped or done twice.
 */
export async function runBulk(
  { work }: Pick<JobWorker, 'work'>,
  job: HeldJob,
  target: JobTarget,
  definition: BulkWork,
  watched: Watched,
): Promise<JobOutcome> {
  const input = readInput(definition, job.body)
  const chunk = (transaction: Transaction) => nextChunk(transaction, job, target, definition, input)
  if (definition.atomic === true) await allChunks(work, job, definition, chunk, watched)
  else await eachChunk(work, job, chunk, watched)
  const ran = await work.transaction(({ run }) => storedOutcome(run, job))
  assertRunDone(definition, ran)
  return jobOutcome(definition, ran, target)
}

type Chunk = (transaction: Transaction) => Promise<number | undefined>

async function eachChunk(work: JobWorker['work'], job: HeldJob, chunk: Chunk, watched: Watched): Promise<void> {
  let { done } = job
  for (;;) {
    watched.signal.throwIfAborted()
    const rows = await work.transaction(async (transaction) => {
      const size = await chunk(transaction)
      if (size !== undefined) await keepHold(transaction, job, size)
      return size
    })
    if (rows === undefined) return
    done += rows
    watched.progress(done, job.total)
  }
}

async function allChunks(
  work: JobWorker['work'],
  job: HeldJob,
  definition: BulkWork,
  chunk: Chunk,
  watched: Watched,
): Promise<void> {
  await work.transaction(async (transaction) => {
    let done = 0
    for (;;) {
      watched.signal.throwIfAborted()
      const rows = await chunk(transaction)
      if (rows === undefined) break
      done += rows
      watched.progress(done, job.total)
    }
    assertRunDone(definition, await storedOutcome(transaction.run, job))
    // Last, so that the job's row is free until here for those who ask how far it is.
    if (done > 0) await keepHold(transaction, job, 0)
  })
}

const next = `select position, keys from table_control.job_chunks
  where job_id = $1 and done_at is null order by position limit 1`

const completion =
  'update table_control.job_chunks set done_at = now(), outcome = $3 where job_id = $1 and position = $2'

/** Works on the next chunk; answers with its size, or `undefined` where none is left. */
async function nextChunk(
  transaction: Transaction,
  job: HeldJob,
  target: JobTarget,
  definition: BulkWork,
  input: unknown,
): Promise<number | undefined> {
  const [row] = await transaction.run(next, [job.id])
  if (row === undefined) return undefined
  const [position, keys] = row as readonly [number, readonly string[]]
  const { succeeded, failed, data } = await runChunk(transaction, target, definition, keys, input)
  const stored: StoredChunk = { succeeded, failed: failed.length, failures: failed.slice(0, mostFailures), data }
  await transaction.run(completion, [job.id, position, JSON.stringify(stored)])
  return keys.length
}

// Whoever gets somewhere may fail as often again.
const hold = `update table_control.jobs
  set done = done + $3, attempts = 1, lease_until = now() + interval '${leaseSeconds} seconds'
  where id = $1 and lease_token = $2 and state = 'running' returning true`

/** The last statement before the commit. From here until then nobody else can take the job; somebody else's undoes all. */
async function keepHold({ run }: Transaction, { id, leaseToken }: HeldJob, rows: number): Promise<void> {
  const held = await run(hold, [id, leaseToken, rows])
  if (held.length === 0) throw new JobStopped('lost')
}

const outcomes = `select outcome from table_control.job_chunks
  where job_id = $1 and done_at is not null order by position`

async function storedOutcome(run: Transaction['run'], { id }: HeldJob): Promise<RunOutcome> {
  const chunks = (await run(outcomes, [id])).map(([outcome]) => outcome as StoredChunk)
  const sum = (of: (chunk: StoredChunk) => number) => chunks.reduce((total, chunk) => total + of(chunk), 0)
  const [succeeded, failed] = [sum((chunk) => chunk.succeeded), sum((chunk) => chunk.failed)]
  const data = chunks.map((chunk) => chunk.data).filter((value) => value !== undefined && value !== null)
  return {
    outcome: { selected: succeeded + failed, succeeded, failed, data },
    failed: chunks.flatMap(({ failures }) => failures).slice(0, mostFailures),
  }
}

async function jobOutcome(definition: BulkWork, ran: RunOutcome, { context }: JobTarget): Promise<JobOutcome> {
  const { file, level, ...told } = await concluded(definition, ran, context)
  const { selected, succeeded, failed } = ran.outcome
  return {
    ...told,
    level: level ?? (failed > 0 ? 'warning' : 'success'),
    rows: succeeded,
    counts: { selected, succeeded, failed },
    ...(ran.failed.length > 0 && { results: ran.failed.map(([key, failure]) => rowResult(key, failure)) }),
    ...(file !== undefined && { file: { ...file, bytes: file.content.byteLength } }),
  }
}
