import { verify } from 'node:crypto'
import { validateJwtFields } from 'aws-jwt-verify/jwt'
import type { JwtPayload } from 'aws-jwt-verify/jwt-model'
import { supportedSignatureAlgorithms } from 'aws-jwt-verify/jwt-verifier'
import * as z from 'zod/mini'
import { isReadableText } from '../errors/readable-text.ts'
import { maxKidLength, type SigningKey } from './jwks-source.ts'
import { tokenRefused, toTokenRefusal } from './token-refusal.ts'
import type { VerifiedToken } from './verified-token-cache.ts'

/** OpenID Connect allows no more. */
const maxSubjectLength = 255
const graceSeconds = 30
const maxHeadStartSeconds = 60

/** A token and what its header says, which has been found to fit the key. */
interface SignedToken {
  readonly token: string
  readonly alg: TokenHeader['alg']
  readonly key: SigningKey
}

/**
 * Verifies a token's signature by `key` and all of its claims. Throws `unauthenticated`. A token is good until `exp`,
 * from 30 s before `nbf`, and may have been issued (`iat`) at most 60 s from now, because clocks differ.
 */
export function checkToken(signed: SignedToken, rules: TokenRules, nowSeconds: number): VerifiedToken {
  const payload = verifyPayload(signed, rules)
  const expiresAt = checkTimes(payload, nowSeconds)
  const { sub } = payload
  if (sub === undefined || sub.trim() === '' || sub.length > maxSubjectLength) throw tokenRefused('subject')
  // Postgres cannot store such a subject unchanged: its caller could not be limited, or would be taken for another.
  if (!isReadableText(sub)) throw tokenRefused('subject')
  return Object.freeze({ subject: sub, expiresAt, claims: freezeClaims(payload) })
}

function verifyPayload(signed: SignedToken, rules: TokenRules): JwtPayload {
  const options = {
    issuer: rules.issuers,
    audience: rules.audiences,
    // Unlimited here, because `checkTimes` goes by the clock that the verifier was given.
    graceSeconds: Number.POSITIVE_INFINITY,
  }
  try {
    if (!isGenuine(signed)) throw tokenRefused('signature')
    const payload = readPayload(signed.token)
    validateJwtFields(payload, options)
    rules.checkClaims(payload)
    return payload
  } catch (fault) {
    throw toTokenRefusal(fault)
  }
}

/**
 * Three parts in base64url. The first two are signed as they stand, so that some issuers' padding in them does no harm.
 */
const compact = /^[\w-]+={0,2}\.[\w-]+={0,2}\.[\w-]+$/

