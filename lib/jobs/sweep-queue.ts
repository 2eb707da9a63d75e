import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Invocation } from '../telemetry/invocation.ts'
import { endJob } from './end-job.ts'
import { failedEnding, failureOf, mailedEnding } from './endings.ts'
import { findUnsentFailureMails } from './failure-mail-request.ts'
import { jobFields, jobOf } from './job.ts'
import { labelOf } from './job-label.ts'
import { JobStopped } from './job-stopped.ts'
import { sendJob } from './queue.ts'

export interface SweepService {
  readonly config: Config
  readonly database: Database
  readonly invocation?: Invocation
}

const batch = 100

// A job that was just written down may still be on its way to the queue.
const lost = `update table_control.jobs set enqueued_at = now() where id in (
  select id from table_control.jobs
  where (state = 'queued' or (state = 'running' and lease_until < now()))
    and greatest(coalesce(enqueued_at, created_at - interval '90 seconds'), not_before) < now() - interval '2 minutes'
    and (state = 'running' or created_at > now() - interval '1 day')
  order by created_at limit ${batch} for update skip locked) returning id`

/**
 * Sends the messages of jobs again that wait for longer than a message takes, or whose worker was not heard of again. One sent
 * in vain is harmless. Throws where the queue takes none; the rest is found two minutes later.
 */
export async function sendLostJobs({ config, database }: SweepService): Promise<number> {
  const found = await database.transaction(({ run }) => run(lost, []))
  for (const [id] of found) await sendJob(config, String(id))
  return found.length
}

const overdue = `select ${jobFields} from table_control.jobs
  where state = 'queued' and created_at < now() - interval '1 day' order by created_at limit ${batch}`

/** Fails jobs that could not be done for a day, and tells their owners. */
export async function failOverdueJobs(service: SweepService): Promise<number> {
  const jobs = (await service.database.read(overdue, [])).map(jobOf)
  const failure = failureOf(new RequestError('unavailable'))
  for (const job of jobs) {
    const label = labelOf({ key: job.action })
    await endJob(
      service,
      job,
      (recipients, reached) =>
        recipients.length === 0
          ? failedEnding(job, failure, label, reached)
          : mailedEnding(job, recipients, { reached }, label, failure),
      { untried: failure.code },
    ).catch(unlessBegun)
  }
  return jobs.length
}

/** A worker, or another sweep, was faster. */
function unlessBegun(error: unknown): void {
  if (!(error instanceof JobStopped)) throw error
}

/** Sends the ids of jobs to the queue whose requesters were not told of a failure yet: workers send the mails. */
export async function sendFailureMails({ config, database }: SweepService): Promise<number> {
  const found = await findUnsentFailureMails(database)
  for (const id of found) await sendJob(config, id)
  return found.length
}
