import { endJob } from './end-job.ts'
import { cancelledEnding } from './endings.ts'
import { jobFields, jobOf } from './job.ts'
import { labelOf } from './job-label.ts'
import { JobStopped } from './job-stopped.ts'
import type { Reached } from './reached.ts'
import type { SweepService } from './sweep-queue.ts'

const request = `update table_control.jobs set cancel_requested = true
  where id = $1 and subject = $2 and state in ('queued', 'running') returning state, ${jobFields}`

/** Ends a job that waits, and asks the worker of one that runs to end it. One that is finished stays as it is. */
export async function cancelJob(service: SweepService, jobId: string, subject: string): Promise<void> {
  const [row] = await service.database.transaction(({ run }) => run(request, [jobId, subject]))
  if (row === undefined) return
  const [state, ...fields] = row
  if (state !== 'queued') return
  const job = jobOf(fields)
  const label = labelOf({ key: job.action })
  const decide = (_: unknown, reached: Reached) => cancelledEnding(job, label, reached)
  await endJob(service, job, decide, { untried: 'cancelled' }).catch((error: unknown) => {
    // A worker has just begun with it, and will find the request.
    if (!(error instanceof JobStopped)) throw error
  })
}
