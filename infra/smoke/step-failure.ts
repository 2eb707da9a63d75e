/** The likely cause of a failed step, and its fix. */
export interface Advice {
  readonly likely: string
  readonly fix: string
}

/** A step that did not see what it expects. Without advice of its own, that of the step counts. */
export class StepFailure extends Error {
  readonly advice: Advice | undefined

  constructor(message: string, { likely, fix, ...options }: Partial<Advice> & ErrorOptions = {}) {
    super(message, options)
    this.advice = likely === undefined || fix === undefined ? undefined : { likely, fix }
  }
}

/** A step whose request got no response at all. */
export class NoResponse extends StepFailure {}

/** A step that this service or this caller gives nothing to try on. */
export class StepSkipped extends Error {}
