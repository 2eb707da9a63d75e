import type { JobEvents } from '../push/job-events.ts'
import type { FileLink } from '../storage/store-file.ts'
import type { BulkAction } from '../table/compiled-table.ts'
import { log } from '../telemetry/log.ts'
import { endJob } from './end-job.ts'
import { cancelledEnding, failedEnding, failureOf, mailedEnding } from './endings.ts'
import { type HeldJob, type JobFailure, jobFacts } from './job.ts'
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
  /** Nothing could be written down of the job, which is in nobody's hands as soon as its lease is over. */
  readonly isUnsettled?: true
}

/** What becomes of a job whose work ended early: it is tried again, or ends. Never rejects. */
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
      return isLast
        ? await fail(worker, job, error, error.failure, events, error.link)
        : await again(worker, job, pause, error)
    }
    if (isTemporary(error) && !isLast) return await again(worker, job, pauseSeconds(job.attempts), error)
    return await fail(worker, job, error, failureOf(error), events)
  } catch (failure) {
    if (failure instanceof JobStopped) return {}
    return { cause: failure, job, isUnsettled: true }
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
    const label = labelOf(actionOf(worker, job))
    await endJob(worker, job, (_, reached) => cancelledEnding(job, label, reached), options)
  }
  if (reason === 'deadline' && (await putBack(worker.database, job, 0))) {
    // Not sent, it is found by the sweep.
    await sendJob(worker.config, job.id).catch(({ cause }: Error) => {
      const code = cause instanceof Error ? cause.name : undefined
      log('warn', 'a job goes on minutes later', { ...jobFacts(job), code })
    })
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
  link?: FileLink,
): Promise<Verdict> {
  const label = labelOf(actionOf(worker, job))
  await endJob(
    worker,
    job,
    (recipients, reached) =>
      recipients.length === 0
        ? failedEnding(job, failure, label, reached)
        : mailedEnding(job, recipients, { reached, link }, label, failure),
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
