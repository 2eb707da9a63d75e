import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { RequestError } from '../errors/request-error.ts'
import { compressResponse } from './compressed-response.ts'

type Response = APIGatewayProxyStructuredResultV2

/** The most bytes that a Lambda function may return, as the JSON text of its result. */
const maxResultBytes = 6_291_556

/** A body below this cannot reach the limit, however much of it is escaped: six bytes for one is the worst. */
const harmlessLength = Math.floor(maxResultBytes / 6) - 10_000

/** More than the headers that are added after a response is checked: `Server-Timing` and those of CORS. */
const laterHeaderBytes = 2_000

/** More than all headers of a response. A JSON body that is let through fits later, with its own headers, as well. */
const headerBytes = 2 * laterHeaderBytes

/** Throws `response_too_large` for a response that the platform would replace by an error of its own. */
export function assertDeliverable(response: Response): Response {
  if (fits(response, laterHeaderBytes)) return response
  throw new RequestError('response_too_large', { limit: maxResultBytes })
}

/** Throws `response_too_large` for a JSON body that is too large even as its client accepts it. */
export async function assertDeliverableJson(body: string, acceptEncoding: string | undefined): Promise<void> {
  if (await isDeliverableJson(body, acceptEncoding)) return
  throw new RequestError('response_too_large', { limit: maxResultBytes })
}

/** Whether the platform lets a JSON body through, compressed as its client accepts it. */
export async function isDeliverableJson(body: string, acceptEncoding: string | undefined): Promise<boolean> {
  if (fits({ body }, headerBytes)) return true
  const response = { headers: { 'content-type': 'application/json' }, body }
  return fits(await compressResponse(response, acceptEncoding), headerBytes)
}

const fits = (response: Response, spareBytes: number): boolean =>
  (response.body ?? '').length <= harmlessLength ||
  Buffer.byteLength(JSON.stringify(response)) <= maxResultBytes - spareBytes
