import { type JobEvents, jobEvents } from '../push/job-events.ts'
import { addFacts } from '../telemetry/invocation.ts'
import { claimJob } from './claim-job.ts'
import { sendFailureMail } from './failure-mail.ts'
import type { HeldJob } from './job.ts'
import type { JobWorker } from './job-worker.ts'
import { holdLease, type LeaseLimits } from './lease.ts'
import { runJob } from './run-job.ts'
import { settleJob, type Verdict } from './settle-job.ts'

/**
 * Begins or goes on with a job, if that is anybody's to do at this moment, and brings it as far as it gets. It may be called
 * for one job any number of times, in any order, by any number of workers. Rejects only where the database cannot be reached
 * to take the job.
 */
export async function workOnJob(worker: JobWorker, jobId: string, limits: LeaseLimits): Promise<Verdict> {
  const { database } = worker
  const job = await claimJob(database, jobId)
  if (job === undefined) {
    // Another worker has it, or it has ended and its requester is still to be told.
    await sendFailureMail(worker, jobId)
    return {}
  }
  addFacts(worker.invocation, { job: job.id, table: job.tableName, action: job.action, request_id: job.requestId })
  const lease = holdLease(database, job, limits)
  const events = eventsOf(worker, job)
  try {
    await runJob(worker, job, lease, events)
    return {}
  } catch (error) {
    return await settleJob(worker, job, error, events)
  } finally {
    await Promise.all([lease.letGo(), events?.settled()])
    if (job.response === 'email') await sendFailureMail(worker, jobId)
  }
}

function eventsOf(worker: JobWorker, job: HeldJob): JobEvents | undefined {
  if (job.response !== 'websocket') return undefined
  return jobEvents(worker, { id: job.id, subject: job.identity.subject, language: job.language })
}
