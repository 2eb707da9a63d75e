import type { Database } from '../db/database.ts'
import type { HeldJob } from './job.ts'
import { JobStopped } from './job-stopped.ts'

const written = `update table_control.jobs set done = $3, total = $3
  where id = $1 and lease_token = $2 and state = 'running' returning true`

/**
 * Writes down how many rows a report has before it is sent: whoever has to end the job in this worker's place must know it.
 * Throws where the lease is lost.
 */
export async function keepWritten({ transaction }: Database, { id, leaseToken }: HeldJob, rows: number): Promise<void> {
  const held = await transaction(({ run }) => run(written, [id, leaseToken, rows]))
  if (held.length === 0) throw new JobStopped('lost')
}
