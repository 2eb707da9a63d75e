import { randomUUID } from 'node:crypto'
import type { Database } from '../db/database.ts'
import { type HeldJob, jobFields, jobOf } from './job.ts'

/** For how long a worker that is not heard of is believed to be alive. */
export const leaseSeconds = 60

const claim = `update table_control.jobs
  set state = 'running', attempts = attempts + 1, lease_token = $2, started_at = coalesce(started_at, now()),
    lease_until = now() + interval '${leaseSeconds} seconds'
  where id = $1 and (state = 'queued' or (state = 'running' and lease_until < now()))
    and (not_before is null or not_before <= now())
  returning ${jobFields}`

// Whoever was sending it has died or lost the lease: nobody knows whether SES has taken it.
const doubt = `update table_control.job_recipients
  set state = 'unknown', code = 'interrupted', updated_at = now() where job_id = $1 and state = 'sending'`

/**
 * Takes a job that waits, or whose worker has died, for as long as the lease is renewed; `undefined` for one that is gone,
 * finished, not due yet, or in the hands of another worker. A mail that was being sent meanwhile is `unknown` from now on.
 */
export async function claimJob({ transaction }: Database, jobId: string): Promise<HeldJob | undefined> {
  const leaseToken = randomUUID()
  return transaction(async ({ run }) => {
    const [row] = await run(claim, [jobId, leaseToken])
    if (row === undefined) return undefined
    await run(doubt, [jobId])
    return { ...jobOf(row), leaseToken }
  })
}
