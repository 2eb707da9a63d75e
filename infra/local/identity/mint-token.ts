import { sign } from 'node:crypto'
import type { SigningKey } from './signing-key.ts'

/** The issuer of local tokens. It does not depend on the port, so that tokens stay valid. */
export const issuer = 'http://local.table-control/'
export const audience = 'table-control'

export interface TokenRequest {
  readonly subject: string
  /** Joins, or overwrites, the standard claims. An `email` counts as verified. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Default: an hour. A negative number makes a token that has expired. */
  readonly expiresInSeconds?: number
}

/** A signed access token (RS256) as an identity provider would issue it. */
export function mintToken(key: SigningKey, { subject, claims = {}, expiresInSeconds = 3_600 }: TokenRequest): string {
  const now = Math.floor(Date.now() / 1000)
  const exp = now + expiresInSeconds
  const standard = { iss: issuer, aud: audience, sub: subject, iat: Math.min(now, exp - 1), exp, token_use: 'access' }
  const verified = claims['email'] === undefined ? {} : { email_verified: true }
  const header = encodeJson({ alg: 'RS256', typ: 'JWT', kid: key.keyId })
  const signed = `${header}.${encodeJson({ ...standard, ...verified, ...claims })}`
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key.privateKey).toString('base64url')}`
}

const encodeJson = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
