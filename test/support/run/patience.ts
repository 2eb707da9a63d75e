import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { patienceMs } from './limits.ts'

/** Repeats an assertion until it holds. */
export const waitFor = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(assertion, { timeout: patienceMs, interval: 20 })

/** Returns the first result of `probe` that is not `undefined`. Throws what `otherwise` returns when none comes. */
export async function eventually<T>(
  probe: () => Promise<T | undefined>,
  otherwise: () => Promise<unknown> | unknown = () => 'it did not happen',
): Promise<T> {
  const start = performance.now()
  for (;;) {
    const result = await probe()
    if (result !== undefined) return result
    if (performance.now() - start > patienceMs) throw new Error(JSON.stringify(await otherwise()))
    await sleep(20)
  }
}
