import { runAfterCommit } from '../actions/after-commit.ts'
import { assertRunDone, concludeRun, listFailures, type RunOutcome } from '../actions/bulk-outcome.ts'
import { readInput } from '../actions/form-input.ts'
import type { RowFailure } from '../actions/row-outcome.ts'
import { type BulkWork, runChunk } from '../actions/run-chunk.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import { type JobControl, type JobOutcome, JobStopped, type JobTarget, type JobWorker, type LeasedJob } from './job.ts'
import { completeChunk, findNextChunk, listChunkOutcomes } from './job-chunks.ts'
import { isCancelRequested, saveProgress } from './job-store.ts'

/**
 * Runs a bulk action on the frozen rows that are left. A chunk's changes and its completion are one transaction, which commits
 * only under the lease: a worker that is killed skips and repeats no chunk.
 */
export async function runBulk(
  { work }: Pick<JobWorker, 'work'>,
  job: LeasedJob,
  target: JobTarget,
  definition: BulkWork,
  control: JobControl,
): Promise<JobOutcome> {
  const input = readInput(definition, job.body)
  const runNext: RunNext = (transaction) => runNextChunk(transaction, job, target, definition, input)
  const afterCommit = (keys: readonly string[]) => runAfterCommit(definition, target, job.action, keys, input)
  if (definition.atomic === true) await runInOneTransaction(work, job, definition, runNext, control, afterCommit)
  else await runChunkByChunk(work, job, runNext, control, afterCommit)
  const ran = await work.transaction(({ run }) => readOutcome(run, job))
  assertRunDone(definition, ran)
  return toJobOutcome(definition, ran, target)
}

/** Runs the next chunk; resolves with its number of rows and the keys of those that it has changed, or `undefined` if none is left. */
type RunNext = (
  transaction: Transaction,
) => Promise<{ readonly rows: number; readonly changed: readonly string[] } | undefined>

type AfterCommit = (keys: readonly string[]) => Promise<void>

async function runChunkByChunk(
  work: JobWorker['work'],
  job: LeasedJob,
  runNext: RunNext,
  control: JobControl,
  afterCommit: AfterCommit,
): Promise<void> {
  let { done } = job
  for (;;) {
    control.signal.throwIfAborted()
    const chunk = await work.transaction(async (transaction) => {
      const ran = await runNext(transaction)
      return ran && { ...ran, isCancelled: await saveProgress(transaction.run, job, ran.rows) }
    })
    if (chunk === undefined) return
    await afterCommit(chunk.changed)
    done += chunk.rows
    control.progress(done, job.total)
    if (chunk.isCancelled) throw new JobStopped('cancelled')
  }
}

async function runInOneTransaction(
  work: JobWorker['work'],
  job: LeasedJob,
  definition: BulkWork,
  runNext: RunNext,
  control: JobControl,
  afterCommit: AfterCommit,
): Promise<void> {
  let changed: readonly string[] = []
  await work
    .transaction(async (transaction) => {
      let done = 0
      changed = []
      for (;;) {
        control.signal.throwIfAborted()
        const ran = await runNext(transaction)
        if (ran === undefined) break
        done += ran.rows
        changed = [...changed, ...ran.changed]
        control.progress(done, job.total)
        if (await isCancelRequested(transaction.run, job.id)) throw new JobStopped('cancelled')
      }
      assertRunDone(definition, await readOutcome(transaction.run, job))
      // Last, because it locks the job's row, which requests for its status and its cancellation need.
      if (done > 0 && (await saveProgress(transaction.run, job, 0))) throw new JobStopped('cancelled')
    })
    .catch((cause: unknown) => Promise.reject(isDeadline(cause) ? new RequestError('timed_out', {}, { cause }) : cause))
  await afterCommit(changed)
}

/** Everything was undone, and another attempt would have no more time. */
const isDeadline = (error: unknown): boolean => error instanceof JobStopped && error.reason === 'deadline'

/** The number of row failures that are stored of each chunk and of the whole run; their count is always complete. */
const maxFailures = 100

interface StoredChunk {
  readonly succeeded: number
  readonly failed: number
  readonly failures: readonly (readonly [key: string, failure: RowFailure])[]
  readonly data?: unknown
}

async function runNextChunk(
  transaction: Transaction,
  job: LeasedJob,
  target: JobTarget,
  definition: BulkWork,
  input: unknown,
): ReturnType<RunNext> {
  const chunk = await findNextChunk(transaction.run, job.id)
  if (chunk === undefined) return undefined
  const { succeeded, failed, data } = await runChunk(transaction, target, definition, chunk.keys, input)
  const outcome: StoredChunk = { succeeded, failed: failed.length, failures: failed.slice(0, maxFailures), data }
  await completeChunk(transaction.run, job.id, chunk.position, outcome)
  const refused = new Set(failed.map(([key]) => key))
  return { rows: chunk.keys.length, changed: chunk.keys.filter((key) => !refused.has(key)) }
}

/** Sums up the outcomes of the chunks that are done. */
async function readOutcome(run: Transaction['run'], { id }: LeasedJob): Promise<RunOutcome> {
  const chunks = (await listChunkOutcomes(run, id)) as readonly StoredChunk[]
  const succeeded = chunks.reduce((sum, chunk) => sum + chunk.succeeded, 0)
  const failed = chunks.reduce((sum, chunk) => sum + chunk.failed, 0)
  const data = chunks.map((chunk) => chunk.data).filter((value) => value !== undefined && value !== null)
  return {
    outcome: { selected: succeeded + failed, succeeded, failed, data },
    failed: chunks.flatMap(({ failures }) => failures).slice(0, maxFailures),
  }
}

async function toJobOutcome(definition: BulkWork, ran: RunOutcome, { context, view }: JobTarget): Promise<JobOutcome> {
  const { file, level, ...texts } = await concludeRun(definition, ran, context)
  const { selected, succeeded, failed } = ran.outcome
  return {
    ...texts,
    level: level ?? (failed > 0 ? 'warning' : 'success'),
    rows: succeeded,
    counts: { selected, succeeded, failed },
    ...(ran.failed.length > 0 && { results: listFailures(view, ran) }),
    ...(file !== undefined && { file: { ...file, bytes: file.content.byteLength } }),
  }
}
