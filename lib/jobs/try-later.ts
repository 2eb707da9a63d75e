import type { FileLink } from '../storage/store-file.ts'
import type { JobFailure } from './job.ts'

/** Ends this attempt of a job, of which some work has to wait. */
export class TryLater extends Error {
  override readonly name = 'TryLater'
  readonly afterSeconds: number
  /** What is told where no attempt is left. */
  readonly failure: JobFailure
  /** What it waits for, in the words of the service that asked for time. */
  readonly code: string

  /** To what the job has made, where no attempt is left to make it again. */
  readonly link: FileLink | undefined

  constructor(afterSeconds: number, failure: JobFailure, code = failure.code, link?: FileLink) {
    super(`a job has to wait: ${failure.code}`)
    this.afterSeconds = afterSeconds
    this.failure = failure
    this.code = code
    this.link = link
  }
}
