import { setTimeout as sleep } from 'node:timers/promises'
import { RequestError } from '../errors/request-error.ts'
import { JobStopped } from './job.ts'

/** The number of attempts without progress after which a job fails. */
export const maxAttempts = 4

const firstPauseSeconds = 15

/** Returns the pause after this number of attempts: about 15 seconds, a minute, four minutes. */
export const pauseSeconds = (attempts: number): number =>
  Math.round(firstPauseSeconds * 4 ** (attempts - 1) * (0.8 + Math.random() * 0.4))

const temporaryCodes: ReadonlySet<string> = new Set(['row_busy'])

/**
 * Returns whether the same work may succeed later: after failures of the database, S3 or the queue, time-outs and
 * locked rows. An author's exception, a client's mistake, and work that takes longer than a function may, fail again.
 */
export const isTemporary = (error: unknown): boolean =>
  error instanceof RequestError &&
  !(error.cause instanceof JobStopped) &&
  (error.status === 503 || error.status === 504 || temporaryCodes.has(error.code))

// A failover takes up to half a minute; the lease lasts a minute, and the function keeps that long in reserve.
const pausesMs = [100, 500, 2_000, 5_000, 10_000, 15_000]

/** Repeats a write that has no effect if it is done twice, while the database is away. */
export async function retryWrite<T>(write: () => Promise<T>): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await write()
    } catch {
      await sleep(pauseMs)
    }
  }
  return write()
}
