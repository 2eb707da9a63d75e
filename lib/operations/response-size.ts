import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { RequestError } from '../errors/request-error.ts'
import { compressResponse } from './compressed-response.ts'
import { type Reply, replyWith } from './reply.ts'

type Response = APIGatewayProxyStructuredResultV2

/** The most bytes that a Lambda function may return, as the JSON text of its result. */
const maxResultBytes = 6_291_556

/**
 * A body below this cannot reach the limit, however much of it is escaped: six bytes for one is the worst. In JSON
 * it is three, because its control characters and lone surrogates are escaped already.
 */
const harmlessLength = (isJson: boolean): number => Math.floor(maxResultBytes / (isJson ? 3 : 6)) - 10_000

/** More than the headers that are added after a response is checked: `Server-Timing` and those of CORS. */
const laterHeaderBytes = 2_000

/** More than all headers of a response. A JSON body that is let through fits later, with its own headers, as well. */
const headerBytes = 2 * laterHeaderBytes

/** The error of a response that the platform would not let through. */
export const responseTooLarge = (): RequestError => new RequestError('response_too_large', { limit: maxResultBytes })

/** Throws `response_too_large` for a response that the platform would replace by an error of its own. */
export function assertDeliverable(response: Response): Response {
  const isJson = String(response.headers?.['content-type']).startsWith('application/json')
  if (fits(response, laterHeaderBytes, isJson)) return response
  throw responseTooLarge()
}

/** Throws `response_too_large` for a JSON body that is too large even as its client accepts it. */
export async function assertDeliverableJson(body: string, acceptEncoding: string | undefined): Promise<void> {
  if ((await fitJson(body, acceptEncoding)) !== undefined) return
  throw responseTooLarge()
}

/**
 * Returns a reply with a JSON body that the platform lets through: compressed as its client accepts it, if it is too
 * large otherwise. `undefined` for one that is too large even so.
 */
export async function fitJson(
  body: string,
  acceptEncoding: string | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply | undefined> {
  if (fits({ body }, headerBytes, true)) return replyWith(200, headers, body)
  const whole = { headers: { ...headers, 'content-type': 'application/json' }, body }
  const sent = await compressResponse(whole, acceptEncoding)
  if (sent === whole || !fits(sent, headerBytes, true)) return undefined
  return replyWith(200, sent.headers as Record<string, string>, Buffer.from(sent.body ?? '', 'base64'))
}

const fits = (response: Response, spareBytes: number, isJson: boolean): boolean => {
  const { body = '', ...rest } = response
  if (body.length <= harmlessLength(isJson)) return true
  // As the text of a result, no body becomes shorter.
  if (body.length > maxResultBytes) return false
  return Buffer.byteLength(JSON.stringify({ ...rest, body: '' })) + jsonBytes(body) <= maxResultBytes - spareBytes
}

/** How many bytes JSON adds to a byte of a text. */
const escapeBytes = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 ? JSON.stringify(String.fromCharCode(byte)).length - 3 : 0,
)

/** Returns how many bytes a text takes within JSON, counted because writing it takes twice as long. */
function jsonBytes(text: string): number {
  if (!text.isWellFormed()) return Buffer.byteLength(JSON.stringify(text)) - 2
  const bytes = Buffer.from(text)
  let count = bytes.length
  for (let at = 0; at < bytes.length; at++) count += escapeBytes[bytes[at] ?? 0] ?? 0
  return count
}
