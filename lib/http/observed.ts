import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { isUndecided } from '../auth/token-refusal.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Language } from '../i18n/language.ts'
import type { Invocation } from '../telemetry/invocation.ts'
import { log, logged } from '../telemetry/log.ts'
import { failureFacts } from '../telemetry/log-failure.ts'
import { logRequest, type Outcome } from '../telemetry/log-invocation.ts'
import { failed } from './envelope.ts'

type Answer = APIGatewayProxyStructuredResultV2

interface Observed {
  readonly invocation: Invocation
  readonly language: () => Language
  /** What the answer is about, once there is one. */
  readonly named?: () => Pick<Invocation['facts'], 'table' | 'action'>
  /** What becomes of every answer, failures included. */
  readonly finished?: (answer: Answer) => Answer | Promise<Answer>
}

/** Answers a request, what is thrown as the envelope of a failure, and writes the request's line. Never rejects. */
export async function observed(about: Observed, respond: () => Promise<Answer>): Promise<Answer> {
  const { invocation, language, finished = (answer) => answer } = about
  let answer: Answer
  let outcome: () => Outcome
  try {
    answer = await respond()
    const { statusCode: status = 200 } = answer
    outcome = () => ({ status })
  } catch (error) {
    invocation.facts.language ??= language()
    answer = envelopeOf(error, language(), invocation.requestId)
    const { statusCode: status = 500 } = answer
    outcome = () => outcomeOf(status, error)
  }
  answer = await finished(answer)
  await told(about, outcome)
  return answer
}

/** What no JSON can hold of an author's refusal makes it a failure of ours. */
function envelopeOf(thrown: unknown, ...rest: [language: Language, requestId: string]): Answer {
  try {
    return failed(thrown, ...rest)
  } catch (error) {
    return failed(error, ...rest)
  }
}

/** An answer is worth more than its line. */
async function told({ invocation, named }: Observed, outcome: () => Outcome): Promise<void> {
  try {
    Object.assign(invocation.facts, named?.())
    logRequest(invocation, outcome())
    const unwritten = logged()
    if (unwritten !== undefined) await unwritten
  } catch {
    log('error', 'a request could not be logged', { request_id: invocation.requestId, endpoint: invocation.endpoint })
  }
}

const outcomeOf = (status: number, error: unknown): Outcome => ({
  status,
  code: error instanceof RequestError ? error.code : 'internal_error',
  isUndecided: isUndecided(error),
  failure: failureFacts(error),
})
