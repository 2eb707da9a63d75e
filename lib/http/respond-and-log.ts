import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { findRefusalReason, isKeysUnavailable } from '../auth/token-refusal.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Language } from '../i18n/language.ts'
import type { Invocation } from '../telemetry/invocation.ts'
import { flushLog, log } from '../telemetry/log.ts'
import { failureFacts } from '../telemetry/log-failure.ts'
import { type InvocationOutcome, logRequest } from '../telemetry/log-invocation.ts'
import { errorResponse } from './envelope.ts'

type GatewayResult = APIGatewayProxyStructuredResultV2

export interface ObservedRequest {
  readonly invocation: Invocation
  readonly language: () => Language
  /** Returns the names for the log, after the response is known. */
  readonly findNames?: () => Pick<Invocation['facts'], 'table' | 'action'>
  /** Completes every response, failures included. */
  readonly finish?: (response: GatewayResult) => GatewayResult | Promise<GatewayResult>
}

/** Returns the response of `respond`, or an error envelope if it throws, and logs it. Rejects only if `finish` does. */
export async function respondAndLog(
  about: ObservedRequest,
  respond: () => Promise<GatewayResult>,
): Promise<GatewayResult> {
  const { invocation, language, finish = (response) => response } = about
  let response: GatewayResult
  let outcome: () => InvocationOutcome
  try {
    response = await respond()
    const { statusCode: status = 200 } = response
    outcome = () => ({ status })
  } catch (error) {
    invocation.facts.language ??= language()
    response = toErrorResponse(error, language(), invocation.requestId)
    const { statusCode: status = 500 } = response
    outcome = () => describeFailure(status, error)
  }
  response = await finish(response)
  await logOutcome(about, outcome)
  return response
}

/** A refusal of an author that JSON cannot hold becomes an `internal_error`. */
function toErrorResponse(thrown: unknown, ...rest: [language: Language, requestId: string]): GatewayResult {
  try {
    return errorResponse(thrown, ...rest)
  } catch (error) {
    return errorResponse(error, ...rest)
  }
}

/** Never rejects: a request that cannot be logged must still get its response. */
async function logOutcome({ invocation, findNames }: ObservedRequest, outcome: () => InvocationOutcome): Promise<void> {
  try {
    Object.assign(invocation.facts, findNames?.())
    logRequest(invocation, outcome())
    const unwritten = flushLog()
    if (unwritten !== undefined) await unwritten
  } catch (error) {
    const { requestId: request_id, endpoint } = invocation
    log('error', 'a request could not be logged', { request_id, endpoint, ...failureFacts(error) })
  }
}

const describeFailure = (status: number, error: unknown): InvocationOutcome => ({
  status,
  code: error instanceof RequestError ? error.code : 'internal_error',
  isUndecided: isKeysUnavailable(error),
  failure: { reason: findRefusalReason(error), ...failureFacts(error) },
})
