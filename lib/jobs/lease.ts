import type { Database } from '../db/database.ts'
import { type JobControl, JobStopped, type LeasedJob } from './job.ts'
import { leaseSeconds, renewLease } from './job-store.ts'

/**
 * A lease that is renewed until it is released. Its signal is aborted with a `JobStopped`; `progress` stores the
 * progress at most once a second and never rejects.
 */
export interface Lease extends JobControl {
  /** Stops the renewal. Resolves when no statement is under way any more. */
  readonly release: () => Promise<void>
}

export interface LeaseLimits {
  /** Returns the time that the function has left, in milliseconds. */
  readonly remainingMs: () => number
}

const renewalMs = 5_000
const minProgressMs = 1_000

/** A function needs this time to requeue its job and to send its last events. */
const reserveMs = 60_000

/**
 * Renews the lease of a claimed job. Work must end as soon as the signal is aborted: the job is cancelled, the lease is
 * lost (also to a database that is away for as long), or the function ends within a minute. It is abandoned half a
 * minute later.
 */
export function keepLease(database: Database, job: LeasedJob, { remainingMs }: LeaseLimits): Lease {
  const stop = new AbortController()
  const abandon = new AbortController()
  let { done, total } = job
  let stoppedAt = Number.POSITIVE_INFINITY
  let leasedUntil = performance.now() + leaseSeconds * 1_000
  let renewedAt = 0
  let renewal: Promise<void> | undefined

  async function renew(): Promise<void> {
    const startedAt = performance.now()
    renewedAt = startedAt
    try {
      const outcome = await renewLease(database, job, done, total)
      leasedUntil = startedAt + leaseSeconds * 1_000
      if (outcome !== 'renewed') stop.abort(new JobStopped(outcome))
    } catch {
      if (performance.now() > leasedUntil) stop.abort(new JobStopped('lost'))
    }
  }

  function tick(): void {
    if (remainingMs() < reserveMs) stop.abort(new JobStopped('deadline'))
    if (remainingMs() < reserveMs / 2 || performance.now() - stoppedAt > reserveMs / 2)
      abandon.abort(stop.signal.reason)
    renewal ??= renew().finally(() => {
      renewal = undefined
    })
  }

  stop.signal.addEventListener('abort', () => {
    stoppedAt = performance.now()
  })
  if (remainingMs() < reserveMs) stop.abort(new JobStopped('deadline'))
  const timer = setInterval(tick, renewalMs)
  return {
    signal: stop.signal,
    abandoned: abandon.signal,
    progress: (newDone, newTotal) => {
      done = newDone
      total = newTotal
      if (performance.now() - renewedAt > minProgressMs) tick()
    },
    release: async () => {
      clearInterval(timer)
      await renewal
    },
  }
}
