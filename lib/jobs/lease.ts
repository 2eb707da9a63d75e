import type { Database } from '../db/database.ts'
import { leaseSeconds } from './claim-job.ts'
import type { HeldJob } from './job.ts'
import { JobStopped } from './job-stopped.ts'

/** A worker's hold on a job, renewed until it is let go. */
export interface Lease {
  /** Aborted with a `JobStopped` when the work has to end. */
  readonly signal: AbortSignal
  /** Writes down how far the job is, at most once a second. Never rejects. */
  readonly progress: (done: number, total: number | undefined) => void
  /** Stops renewing; resolves when nothing is under way any more. */
  readonly letGo: () => Promise<void>
}

export interface LeaseLimits {
  /** How much longer the function may run, in milliseconds. */
  readonly remainingMs: () => number
}

const beatMs = 5_000
const pauseMs = 1_000

/** What a function needs to put its work in order at the end. */
const reserveMs = 60_000

const renewal = `update table_control.jobs
  set lease_until = now() + interval '${leaseSeconds} seconds',
    done = greatest(done, $3), total = coalesce($4, total)
  where id = $1 and lease_token = $2 and state = 'running' returning cancel_requested`

/**
 * Keeps a claimed job. Work must end as soon as the signal is aborted: when the job is cancelled, when the lease is lost (a
 * database that cannot be reached for the length of the lease loses it), or a minute before the function's end.
 */
export function holdLease({ transaction }: Database, job: HeldJob, { remainingMs }: LeaseLimits): Lease {
  const stop = new AbortController()
  let { done, total } = job
  let heldUntil = performance.now() + leaseSeconds * 1_000
  let writtenAt = 0
  let writing: Promise<void> | undefined

  async function renew(): Promise<void> {
    const asked = performance.now()
    writtenAt = asked
    try {
      const [row] = await transaction(({ run }) => run(renewal, [job.id, job.leaseToken, done, total ?? null]))
      heldUntil = asked + leaseSeconds * 1_000
      if (row === undefined) stop.abort(new JobStopped('lost'))
      else if (row[0] === true) stop.abort(new JobStopped('cancelled'))
    } catch {
      if (performance.now() > heldUntil) stop.abort(new JobStopped('lost'))
    }
  }

  function beat(): void {
    if (remainingMs() < reserveMs) stop.abort(new JobStopped('deadline'))
    writing ??= renew().finally(() => {
      writing = undefined
    })
  }

  if (remainingMs() < reserveMs) stop.abort(new JobStopped('deadline'))
  const timer = setInterval(beat, beatMs)
  return {
    signal: stop.signal,
    progress: (newDone, newTotal) => {
      done = newDone
      total = newTotal
      if (performance.now() - writtenAt > pauseMs) beat()
    },
    letGo: async () => {
      clearInterval(timer)
      await writing
    },
  }
}
