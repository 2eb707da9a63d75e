import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { isUndecided } from '../auth/token-refusal.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Language } from '../i18n/language.ts'
import type { Invocation } from '../telemetry/invocation.ts'
import { logged } from '../telemetry/log.ts'
import { logRequest, type Outcome } from '../telemetry/log-invocation.ts'
import { failed } from './envelope.ts'
import { failureFacts } from './log.ts'

type Answer = APIGatewayProxyStructuredResultV2

interface Observed {
  readonly invocation: Invocation
  readonly language: () => Language
  /** What the answer is about, once there is one. */
  readonly named?: () => Pick<Invocation['facts'], 'table' | 'action'>
  /** What becomes of every answer, failures included. */
  readonly finished?: (answer: Answer) => Answer
}

/** Answers a request, what is thrown as the envelope of a failure, and writes the request's line. Never rejects. */
export async function observed(about: Observed, respond: () => Promise<Answer>): Promise<Answer> {
  const { invocation, language, named, finished = (answer) => answer } = about
  let answer: Answer
  let outcome: Outcome
  try {
    answer = await respond()
    outcome = { status: answer.statusCode ?? 200 }
  } catch (error) {
    invocation.facts.language ??= language()
    answer = failed(error, language(), invocation.requestId)
    outcome = outcomeOf(answer.statusCode ?? 500, error)
  }
  answer = finished(answer)
  Object.assign(invocation.facts, named?.())
  logRequest(invocation, outcome)
  const unwritten = logged()
  if (unwritten !== undefined) await unwritten
  return answer
}

const outcomeOf = (status: number, error: unknown): Outcome => ({
  status,
  code: error instanceof RequestError ? error.code : 'internal_error',
  isUndecided: isUndecided(error),
  failure: failureFacts(error),
})
