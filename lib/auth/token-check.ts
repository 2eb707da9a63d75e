import type { JwtPayload } from 'aws-jwt-verify/jwt-model'
import { verifyJwtSync } from 'aws-jwt-verify/jwt-verifier'
import type { SigningKey } from './jwks-document.ts'
import { refused, refusedBy } from './token-refusal.ts'
import type { TokenRules } from './token-rules.ts'
import type { VerifiedToken } from './verified-token.ts'

const graceSeconds = 30
const longestHeadStartSeconds = 60

/**
 * Verifies a token's signature by `key` and all of its claims. Throws `unauthenticated`. A token is good through 30 s after
 * `exp` and from 30 s before `nbf`, and may have been issued (`iat`) at most 60 s from now.
 */
export function checkToken(token: string, key: SigningKey, rules: TokenRules, nowSeconds: number): VerifiedToken {
  const payload = verifiedPayload(token, key, rules)
  const expiresAt = checkTimes(payload, nowSeconds)
  const { sub } = payload
  if (sub === undefined || sub.trim() === '') throw refused('subject')
  return Object.freeze({ subject: sub, expiresAt, claims: frozenClaims(payload) })
}

function verifiedPayload(token: string, key: SigningKey, rules: TokenRules): JwtPayload {
  const options = {
    issuer: rules.issuers,
    audience: rules.audiences,
    // Unlimited here, because `checkTimes` goes by the clock that the verifier was given.
    graceSeconds: Number.POSITIVE_INFINITY,
  }
  try {
    const payload = verifyJwtSync(token, key.jwk, options, () => key.publicKey)
    rules.checkClaims(payload)
    return payload
  } catch (fault) {
    throw refusedBy(fault)
  }
}

function checkTimes({ exp, nbf, iat }: JwtPayload, nowSeconds: number): number {
  if (exp === undefined) throw refused('no_expiry')
  if (nowSeconds > exp + graceSeconds) throw refused('expired')
  if (nbf !== undefined && nowSeconds < nbf - graceSeconds) throw refused('not_yet_valid')
  if (iat !== undefined && iat > nowSeconds + longestHeadStartSeconds) throw refused('issued_in_future')
  return exp
}

/** Frozen throughout, because every request with this token shares them. */
function frozenClaims(payload: JwtPayload): VerifiedToken['claims'] {
  return Object.freeze({ __proto__: null, ...freezeWithin(payload) })
}

function freezeWithin<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) Object.freeze(freezeWithin(inner))
  }
  return value
}
