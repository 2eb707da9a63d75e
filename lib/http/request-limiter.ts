import { chargeCaller } from '../db/charge-caller.ts'
import type { Database } from '../db/database.ts'
import type { UsageLimit } from '../db/usage-limits.ts'
import { describeRefusal } from '../errors/too-many-requests.ts'

/**
 * Counts a caller's request, together with all other processes, and runs its work. Throws `too_many_requests` for one
 * too many, at once while this process knows that the allowance is used up. Work that only reads shares a round trip
 * with the count; any other work waits for it. If the database cannot count, no caller is limited.
 */
export type RequestLimiter = <T>(subject: string, isRead: boolean, work: () => Promise<T>) => Promise<T>

/** The requests of one caller in this process. */
interface Tally {
  /** Requests since the database was last asked. */
  uncounted: number
  /** The number of requests that need no question. */
  credit: number
  /** When the database was last asked, in milliseconds since 1970, and for how long it refuses; 0 if it does not. */
  askedAt: number
  refusedMs: number
}

/** The least recent callers are forgotten, which costs one question more for each. */
const maxCallers = 5_000

/**
 * A hundredth part of what is left is let through without a question, so that few requests bring a second statement.
 * Each process may exceed the limit by as much, and not at all near the limit.
 */
const creditShare = 100

/** Creates the limiter of a process. It is given `createError`, so that it adds no code of errors to a cold start. */
export function createRequestLimiter(
  limit: UsageLimit,
  { attempt }: Pick<Database, 'attempt'>,
  createError: (...refusal: ReturnType<typeof describeRefusal>) => Error,
): RequestLimiter {
  const tallies = new Map<string, Tally>()
  const refuse = (waitSeconds: number) => createError(...describeRefusal(limit, waitSeconds))

  function recall(subject: string): Tally {
    const tally = tallies.get(subject) ?? { uncounted: 0, credit: 0, askedAt: 0, refusedMs: 0 }
    tallies.delete(subject)
    tallies.set(subject, tally)
    if (tallies.size > maxCallers) tallies.delete(tallies.keys().next().value ?? '')
    return tally
  }

  async function ask(subject: string, tally: Tally): Promise<void> {
    const served = tally.uncounted
    tally.uncounted = 0
    const charged = await chargeCaller(attempt, subject, limit, { served, asked: 1 }).catch(() => undefined)
    if (charged === undefined) {
      tally.uncounted += served + 1
      return
    }
    tally.credit = Math.floor(charged.remaining / creditShare)
    Object.assign(tally, { askedAt: Date.now(), refusedMs: charged.waitSeconds * 1_000 })
    if (charged.waitSeconds > 0) throw refuse(charged.waitSeconds)
  }

  return async (subject, isRead, work) => {
    const tally = recall(subject)
    // The other clock stands still while a function is frozen. Absolute, because this one may be set back.
    const waitMs = tally.refusedMs - Math.abs(Date.now() - tally.askedAt)
    if (waitMs > 0) throw refuse(waitMs / 1_000)
    if (tally.credit > 0) {
      tally.credit -= 1
      tally.uncounted += 1
      return work()
    }
    const admission = ask(subject, tally)
    // Work for a caller who was refused before would mostly be in vain.
    if (!isRead || tally.refusedMs > 0) {
      await admission
      return work()
    }
    // Work that fails first answers the request.
    admission.catch(() => {})
    const [result] = await Promise.all([work(), admission])
    return result
  }
}
