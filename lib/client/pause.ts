import { TableError } from './table-error.ts'

/** Creates the error of a call that `signal` aborted. */
const createAbortError = (signal: AbortSignal | undefined): TableError =>
  new TableError('aborted', 'The request was aborted', { cause: signal?.reason })

/** Creates the error of a call that has failed, or that `signal` aborted. */
export const createCallError = (
  signal: AbortSignal | undefined,
  ...failure: ConstructorParameters<typeof TableError>
): TableError => (signal?.aborted === true ? createAbortError(signal) : new TableError(...failure))

/** Returns a signal that aborts with `own` and with `given`. */
export const joinSignals = (own: AbortSignal, given: AbortSignal | undefined): AbortSignal =>
  AbortSignal.any(given ? [own, given] : [own])

/** Settles as `work` does. Rejects with `aborted` as soon as the signal aborts. */
export function orAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(createAbortError(signal))
    if (signal?.aborted === true) abort()
    signal?.addEventListener('abort', abort)
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal?.removeEventListener('abort', abort))
  })
}

/** Resolves after `milliseconds`. Rejects with `aborted` as soon as the signal aborts. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  return orAborted(elapsed, signal).finally(() => clearTimeout(timer))
}

/**
 * Milliseconds before the next attempt: doubled each time up to `max`, with jitter so that clients do not return all at
 * once.
 */
export const backoff = (attempt: number, min: number, max: number): number =>
  Math.min(max, min * 2 ** attempt) * (0.5 + Math.random() / 2)
