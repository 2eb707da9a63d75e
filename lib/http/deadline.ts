import { RequestError } from '../errors/request-error.ts'

/** Settles like `work`, or rejects with `timed_out` after so many milliseconds; the work itself goes on. */
export function withDeadline<T>(work: Promise<T>, milliseconds: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RequestError('timed_out')), milliseconds)
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
