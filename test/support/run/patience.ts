import { setTimeout as sleep } from 'node:timers/promises'
import { patienceMs } from './limits.ts'

/** Repeats an assertion until it holds. */
export const waitFor = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  repeat(
    async () => {
      try {
        return { result: await assertion() }
      } catch (error) {
        return { error }
      }
    },
    ({ error }) => error,
  )

/** Returns the first result of `probe` that is not `undefined`. Throws what `otherwise` returns when none comes. */
export const eventually = <T>(
  probe: () => Promise<T | undefined>,
  otherwise: () => Promise<unknown> | unknown = () => 'it did not happen',
): Promise<T> =>
  repeat(
    async () => {
      const result = await probe()
      return result === undefined ? {} : { result }
    },
    async () => new Error(JSON.stringify(await otherwise())),
  )

interface Attempt<T> {
  readonly result?: T
  readonly error?: unknown
}

/** Pauses between attempts for a tenth of the time that has passed, so that a long wait takes little of a processor. */
async function repeat<T>(attempt: () => Promise<Attempt<T>>, failure: (last: Attempt<T>) => unknown): Promise<T> {
  const start = performance.now()
  for (;;) {
    const last = await attempt()
    if ('result' in last) return last.result as T
    const waitedMs = performance.now() - start
    if (waitedMs > patienceMs) throw await failure(last)
    await sleep(Math.min(Math.max(waitedMs / 10, 20), 200))
  }
}
