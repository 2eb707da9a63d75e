import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'

type Response = APIGatewayProxyStructuredResultV2

/** Less than this fits into the packet that is sent anyway. */
const minLength = 1_024

/** Sends even a small body through the coder, which reads the header in full. */
const identityRefusal = /(identity|\*)\s*;\s*q=0/i

/** Files such as workbooks are compressed already. */
const compressibleType = /^(application\/json|text\/)/

type Coder = typeof import('./content-coding.ts')

let coder: Coder | undefined

const loadCoder = async (): Promise<Coder> => {
  coder ??= await import('./content-coding.ts')
  return coder
}

/** Begins to load what compresses, which takes a millisecond: not before the first request waits for its database. */
export function beginCompression(): void {
  // A failure shows where the coder is used.
  if (coder === undefined) void loadCoder().catch(() => undefined)
}

/**
 * Compresses the body of a response as its client accepts it, base64-encoded for API Gateway, and names the header that this
 * depends on. Small or already encoded bodies stay as they are.
 */
export async function compressResponse(response: Response, acceptEncoding: string | undefined): Promise<Response> {
  const { headers = {}, body = '', isBase64Encoded = false } = response
  const isCompressible = compressibleType.test(String(headers['content-type'])) && !('content-encoding' in headers)
  if (body === '' || !isCompressible) return response
  const varied = { ...response, headers: { ...headers, vary: addVary(headers['vary']) } }
  if (body.length < minLength && !identityRefusal.test(acceptEncoding ?? '')) return varied
  const { preferredCoding, compress } = coder ?? (await loadCoder())
  const coding = preferredCoding(acceptEncoding)
  if (coding === undefined) return varied
  const content = await compress(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'), coding)
  return {
    ...varied,
    headers: { ...varied.headers, 'content-encoding': coding },
    body: content.toString('base64'),
    isBase64Encoded: true,
  }
}

const variedBy = 'accept-encoding'

function addVary(vary: boolean | number | string | undefined): string {
  if (vary === undefined) return variedBy
  return String(vary).includes(variedBy) ? String(vary) : `${vary}, ${variedBy}`
}
