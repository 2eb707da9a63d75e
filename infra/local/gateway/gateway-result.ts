import type { FlatHeaders } from './gateway-cors.ts'

/** A response of the gateway, without the headers that it adds itself. */
export interface GatewayResponse {
  readonly status: number
  readonly headers: FlatHeaders
  readonly body: string | Buffer
}

/** The largest result of a function in bytes, serialised as JSON: Lambda's limit of 6 MB, measured. */
const maxResultBytes = 6_291_556

/** A response of the gateway's own, in API Gateway's words. */
export const gatewayMessage = (status: number, message: string): GatewayResponse => ({
  status,
  headers: ['content-type', 'application/json'],
  body: JSON.stringify({ message }),
})

export const internalServerError = gatewayMessage(500, 'Internal Server Error')

/**
 * Reads what a function returned, as payload format 2.0 has it: without `statusCode` the whole value is a JSON body;
 * with one that is wrong, or with a result over the limit, the client gets the gateway's 500. `withoutCors` drops CORS
 * headers.
 */
export function readResult(result: unknown, withoutCors: boolean): GatewayResponse {
  if (isTooLarge(result)) return internalServerError
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) return inferResponse(result)
  const { statusCode, headers, cookies, body, isBase64Encoded } = result as Record<string, unknown>
  const status = Number(statusCode)
  if (!Number.isInteger(status) || status < 100 || status > 599) return internalServerError
  if (body !== undefined && body !== null && typeof body !== 'string') return internalServerError
  const flat = flatHeaders(headers, withoutCors)
  if (Array.isArray(cookies)) for (const cookie of cookies) flat.push('set-cookie', String(cookie))
  if (body && !flat.includes('content-type')) flat.push('content-type', 'text/plain;charset=UTF-8')
  return { status, headers: flat, body: isBase64Encoded === true ? Buffer.from(body ?? '', 'base64') : (body ?? '') }
}

const inferResponse = (result: unknown): GatewayResponse => ({
  status: 200,
  headers: ['content-type', 'application/json'],
  body: typeof result === 'string' ? result : (JSON.stringify(result) ?? 'null'),
})

/** The connection and the length of the body are the gateway's own business. */
const ownHeaders = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive', 'apigw-requestid'])

function flatHeaders(headers: unknown, withoutCors: boolean): string[] {
  const flat: string[] = []
  if (typeof headers !== 'object' || headers === null) return flat
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase()
    if (value === undefined || value === null || ownHeaders.has(lower)) continue
    if (withoutCors && lower.startsWith('access-control-')) continue
    flat.push(lower, String(value))
  }
  return flat
}

/** Serialising is spared when the body cannot pass the limit even if each character took six bytes. */
function isTooLarge(result: unknown): boolean {
  if (typeof result === 'object' && result !== null && 'body' in result && typeof result.body === 'string') {
    if (result.body.length < 1_000_000) return false
  }
  return Buffer.byteLength(JSON.stringify(result) ?? '') > maxResultBytes
}