/** Verifies by one call of node:crypto, which takes half the time of the library's streaming verifier. */
function isGenuine({ token, alg, key }: SignedToken): boolean {
  if (!compact.test(token)) throw tokenRefused('malformed')
  const end = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  // The last character may have unused bits: without this, one signature had several texts.
  if (signature.toString('base64url') !== token.slice(end + 1)) throw tokenRefused('malformed')
  const signedPart = Buffer.from(token.slice(0, end))
  const digest = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`
  // A key with options is prepared anew at each call, which takes as long as the check; only elliptic curves need them.
  const publicKey = alg.startsWith('ES') ? { key: key.publicKey, dsaEncoding: 'ieee-p1363' as const } : key.publicKey
  return verify(digest, signedPart, publicKey, signature)
}

function checkTimes({ exp, nbf, iat }: JwtPayload, nowSeconds: number): number {
  if (exp === undefined) throw tokenRefused('no_expiry')
  if (nowSeconds >= exp) throw tokenRefused('expired')
  if (nbf !== undefined && nowSeconds < nbf - graceSeconds) throw tokenRefused('not_yet_valid')
  if (iat !== undefined && iat > nowSeconds + maxHeadStartSeconds) throw tokenRefused('issued_in_future')
  return exp
}

/** Frozen throughout, because every request with this token shares them. */
function freezeClaims(payload: JwtPayload): VerifiedToken['claims'] {
  return Object.freeze({ __proto__: null, ...deepFreeze(payload) })
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) Object.freeze(deepFreeze(inner))
  }
  return value
}

// `crit` lists extensions that must be understood (RFC 7515, 4.1.11); none is. `jku`, `jwk` and `x5u` are never
// followed.
const header = z.object({
  alg: z.enum(supportedSignatureAlgorithms),
  kid: z.string().check(z.minLength(1), z.maxLength(maxKidLength)),
  crit: z.optional(z.never()),
})

/** The header of a token: how it claims to be signed. Not verified yet. */
type TokenHeader = z.infer<typeof header>

/**
 * Creates a reader of the header of tokens. It throws `unauthenticated` for a header that no key can make valid.
 * It remembers the newest one, because all tokens that one key signed begin alike.
 */
export function createTokenHeaderReader(): (token: string) => TokenHeader {
  let newest: { readonly encoded: string; readonly header: TokenHeader } | undefined
  return (token) => {
    if (token.length > maxTokenLength) throw tokenRefused('oversized')
    const [encoded = ''] = token.split('.', 1)
    if (newest?.encoded !== encoded) newest = { encoded, header: readHeader(encoded) }
    return newest.header
  }
}

function readHeader(encoded: string): TokenHeader {
  const parsed = header.safeParse(decodeJson(encoded))
  if (parsed.success) return parsed.data
  throw tokenRefused(parsed.error.issues.some(({ path }) => path[0] === 'alg') ? 'algorithm' : 'malformed')
}

function decodeJson(encoded: string): unknown {
  try {
    return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  } catch {
    // Not passed on: the parser's message quotes the token.
    return undefined
  }
}

const text = z.optional(z.string())
const seconds = z.optional(z.number())

/** The registered claims (RFC 7519, 4.1), which the checks take for granted; any other claim may be anything. */
const registered = z.object({
  iss: text,
  sub: text,
  aud: z.optional(z.union([z.string(), z.array(z.string())])),
  exp: seconds,
  nbf: seconds,
  iat: seconds,
  jti: text,
  scope: text,
})

/**
 * The claims of a token whose signature is good. Throws `unauthenticated` where a registered one is not of its type.
 * The library would decode the header as well, which has been read before, and takes several times as long.
 */
function readPayload(token: string): JwtPayload {
  const payload = decodeJson(token.split('.', 2)[1] ?? '')
  if (!registered.safeParse(payload).success) throw tokenRefused('malformed')
  return removePrototypes(payload as JwtPayload)
}

/** Names that claims must not have at any depth, because code that copies them may change a prototype. */
const unsafeNames = ['__proto__', 'constructor'] as const

function removePrototypes<Value extends object>(value: Value): Value {
  for (const name of unsafeNames) if (Object.hasOwn(value, name)) Reflect.deleteProperty(value, name)
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) removePrototypes(inner)
  }
  return value
}

/**
 * The longest token that is looked at, in characters; API Gateway lets no more than 10,240 bytes of headers through.
 */
const maxTokenLength = 8_192

const bearer = /^bearer +([\w.~+/-]+=*)$/i
const maxSchemeLength = 16

/**
 * The token of an `Authorization: Bearer <token>` header, unverified. Throws `unauthenticated` for a missing header,
 * another scheme, more than one token (repeated headers arrive joined by a comma) and anything longer than 8 KB.
 */
export function readBearerToken(header: string | undefined): string {
  if (header === undefined || header === '') throw tokenRefused('missing')
  if (header.length > maxTokenLength + maxSchemeLength) throw tokenRefused('oversized')
  const token = bearer.exec(header)?.[1]
  if (token === undefined) throw tokenRefused('malformed')
  if (token.length > maxTokenLength) throw tokenRefused('oversized')
  return token
}

/** The accepted issuer and audience of tokens, and the URL of the keys. */
export interface TokenRules {
  readonly jwksUrl: string
  /** A token must be of one of these. */
  readonly issuers: string[]
  /** A token must be for one of these; null where `checkClaims` looks at the audience. */
  readonly audiences: string[] | null
  /** Throws unless the claims that only this kind of issuer has are as they should be. */
  readonly checkClaims: (payload: JwtPayload) => void
}
