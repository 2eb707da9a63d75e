import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import type { Run } from '../db/transaction.ts'
import { RequestError } from '../errors/request-error.ts'
import {
  abandonJob,
  countUnfinishedJobs,
  insertJob,
  type JobTraces,
  lockCallerJobs,
  markEnqueued,
  type NewJob,
} from './job-store.ts'
import { enqueueJob } from './queue.ts'

/**
 * Stores a job in the caller's transaction. It can run as soon as its id is in the queue. Throws `too_many_jobs` for a
 * caller with `maxUnfinished` jobs; `assertJobLimit` counts those that are created at the same moment.
 */
export async function createJob(run: Run, job: NewJob, maxUnfinished: number): Promise<string> {
  if ((await countUnfinishedJobs(run, job.identity.subject, maxUnfinished)) >= maxUnfinished) {
    throw tooManyJobs(maxUnfinished)
  }
  return insertJob(run, job)
}

/**
 * Throws `too_many_jobs` if the caller's new job is one too many. Call it last in the transaction that creates the job:
 * transactions of one caller wait for each other from here to their end.
 */
export async function assertJobLimit(run: Run, subject: string, maxUnfinished: number): Promise<void> {
  await lockCallerJobs(run, subject)
  if ((await countUnfinishedJobs(run, subject, maxUnfinished + 1)) > maxUnfinished) throw tooManyJobs(maxUnfinished)
}

const tooManyJobs = (limit: number): RequestError => new RequestError('too_many_jobs', { limit })

interface QueueService {
  readonly config: Pick<Config, 'QUEUE_URL'>
  readonly database: Database
}

/**
 * Sends a committed job to the queue. If the queue does not take it, fails the job, removes the traces of its request,
 * so that the request can be repeated, and throws `unavailable`. Returns if a worker has begun the job after all.
 * Throws `outcome_unknown` if the job cannot be failed: the sweep then sends the job again.
 */
export async function enqueueOrAbandon(
  { config, database }: QueueService,
  jobId: string,
  traces: JobTraces,
): Promise<void> {
  try {
    await enqueueJob(config, jobId)
  } catch (error) {
    const { code, text } = new RequestError('unavailable')
    const isAbandoned = await abandonJob(database, jobId, { code, ...text }, traces).catch((cause) =>
      Promise.reject(new RequestError('outcome_unknown', {}, { cause })),
    )
    if (isAbandoned) throw error
    return
  }
  // If this fails, the sweep sends one message too many, which is harmless.
  await markEnqueued(database, jobId).catch(() => undefined)
}
