import type { RunOutcome } from '../actions/bulk-outcome.ts'
import type { RowFailure } from '../actions/row-outcome.ts'
import { type BulkWork, runChunk } from '../actions/run-chunk.ts'
import type { Transaction } from '../db/transaction.ts'
import { leaseSeconds } from './claim-job.ts'
import type { HeldJob } from './job.ts'
import { JobStopped } from './job-stopped.ts'
import type { JobTarget } from './job-target.ts'

/** What is kept of the rows that failed, of each chunk and of the whole run: their number is always told in full. */
const mostFailures = 100

/** What is written down of a chunk that is done. */
interface StoredChunk {
  readonly succeeded: number
  readonly failed: number
  readonly failures: readonly (readonly [key: string, failure: RowFailure])[]
  readonly data?: unknown
}

const next = `select position, keys from table_control.job_chunks
  where job_id = $1 and done_at is null order by position limit 1`

const completion =
  'update table_control.job_chunks set done_at = now(), outcome = $3 where job_id = $1 and position = $2'

/** Works on the next chunk; answers with its size, or `undefined` where none is left. */
export async function nextChunk(
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
  where id = $1 and lease_token = $2 and state = 'running' returning cancel_requested`

/**
 * The last statement before the commit. From here until then nobody else can take the job; somebody else's undoes all. True
 * where the owner wants no more of it.
 */
export async function keepHold({ run }: Transaction, { id, leaseToken }: HeldJob, rows: number): Promise<boolean> {
  const [held] = await run(hold, [id, leaseToken, rows])
  if (held === undefined) throw new JobStopped('lost')
  return held[0] === true
}

const wanted = 'select cancel_requested from table_control.jobs where id = $1'

/** Whether the owner of a job wants no more of it, asked without a hold on it. */
export async function isCancelled({ run }: Transaction, { id }: HeldJob): Promise<boolean> {
  const [row] = await run(wanted, [id])
  return row?.[0] === true
}

const outcomes = `select outcome from table_control.job_chunks
  where job_id = $1 and done_at is not null order by position`

/** What came of the chunks that are done, in their order. */
export async function storedOutcome(run: Transaction['run'], { id }: HeldJob): Promise<RunOutcome> {
  const chunks = (await run(outcomes, [id])).map(([outcome]) => outcome as StoredChunk)
  const sum = (of: (chunk: StoredChunk) => number) => chunks.reduce((total, chunk) => total + of(chunk), 0)
  const [succeeded, failed] = [sum((chunk) => chunk.succeeded), sum((chunk) => chunk.failed)]
  const data = chunks.map((chunk) => chunk.data).filter((value) => value !== undefined && value !== null)
  return {
    outcome: { selected: succeeded + failed, succeeded, failed, data },
    failed: chunks.flatMap(({ failures }) => failures).slice(0, mostFailures),
  }
}
