/** Why the work on a job ends before the job does. */
export type StopReason =
  /** The lease is over or in other hands: nothing more may be written or sent. */
  | 'lost'
  /** Its owner wants it no longer. */
  | 'cancelled'
  /** The function's time is nearly over. */
  | 'deadline'

/** Ends the work on a job; it is not a failure of the job. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped'
  readonly reason: StopReason

  constructor(reason: StopReason) {
    super(`the work on a job was stopped: ${reason}`)
    this.reason = reason
  }
}
