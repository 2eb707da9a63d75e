import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for `work`, but not longer than `milliseconds`. Never rejects. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController()
  const patience = sleep(milliseconds, undefined, { signal: enough.signal })
  await Promise.race([work, patience]).catch(() => undefined)
  enough.abort()
  await patience.catch(() => undefined)
}
