import { assertRunDone, concluded, failedResults, type RunOutcome } from '../actions/bulk-outcome.ts'
import { readInput } from '../actions/form-input.ts'
import type { BulkWork } from '../actions/run-chunk.ts'
import type { Transaction } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import type { HeldJob } from './job.ts'
import { isCancelled, keepHold, nextChunk, storedOutcome } from './job-chunks.ts'
import type { JobOutcome } from './job-outcome.ts'
import { JobStopped } from './job-stopped.ts'
import type { JobTarget } from './job-target.ts'
import type { JobWorker } from './job-worker.ts'
import type { Watched } from './run-report.ts'

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
    const met = await work.transaction(async (transaction) => {
      const rows = await chunk(transaction)
      return rows === undefined ? undefined : { rows, cancelled: await keepHold(transaction, job, rows) }
    })
    if (met === undefined) return
    done += met.rows
    watched.progress(done, job.total)
    if (met.cancelled) throw new JobStopped('cancelled')
  }
}

async function allChunks(
  work: JobWorker['work'],
  job: HeldJob,
  definition: BulkWork,
  chunk: Chunk,
  watched: Watched,
): Promise<void> {
  await work
    .transaction(async (transaction) => {
      let done = 0
      for (;;) {
        watched.signal.throwIfAborted()
        const rows = await chunk(transaction)
        if (rows === undefined) break
        done += rows
        watched.progress(done, job.total)
        if (await isCancelled(transaction, job)) throw new JobStopped('cancelled')
      }
      assertRunDone(definition, await storedOutcome(transaction.run, job))
      // Last, so that the job's row is free until here for those who ask how far it is.
      if (done > 0 && (await keepHold(transaction, job, 0))) throw new JobStopped('cancelled')
    })
    .catch((cause: unknown) => Promise.reject(isLate(cause) ? new RequestError('timed_out', {}, { cause }) : cause))
}

/** All was undone, and another function would have no more time for it. */
const isLate = (error: unknown): boolean => error instanceof JobStopped && error.reason === 'deadline'

async function jobOutcome(definition: BulkWork, ran: RunOutcome, { context, view }: JobTarget): Promise<JobOutcome> {
  const { file, level, ...told } = await concluded(definition, ran, context)
  const { selected, succeeded, failed } = ran.outcome
  return {
    ...told,
    level: level ?? (failed > 0 ? 'warning' : 'success'),
    rows: succeeded,
    counts: { selected, succeeded, failed },
    ...(ran.failed.length > 0 && { results: failedResults(view, ran) }),
    ...(file !== undefined && { file: { ...file, bytes: file.content.byteLength } }),
  }
}
