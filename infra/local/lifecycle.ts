import { setTimeout as sleep } from 'node:timers/promises'

export interface Lifecycle {
  /**
   * Registers what ends a part that has started; parts are ended in reverse order. Throws when a stop has begun
   * already.
   */
  readonly onStop: (end: () => Promise<void> | void) => void
  /** Ends every part and then the process, once, however often it is called; `line` says why, if anything is wrong. */
  readonly stop: (exitCode: number, line?: string) => void
  /**
   * Must be given what starts the parts, so that a stop in the middle of it waits for the part that is just starting.
   */
  readonly starting: (parts: Promise<unknown>) => void
}

/** How long a stop waits for a part that is just starting, in milliseconds; what it leaves ends with this process. */
const patienceMs = 2_000

export function createLifecycle(): Lifecycle {
  const ends: (() => Promise<void> | void)[] = []
  let parts: Promise<unknown> = Promise.resolve()
  let stopping = false

  const endAll = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
      try {
        await end()
      } catch (error) {
        console.error('While stopping:', error)
      }
    }
  }
  const endEverything = async (exitCode: number) => {
    await endAll()
    await Promise.race([parts.catch(() => undefined), sleep(patienceMs)])
    await endAll()
    process.exit(exitCode)
  }
  return {
    onStop: (end) => {
      ends.push(end)
      if (stopping) throw new Error('The start was interrupted.')
    },
    stop: (exitCode, line) => {
      if (stopping) return
      stopping = true
      if (line !== undefined) console.error(line)
      void endEverything(exitCode)
    },
    starting: (promise) => {
      parts = promise
    },
  }
}
