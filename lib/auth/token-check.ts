import { verify } from 'node:crypto'
import { validateJwtFields } from 'aws-jwt-verify/jwt'
import type { JwtPayload } from 'aws-jwt-verify/jwt-model'
import type { SigningKey } from './jwks-document.ts'
import type { TokenHeader } from './token-header.ts'
import { readPayload } from './token-payload.ts'
import { refused, refusedBy } from './token-refusal.ts'
import type { TokenRules } from './token-rules.ts'
import type { VerifiedToken } from './verified-token.ts'

/** OpenID Connect allows no more. */
const longestSubject = 255
const graceSeconds = 30
const longestHeadStartSeconds = 60

/** A token and what its header says, which has been found to fit the key. */
interface SignedToken {
  readonly token: string
  readonly alg: TokenHeader['alg']
  readonly key: SigningKey
}

/**
 * Verifies a token's signature by `key` and all of its claims. Throws `unauthenticated`. A token is good until `exp`, from
 * 30 s before `nbf`, and may have been issued (`iat`) at most 60 s from now, because clocks differ.
 */
export function checkToken(signed: SignedToken, rules: TokenRules, nowSeconds: number): VerifiedToken {
  const payload = verifiedPayload(signed, rules)
  const expiresAt = checkTimes(payload, nowSeconds)
  const { sub } = payload
  if (sub === undefined || sub.trim() === '' || sub.length > longestSubject) throw refused('subject')
  return Object.freeze({ subject: sub, expiresAt, claims: frozenClaims(payload) })
}

function verifiedPayload(signed: SignedToken, rules: TokenRules): JwtPayload {
  const options = {
    issuer: rules.issuers,
    audience: rules.audiences,
    // Unlimited here, because `checkTimes` goes by the clock that the verifier was given.
    graceSeconds: Number.POSITIVE_INFINITY,
  }
  try {
    if (!isGenuine(signed)) throw refused('signature')
    const payload = readPayload(signed.token)
    validateJwtFields(payload, options)
    rules.checkClaims(payload)
    return payload
  } catch (fault) {
    throw refusedBy(fault)
  }
}

/** Three parts in base64url. The first two are signed as they stand, so that some issuers' padding in them does no harm. */
const compact = /^[\w-]+={0,2}\.[\w-]+={0,2}\.[\w-]+$/

/** By one call of node:crypto, which takes half the time of the streaming one that the library's verifiers use. */
function isGenuine({ token, alg, key }: SignedToken): boolean {
  if (!compact.test(token)) throw refused('malformed')
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  // The last character may have unused bits: without this, one signature had several texts.
  if (signature.toString('base64url') !== token.slice(end + 1)) throw refused('malformed')
  const signedPart = Buffer.from(token.slice(0, end))
  const digest = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`
  // A key with options is prepared anew at each call, which takes as long as the check; only elliptic curves need them.
  const publicKey = alg.startsWith('ES') ? { key: key.publicKey, dsaEncoding: 'ieee-p1363' as const } : key.publicKey
  return verify(digest, signedPart, publicKey, signature)
}

function checkTimes({ exp, nbf, iat }: JwtPayload, nowSeconds: number): number {
  if (exp === undefined) throw refused('no_expiry')
  if (nowSeconds >= exp) throw refused('expired')
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
