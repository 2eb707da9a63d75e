import type { JobFailure } from './job.ts'

/** Ends this attempt of a job, of which some work has to wait. */
export class TryLater extends Error {
  override readonly name = 'TryLater'
  readonly afterSeconds: number
  /** What is told where no attempt is left. */
  readonly failure: JobFailure

  constructor(afterSeconds: number, failure: JobFailure) {
    super(`a job has to wait: ${failure.code}`)
    this.afterSeconds = afterSeconds
    this.failure = failure
  }
}
