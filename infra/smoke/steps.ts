import { errorMessage } from '../local/error-message.ts'
import { type Advice, NoResponse, StepFailure, StepSkipped } from './step-failure.ts'

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

export interface StepReports {
  /** Gets each result as soon as its step has ended. */
  readonly ended: (result: StepResult) => void
  /** Gets the name of a step that has run for five seconds. */
  readonly slow?: (name: string) => void
}

const slowMs = 5_000

/** So many steps in a row without a response end the run; of a service that has never responded, the first one does. */
const maxUnanswered = 2

/** Times steps. Skips those after a service that gives no response, each of which would wait for one. */
export function createSteps({ ended, slow = () => undefined }: StepReports): Steps {
  const results: StepResult[] = []
  let unanswered = maxUnanswered - 1
  const keep = (result: StepResult) => {
    results.push(result)
    ended(result)
  }
  return {
    results: () => results,
    take: async ({ name, advice, given, run }) => {
      const isSilent = unanswered >= maxUnanswered
      if (isSilent || given === undefined) {
        const detail = isSilent ? 'the service gives no response' : 'needs a step that did not pass'
        keep({ step: name, outcome: 'skipped', ms: 0, detail })
        return undefined
      }
      const waiting = setTimeout(slow, slowMs, name)
      const start = performance.now()
      const result = (outcome: StepResult['outcome'], detail: string, why?: Advice) =>
        keep({ step: name, outcome, ms: Math.round(performance.now() - start), detail, ...(why && { advice: why }) })
      try {
        const { seen, detail } = await run(given)
        unanswered = 0
        result('passed', detail)
        return seen
      } catch (error) {
        unanswered = error instanceof NoResponse ? unanswered + 1 : 0
        if (error instanceof StepSkipped) result('skipped', error.message)
        else result('failed', errorMessage(error), (error instanceof StepFailure && error.advice) || advice)
        return undefined
      } finally {
        clearTimeout(waiting)
      }
    },
  }
}
