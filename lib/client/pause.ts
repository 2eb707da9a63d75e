import { TableError } from './table-error.ts'

/** What `signal` makes of work that it ends. */
export const abortedBy = (signal: AbortSignal | undefined): TableError =>
  new TableError('aborted', 'The request was aborted', { cause: signal?.reason })

/** Waits; rejects with `aborted` as soon as the signal does. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(abortedBy(signal))
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, milliseconds)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}

/** Milliseconds before the next attempt: doubled each time, and spread so that clients do not come back all at once. */
export const backoff = (attempt: number, first: number, most: number): number =>
  Math.min(most, first * 2 ** attempt) * (0.5 + Math.random() / 2)
