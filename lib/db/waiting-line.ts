import { ConnectionError } from './database-error.ts'

/** Those who wait for a connection, served in the order in which they came. */
export interface WaitingLine {
  /** Resolves with what `take` returns once that is not `undefined`; rejects after `expires` or when `take` throws. */
  readonly join: <T>(expires: number, take: () => T | Promise<T> | undefined) => Promise<T>
  /** Something became free. */
  readonly advance: () => void
  readonly refuse: (error: ConnectionError) => void
}

interface Waiter {
  /** `false` when there was nothing to take. */
  readonly serve: () => boolean
  readonly fail: (error: unknown) => void
}

export function createWaitingLine(): WaitingLine {
  const waiters = new Set<Waiter>()

  function join<T>(expires: number, take: () => T | Promise<T> | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        waiters.delete(waiter)
      }
      const fail = (error: unknown): void => {
        leave()
        reject(error)
      }
      const serve = (): boolean => {
        const taken = take()
        if (taken === undefined) return false
        leave()
        resolve(taken)
        return true
      }
      const waiter: Waiter = { serve, fail }
      const late = (): void =>
        fail(new ConnectionError('NONE_FREE', 'no connection to the database became free in time'))
      const timer = setTimeout(late, Math.max(1, expires - performance.now()))
      waiters.add(waiter)
    })
  }

  return {
    join,
    advance: () => {
      for (const waiter of waiters) {
        try {
          if (!waiter.serve()) return
        } catch (error) {
          waiter.fail(error)
        }
      }
    },
    refuse: (error) => {
      for (const { fail } of waiters) fail(error)
    },
  }
}
