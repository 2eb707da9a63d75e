import {
  CognitoJwtInvalidClientIdError,
  CognitoJwtInvalidTokenUseError,
  JwtInvalidAudienceError,
  JwtInvalidIssuerError,
} from 'aws-jwt-verify/error'
import { RequestError } from '../errors/request-error.ts'

/** Why a token is refused: a word of this list and no part of the token. */
type Refusal =
  | 'missing'
  | 'malformed'
  | 'oversized'
  | 'algorithm'
  | 'unknown_key'
  | 'signature'
  | 'issuer'
  | 'audience'
  | 'token_use'
  | 'subject'
  | 'no_expiry'
  | 'expired'
  | 'not_yet_valid'
  | 'issued_in_future'
  | 'claims'

class TokenFault extends Error {
  override readonly name = 'TokenFault'
  readonly code: string

  constructor(code: string, cause?: unknown) {
    super(code, { cause })
    this.code = code
  }
}

/** A 401. The reason reaches the log alone. */
export function tokenRefused(reason: Refusal): RequestError {
  const refused = reason !== 'missing' && { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
  return new RequestError('unauthenticated', {}, { cause: new TokenFault(reason), ...refused })
}

/** Returns why a token was refused, for the log. */
export const findRefusalReason = (thrown: unknown): string | undefined =>
  thrown instanceof RequestError && thrown.status === 401 && thrown.cause instanceof TokenFault
    ? thrown.cause.code
    : undefined

/** A 503: the token may be good, but cannot be checked before `retryAfterMs` milliseconds have passed. */
export function keysUnavailable(
  reason: 'keys_unreachable' | 'fetch_budget',
  retryAfterMs: number,
  cause?: unknown,
): RequestError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000))
  return new RequestError(
    'unavailable',
    {},
    { cause: new TokenFault(reason, cause), headers: { 'retry-after': String(seconds) } },
  )
}

/** Whether a token could not be checked. Anybody can cause that by a token with an unknown key. */
export const isKeysUnavailable = (thrown: unknown): boolean =>
  thrown instanceof RequestError && thrown.status === 503 && thrown.cause instanceof TokenFault

const reasons: ReadonlyMap<unknown, Refusal> = new Map<unknown, Refusal>([
  [JwtInvalidIssuerError, 'issuer'],
  [JwtInvalidAudienceError, 'audience'],
  [CognitoJwtInvalidClientIdError, 'audience'],
  [CognitoJwtInvalidTokenUseError, 'token_use'],
])

/** Turns what aws-jwt-verify throws into a 401. The original is dropped, because its texts quote the token. */
export function toTokenRefusal(fault: unknown): RequestError {
  if (fault instanceof RequestError) return fault
  const kind = fault instanceof Error ? fault.constructor : undefined
  return tokenRefused(reasons.get(kind) ?? 'malformed')
}
