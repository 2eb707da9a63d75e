import { RequestError } from '../errors/request-error.ts'
import { takeLostPolls } from '../push/row-polls.ts'
import { listOverdueTables } from '../push/subscriptions.ts'
import { endFailedJob } from './end-job.ts'
import { actionLabel, type JobService, JobStopped } from './job.ts'
import { toJobFailure } from './job-endings.ts'
import { findOverdueJobs, takeLostJobs } from './job-store.ts'
import { takeUnsentFailureMails } from './mail-store.ts'
import { enqueueJob, wakeWatchers } from './queue.ts'

/**
 * Enqueues jobs whose message seems lost or whose worker died. A message too many is harmless. Throws if the queue refuses one:
 * the rest is found two minutes later.
 */
export async function enqueueLostJobs({ config, database }: JobService): Promise<number> {
  const ids = await takeLostJobs(database)
  for (const id of ids) await enqueueJob(config, id)
  return ids.length
}

/** Fails jobs that have been waiting for a day, and notifies their owners. */
export async function failOverdueJobs(service: JobService): Promise<number> {
  const jobs = await findOverdueJobs(service.database)
  const failure = toJobFailure(new RequestError('unavailable'))
  for (const job of jobs) {
    await endFailedJob(service, job, failure, actionLabel({ key: job.action })).catch((error: unknown) => {
      // A worker, or another sweep, was faster.
      if (!(error instanceof JobStopped)) throw error
    })
  }
  return jobs.length
}

/** Enqueues jobs whose failure mail is not sent yet, unless `MAIL` is off: workers send it. */
export async function enqueueFailureMails({ config, database }: JobService): Promise<number> {
  if (config.MAIL === 'off') return 0
  const ids = await takeUnsentFailureMails(database)
  for (const id of ids) await enqueueJob(config, id)
  return ids.length
}

/** Sends the messages again that were lost and that have watchers told of changes. */
export async function wakeOverdueWatchers({ config, database }: JobService): Promise<number> {
  const tables = await listOverdueTables(database)
  for (const table of tables) await wakeWatchers(config, table)
  const polls = await takeLostPolls(database)
  for (const { tableName, poll } of polls) await wakeWatchers(config, tableName, 0, poll)
  return tables.length + polls.length
}
