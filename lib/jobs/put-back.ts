import type { Database } from '../db/database.ts'
import { RequestError } from '../errors/request-error.ts'
import type { HeldJob } from './job.ts'
import { JobStopped } from './job-stopped.ts'

/** How often a job is begun without getting anywhere. */
export const mostAttempts = 4

const firstPauseSeconds = 15

/** How long a job waits after so many attempts: about 15 seconds, a minute, four minutes. */
export const pauseSeconds = (attempts: number): number =>
  Math.round(firstPauseSeconds * 4 ** (attempts - 1) * (0.8 + Math.random() * 0.4))

/** Failures of a moment: of the database, S3 or the queue, a statement that took too long, a row that somebody else has locked. */
const momentary: ReadonlySet<string> = new Set(['row_busy'])

/**
 * Whether the same work may well succeed later. An author's own exception, whatever a client could correct, and what took more
 * time than a function has, may not.
 */
export const isTemporary = (error: unknown): boolean =>
  error instanceof RequestError &&
  !(error.cause instanceof JobStopped) &&
  (error.status === 503 || error.status === 504 || momentary.has(error.code))

const back = `update table_control.jobs set state = 'queued', lease_token = null, lease_until = null,
  enqueued_at = now(), not_before = case when $3::int = 0 then null else now() + make_interval(secs => $3) end
  where id = $1 and lease_token = $2 and state = 'running' returning true`

/** Lets a job go, to be begun again after so many seconds; false where it is no longer in this worker's hands. */
export async function putBack({ transaction }: Database, job: HeldJob, afterSeconds: number): Promise<boolean> {
  const rows = await transaction(({ run }) => run(back, [job.id, job.leaseToken, afterSeconds]))
  return rows.length > 0
}
