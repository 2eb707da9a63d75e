import { errorMessage } from '../local/error-message.ts'
import { type Advice, StepFailure, StepSkipped } from './step-failure.ts'

export interface StepResult {
  readonly step: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  readonly ms: number
  /** The observation, or the reason to skip the step. */
  readonly detail: string
  readonly advice?: Advice
}

export interface Step<Given, Seen> {
  readonly name: string
  /** For a failure that does not explain itself. */
  readonly advice: Advice
  /** The result of an earlier step; `undefined` if that one failed: then this step is skipped. */
  readonly given: Given | undefined
  /** Throws `StepFailure` or `StepSkipped`. `detail` is printed behind the step's name. */
  readonly run: (given: Given) => Promise<{ readonly seen: Seen; readonly detail: string }>
}

export interface Steps {
  /** Runs a step and keeps its result. `undefined` where it did not pass. */
  readonly take: <Given, Seen>(step: Step<Given, Seen>) => Promise<Seen | undefined>
  readonly results: () => readonly StepResult[]
}

/** Times steps and reports each as soon as it has ended. */
export function createSteps(report: (result: StepResult) => void): Steps {
  const results: StepResult[] = []
  const keep = (result: StepResult) => {
    results.push(result)
    report(result)
  }
  return {
    results: () => results,
    take: async ({ name, advice, given, run }) => {
      if (given === undefined) {
        keep({ step: name, outcome: 'skipped', ms: 0, detail: 'needs a step that did not pass' })
        return undefined
      }
      const start = performance.now()
      const result = (outcome: StepResult['outcome'], detail: string, why?: Advice) =>
        keep({ step: name, outcome, ms: Math.round(performance.now() - start), detail, ...(why && { advice: why }) })
      try {
        const { seen, detail } = await run(given)
        result('passed', detail)
        return seen
      } catch (error) {
        if (error instanceof StepSkipped) result('skipped', error.message)
        else result('failed', errorMessage(error), (error instanceof StepFailure && error.advice) || advice)
        return undefined
      }
    },
  }
}
