import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { RequestError } from '../errors/request-error.ts'

/** What a Lambda function may answer, as the JSON text of its result. */
const mostResultBytes = 6_291_556

/** A body below this cannot reach the limit, however much of it is escaped: six bytes for one is the worst. */
const harmlessLength = Math.floor(mostResultBytes / 6) - 10_000

/**
 * Throws `response_too_large` for an answer that the platform would replace by an error of its own, outside the envelope;
 * `spareBytes` are left for headers that are not there yet.
 */
export function assertDeliverable<Response extends Pick<APIGatewayProxyStructuredResultV2, 'body'>>(
  response: Response,
  spareBytes = 0,
): Response {
  if (isDeliverable(response, spareBytes)) return response
  throw new RequestError('response_too_large', { limit: mostResultBytes })
}

/** Whether the platform lets an answer through, with so many bytes left for what joins it. */
export function isDeliverable(response: Pick<APIGatewayProxyStructuredResultV2, 'body'>, spareBytes: number): boolean {
  const { length } = response.body ?? ''
  return length <= harmlessLength || Buffer.byteLength(JSON.stringify(response)) <= mostResultBytes - spareBytes
}

/** More than what stands around the body of any answer. */
export const headerBytes = 2_000
