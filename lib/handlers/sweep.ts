import { RequestError } from '../errors/request-error.ts'
import { processService } from '../http/service.ts'
import { endFailedJob } from '../jobs/end-job.ts'
import { actionLabel, type JobService, JobStopped } from '../jobs/job.ts'
import { toJobFailure } from '../jobs/job-endings.ts'
import { findOverdueJobs, takeLostJobs } from '../jobs/job-store.ts'
import { takeUnsentFailureMails } from '../jobs/mail-store.ts'
import { enqueueJob, wakeWatchers } from '../jobs/queue.ts'
import { type ReportFailure, removeExpired, removeExpiredFiles } from '../jobs/sweep-expired.ts'
import { takeLostPolls } from '../push/row-polls.ts'
import { closeExpiredSockets } from '../push/sockets.ts'
import { listOverdueTables } from '../push/subscriptions.ts'
import { beginInvocation, type Count, count } from '../telemetry/invocation.ts'
import { beginLog, flushLog } from '../telemetry/log.ts'
import { logFailure } from '../telemetry/log-failure.ts'
import { logWork } from '../telemetry/log-invocation.ts'

/** Called by a schedule; its event is ignored. */
export type ScheduleHandler = (event?: unknown, context?: { readonly awsRequestId: string }) => Promise<void>

/** Does one step and returns its count. Calls `fail` for each part that fails, and goes on. */
type Step = (service: JobService, fail: ReportFailure) => Promise<number>

const steps: readonly (readonly [Count, Step])[] = [
  ['JobsResent', enqueueLostJobs],
  ['JobsOverdue', failOverdueJobs],
  ['FailureMailsResent', enqueueFailureMails],
  ['FilesRemoved', removeExpiredFiles],
  ['SocketsClosed', closeExpiredSockets],
  ['WatchersWoken', wakeOverdueWatchers],
  ['RowsRemoved', removeExpired],
]

/**
 * The Lambda handler that runs each minute: finds jobs that no worker works on and removes what has expired. Running
 * twice at once is harmless. A step, table or job that fails does not keep the others from being done.
 */
export const sweep =
  (service: () => JobService = processService): ScheduleHandler =>
  async (_event, lambda) => {
    const requestId = lambda?.awsRequestId ?? ''
    const invocation = beginInvocation('sweep', requestId)
    const failures: unknown[] = []
    for (const [what, step] of steps) {
      const fail: ReportFailure = (error, of) => {
        logFailure(error, { requestId, route: 'sweep', step: what, ...of })
        failures.push(error)
      }
      try {
        const running = service()
        beginLog(running.config)
        count(invocation, what, await step({ ...running, invocation }, fail))
      } catch (error) {
        fail(error)
      }
    }
    if (failures.length === 0) count(invocation, 'Sweeps')
    logWork(invocation)
    await flushLog()
    if (failures.length > 0) throw new AggregateError(failures, 'The sweep was not complete')
  }

const maxResendingMs = 4_000
const sentAtOnce = 10

/**
 * Enqueues jobs whose message seems lost or whose worker died; then, for four seconds, those that were sent only once.
 * A restored database may have many of these. Throws if the queue refuses a message: the rest is found two minutes
 * later.
 */
async function enqueueLostJobs({ config, database }: JobService): Promise<number> {
  const end = performance.now() + maxResendingMs
  let sent = 0
  let ids = await takeLostJobs(database, 'any')
  while (ids.length > 0) {
    for (let start = 0; start < ids.length; start += sentAtOnce)
      await Promise.all(ids.slice(start, start + sentAtOnce).map((id) => enqueueJob(config, id)))
    sent += ids.length
    if (performance.now() > end) break
    ids = await takeLostJobs(database, 'sent once')
  }
  return sent
}

/** Fails jobs that have been waiting for a day, and notifies their owners. */
async function failOverdueJobs(service: JobService, fail: ReportFailure): Promise<number> {
  const jobs = await findOverdueJobs(service.database)
  const failure = toJobFailure(new RequestError('unavailable'))
  for (const job of jobs) {
    await endFailedJob(service, job, failure, actionLabel({ key: job.action })).catch((error: unknown) => {
      // A worker, or another sweep, was faster.
      if (!(error instanceof JobStopped)) fail(error, { table: job.tableName, action: job.action })
    })
  }
  return jobs.length
}

/** Enqueues jobs whose failure mail is not sent yet, unless `MAIL` is off: workers send it. */
async function enqueueFailureMails({ config, database }: JobService): Promise<number> {
  if (config.MAIL === 'off') return 0
  const ids = await takeUnsentFailureMails(database)
  for (const id of ids) await enqueueJob(config, id)
  return ids.length
}

/** Sends the messages again that were lost and that notify watchers of changes. */
async function wakeOverdueWatchers({ config, database }: JobService): Promise<number> {
  const tables = await listOverdueTables(database)
  for (const table of tables) await wakeWatchers(config, table)
  const polls = await takeLostPolls(database)
  for (const { tableName, poll } of polls) await wakeWatchers(config, tableName, 0, poll)
  return tables.length + polls.length
}
