import type { JobEvents } from '../push/job-events.ts'
import type { BulkAction } from '../table/compiled-table.ts'
import { endJob } from './end-job.ts'
import { cancelledEnding, failedEnding, failureOf, mailedEnding } from './endings.ts'
import type { HeldJob, JobFailure } from './job.ts'
import { labelOf } from './job-label.ts'
import { JobStopped } from './job-stopped.ts'
import type { JobWorker } from './job-worker.ts'
import { isTemporary, mostAttempts, pauseSeconds, putBack } from './put-back.ts'
import { sendJob } from './queue.ts'
import { TryLater } from './try-later.ts'

/** What is to be done with the message that named a job. */
export interface Verdict {
  /** Left out: the message has served its purpose. */
  readonly againAfterSeconds?: number
  /** What went wrong, for the log. */
  readonly cause?: unknown
  readonly job?: HeldJob
}

/** What becomes of a job whose work ended early: it is tried again, or ends. */
export async function settleJob(
  worker: JobWorker,
  job: HeldJob,
  error: unknown,
  events: JobEvents | undefined,
): Promise<Verdict> {
  try {
    if (error instanceof JobStopped) return await stopped(worker, job, error, events)
    const isLast = job.attempts >= mostAttempts
    if (error instanceof TryLater) {
      const pause = Math.max(error.afterSeconds, pauseSeconds(job.attempts))
      return isLast ? await fail(worker, job, error, error.failure, events) : await again(worker, job, pause, error)
    }
    if (isTemporary(error) && !isLast) return await again(worker, job, pauseSeconds(job.attempts), error)
    return await fail(worker, job, error, failureOf(error), events)
  } catch (failure) {
    if (failure instanceof JobStopped) return {}
    throw failure
  }
}

async function stopped(
  worker: JobWorker,
  job: HeldJob,
  { reason }: JobStopped,
  events: JobEvents | undefined,
): Promise<Verdict> {
  if (reason === 'cancelled') {
    const options = { untried: 'cancelled', ...(events !== undefined && { events }) }
    await endJob(worker, job, () => cancelledEnding(job), options)
  }
  if (reason === 'deadline' && (await putBack(worker.database, job, 0))) {
    // Not sent, it is found by the sweep.
    await sendJob(worker.config, job.id).catch(() => undefined)
  }
  return {}
}

async function again(worker: JobWorker, job: HeldJob, seconds: number, cause: unknown): Promise<Verdict> {
  if (!(await putBack(worker.database, job, seconds))) return {}
  return { againAfterSeconds: seconds, cause, job }
}

async function fail(
  worker: JobWorker,
  job: HeldJob,
  cause: unknown,
  failure: JobFailure,
  events: JobEvents | undefined,
): Promise<Verdict> {
  const label = labelOf(actionOf(worker, job))
  await endJob(
    worker,
    job,
    (recipients) =>
      recipients.length === 0
        ? failedEnding(job, failure, label)
        : mailedEnding(job, recipients, { rows: job.done }, label, failure),
    { untried: failure.code, ...(events !== undefined && { events }) },
  )
  return { cause, job }
}

function actionOf(
  { registry }: JobWorker,
  { tableName, action }: HeldJob,
): Partial<BulkAction> & Pick<BulkAction, 'key'> {
  return registry.tables.get(tableName)?.bulkActions.find(({ key }) => key === action) ?? { key: action }
}
