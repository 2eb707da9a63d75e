import { createJobEvents, type JobEvents } from '../push/job-events.ts'
import type { FileLink } from '../storage/store-file.ts'
import { findTable } from '../table/registry.ts'
import { addFacts } from '../telemetry/invocation.ts'
import { errorName, log } from '../telemetry/log.ts'
import { endFailedJob, endJob } from './end-job.ts'
import { sendFailureMail } from './failure-mail.ts'
import {
  actionLabel,
  hasEvents,
  type JobFailure,
  JobStopped,
  type JobWorker,
  jobLogFields,
  type LeasedJob,
  RetryLater,
} from './job.ts'
import { cancelledEnding, toJobFailure } from './job-endings.ts'
import { claimJob, releaseHeldJob, requeueJob } from './job-store.ts'
import { keepLease, type LeaseLimits } from './lease.ts'
import { enqueueJob } from './queue.ts'
import { isTemporary, maxAttempts, pauseSeconds } from './retry-policy.ts'
import { runJob } from './run-job.ts'

/** The treatment of the message that named a job. */
export interface MessageDisposition {
  /** Absent if the message is no longer needed, and with `isOutcomeLost`, for which the caller chooses the pause. */
  readonly retryAfterSeconds?: number
  /** The error, for the log. */
  readonly cause?: unknown
  readonly job?: LeasedJob
  /** Neither the end of the job nor its retry could be stored: it can be claimed again once its lease is over. */
  readonly isOutcomeLost?: true
}

/**
 * Claims the next job, fairly between callers, on the permit of a message that names `jobId`, and runs one attempt at
 * it. Any number of workers may call this for one job, in any order. Rejects only if the database cannot be reached to
 * claim a job.
 */
export async function workOnJob(worker: JobWorker, jobId: string, limits: LeaseLimits): Promise<MessageDisposition> {
  const { config, database } = worker
  const job = await claimJob(database, jobId, config.RUNNING_JOBS_PER_CALLER)
  // If the named job has ended, its owner may still wait for the mail about its failure.
  const named = job?.id === jobId ? undefined : sendFailureMail(worker, jobId)
  if (job === undefined) {
    await named
    return {}
  }
  addFacts(worker.invocation, { job: job.id, table: job.tableName, action: job.action, request_id: job.requestId })
  const lease = keepLease(database, job, limits)
  const events = hasEvents(job) ? createJobEvents(worker, job) : undefined
  try {
    await runJob(worker, job, lease, events)
    return {}
  } catch (error) {
    return await retryOrEndJob(worker, job, error, events)
  } finally {
    await Promise.all([lease.release(), events?.flush(), named])
    if (job.response === 'email') await sendFailureMail(worker, job.id)
    if (config.RUNNING_JOBS_PER_CALLER !== undefined) await enqueueHeldJob(worker, job.identity.subject)
  }
}

/** Enqueues a caller's oldest held job when another job has stopped. Never rejects: if it fails, the sweep does it. */
async function enqueueHeldJob({ config, database }: JobWorker, subject: string): Promise<void> {
  try {
    const id = await releaseHeldJob(database, subject)
    if (id !== undefined) await enqueueJob(config, id)
  } catch (error) {
    log('warn', 'a waiting job of the caller was not sent to the queue; the sweep sends it within minutes', {
      code: errorName(error),
    })
  }
}

/** Retries or ends a job whose attempt failed. Never rejects. */
async function retryOrEndJob(
  worker: JobWorker,
  job: LeasedJob,
  error: unknown,
  events: JobEvents | undefined,
): Promise<MessageDisposition> {
  try {
    if (error instanceof JobStopped) return await endStoppedJob(worker, job, error, events)
    const isLast = job.attempts >= maxAttempts
    if (error instanceof RetryLater) {
      const pause = Math.max(error.afterSeconds, pauseSeconds(job.attempts))
      return isLast
        ? await failJob(worker, job, error, error.failure, events, error.link)
        : await retryJob(worker, job, pause, error)
    }
    if (isTemporary(error) && !isLast) return await retryJob(worker, job, pauseSeconds(job.attempts), error)
    return await failJob(worker, job, error, toJobFailure(error), events)
  } catch (cause) {
    if (cause instanceof JobStopped) return {}
    return { cause, job, isOutcomeLost: true }
  }
}

async function endStoppedJob(
  worker: JobWorker,
  job: LeasedJob,
  { reason }: JobStopped,
  events: JobEvents | undefined,
): Promise<MessageDisposition> {
  if (reason === 'cancelled') {
    const label = await findLabel(worker, job)
    const options = { untried: 'cancelled', events }
    await endJob(worker, job, (_, progress) => cancelledEnding(job, label, progress), options)
  }
  if (reason === 'deadline' && (await requeueJob(worker.database, job, 0))) {
    // If sending fails, the sweep enqueues the job.
    await enqueueJob(worker.config, job.id).catch(({ cause }: Error) => {
      const code = cause instanceof Error ? cause.name : undefined
      const message =
        'the queue did not take a job that continues in another function; the sweep sends it within minutes'
      log('warn', message, { ...jobLogFields(job), code })
    })
  }
  return {}
}

async function retryJob(
  worker: JobWorker,
  job: LeasedJob,
  seconds: number,
  cause: unknown,
): Promise<MessageDisposition> {
  if (!(await requeueJob(worker.database, job, seconds))) return {}
  return { retryAfterSeconds: seconds, cause, job }
}

async function failJob(
  worker: JobWorker,
  job: LeasedJob,
  cause: unknown,
  failure: JobFailure,
  events: JobEvents | undefined,
  link?: FileLink,
): Promise<MessageDisposition> {
  await endFailedJob(worker, job, failure, await findLabel(worker, job), { events, link })
  return { cause, job }
}

async function findLabel({ registry }: JobWorker, { tableName, action: key }: LeasedJob) {
  const table = await findTable(registry, tableName)
  const action = table?.bulkActions.find((candidate) => candidate.key === key)
  return actionLabel(action ?? { key })
}
