import { RequestError } from '../errors/request-error.ts'

const timedOut = (): RequestError => new RequestError('timed_out')

/** Settles like `work`, or rejects with what `late` returns after so many milliseconds; the work itself goes on. */
export function withDeadline<T>(work: Promise<T>, milliseconds: number, late = timedOut): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds)
    work.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
