import { rm } from 'node:fs/promises'
import { isWork } from '../actions/run-chunk.ts'
import type { Identity } from '../auth/identity.ts'
import { RequestError } from '../errors/request-error.ts'
import type { JobEvents } from '../push/job-events.ts'
import { endJob } from './end-job.ts'
import { doneEnding, mailedEnding } from './endings.ts'
import type { HeldJob } from './job.ts'
import { jobDirectory } from './job-directory.ts'
import { labelOf } from './job-label.ts'
import type { JobOutcome } from './job-outcome.ts'
import { jobResult } from './job-result.ts'
import { JobStopped } from './job-stopped.ts'
import { type JobTarget, jobTarget } from './job-target.ts'
import type { JobWorker } from './job-worker.ts'
import { keepWritten } from './keep-written.ts'
import type { Lease } from './lease.ts'
import { type Recipient, recipientsOf } from './mail-recipients.ts'
import { mostAttempts } from './put-back.ts'
import type { Reached } from './reached.ts'
import { runBulk } from './run-bulk.ts'
import { runReport, type Watched } from './run-report.ts'
import { sendReport } from './send-report.ts'

/** One attempt at a job from its beginning, or from where the last one stopped, to its end. Throws whatever keeps it from that. */
export async function runJob(
  worker: JobWorker,
  job: HeldJob,
  lease: Lease,
  events: JobEvents | undefined,
): Promise<void> {
  if (await isMailed(worker, job)) return endMailed(worker, job)
  if (job.cancelRequested) throw new JobStopped('cancelled')
  // Whatever ended the earlier attempts could not even say so.
  if (job.attempts > mostAttempts) throw new RequestError('internal_error')
  lease.signal.throwIfAborted()
  const target = await jobTarget(worker.registry, worker.config, job)
  if (!job.announced) await events?.started({ action: job.action, table: job.tableName })
  const directory = await jobDirectory()
  try {
    const named = inNameOf(target.context.identity, worker)
    const outcome = await workOf(named, job, target, directory, watched(lease, events))
    await deliver(worker, job, target, outcome, lease.signal, events)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Every mail was tried, and only the end was not written down. */
async function isMailed({ database }: JobWorker, job: HeldJob): Promise<boolean> {
  if (job.response !== 'email') return false
  const recipients = await recipientsOf(database.read, job.id)
  return recipients.length > 0 && recipients.every(({ state }) => state !== 'pending')
}

async function endMailed(worker: JobWorker, job: HeldJob): Promise<void> {
  const label = labelOf({ key: job.action })
  const decide = (recipients: readonly Recipient[], reached: Reached) => {
    const { rows, counts } = reached
    const result = { rows, ...(counts !== undefined && { counts }) }
    return mailedEnding(job, recipients, { result, reached }, label)
  }
  await endJob(worker, job, decide, { untried: 'interrupted' })
}

function watched({ signal, progress }: Lease, events: JobEvents | undefined): Watched {
  return {
    signal,
    progress: (done, total) => {
      progress(done, total)
      events?.progress(done, total ?? null)
    },
  }
}

/** The owner as known by now, of whom policies of row-level security are told; the job's own tables know no callers. */
const inNameOf = (owner: Identity, worker: JobWorker): JobWorker => ({
  ...worker,
  database: worker.database.as(owner),
  work: worker.work.as(owner),
})

function workOf(
  worker: JobWorker,
  job: HeldJob,
  target: JobTarget,
  directory: string,
  watch: Watched,
): Promise<JobOutcome> {
  const { definition } = target.action
  if (job.kind === 'bulk' && isWork(definition)) return runBulk(worker, job, target, definition, watch)
  if (job.kind === 'report' && !isWork(definition)) {
    return runReport(worker, job, target, definition.export, directory, watch)
  }
  throw new RequestError('action_not_defined')
}

async function deliver(
  worker: JobWorker,
  job: HeldJob,
  target: JobTarget,
  outcome: JobOutcome,
  signal: AbortSignal,
  events: JobEvents | undefined,
): Promise<void> {
  signal.throwIfAborted()
  const label = labelOf(target.action)
  const result = await jobResult(worker, job, outcome)
  const options = { untried: 'interrupted', ...(events !== undefined && { events }) }
  if (job.response !== 'email') {
    await endJob(worker, job, () => doneEnding(job, outcome, result, label), options)
    return
  }
  if (job.kind === 'report') await keepWritten(worker.database, job, outcome.rows)
  const link = await sendReport(worker, job, target, outcome, signal)
  const { rows } = outcome
  await endJob(
    worker,
    job,
    (recipients, reached) => mailedEnding(job, recipients, { rows, result, reached, link }, label),
    options,
  )
}
