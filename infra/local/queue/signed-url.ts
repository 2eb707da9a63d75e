import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { localCredentials } from '../local-account.ts'

/** A request by a signed URL. */
interface SignedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

/**
 * Returns the code and the message with which S3 refuses a signed URL: it has expired, or its method, its address or
 * one of its signed headers is not what was signed. Returns `undefined` for a good one.
 */
export function findSignatureFault(request: SignedRequest): readonly [code: string, message: string] | undefined {
  const query = new URL(request.url, 'http://127.0.0.1').searchParams
  const text = (name: string) => query.get(`X-Amz-${name}`) ?? ''
  const date = text('Date')
  const signedAt = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const [, ...scope] = text('Credential').split('/')
  const canonical = canonicalRequest(request, text('SignedHeaders').split(';'))
  const signed = ['AWS4-HMAC-SHA256', date, scope.join('/'), sha256(canonical)].join('\n')
  const secret = Buffer.from(`AWS4${localCredentials.credentials.secretAccessKey}`)
  const signature = hmac(scope.reduce(hmac, secret), signed).toString('hex')
  if (signature !== text('Signature')) {
    const message = 'The request signature we calculated does not match the signature you provided.'
    return ['SignatureDoesNotMatch', message]
  }
  const expiresAt = Date.parse(signedAt) + Number(text('Expires')) * 1_000
  return Date.now() < expiresAt ? undefined : ['AccessDenied', 'Request has expired']
}

/** The text that is signed, of version 4 of the signature. The body of a signed URL is not part of it. */
function canonicalRequest({ method, url, headers }: SignedRequest, names: readonly string[]): string {
  const [path = '', query = ''] = url.split('?')
  const pairs = query.split('&').filter((pair) => !pair.startsWith('X-Amz-Signature='))
  const lines = names.map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`)
  return [method, path, pairs.sort().join('&'), lines.join(''), names.join(';'), 'UNSIGNED-PAYLOAD'].join('\n')
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
