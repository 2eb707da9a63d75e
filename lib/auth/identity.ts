import { isDeepStrictEqual } from 'node:util'

/** The caller, as a verified token describes it. `Claims` is the output of the registry's `claims` schema. */
export interface Identity<Claims = Readonly<Record<string, unknown>>> {
  /** The token's `sub`: never empty. */
  readonly subject: string
  readonly claims: Claims
  /** The token's `email`, where its issuer vouches for it by `email_verified`. */
  readonly email?: string
  /** The token's `email`, if its issuer has not verified it: no mail is sent there, and an error says why. */
  readonly unverifiedEmail?: string
  /** When the token expires, in seconds since 1970; absent for an identity that was stored with a job. */
  readonly expiresAt?: number
  /** Whether `claims` are all of the token, because the registry declares no schema of them. */
  readonly hasAllClaims?: boolean | undefined
}

/** A caller as the database keeps one, so that work which runs later is done in that caller's name. */
export interface StoredIdentity {
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly email?: string
  /** When the token expires, in seconds since 1970; kept with tickets of WebSockets. */
  readonly expiresAt?: number
  readonly hasAllClaims?: boolean | undefined
}

/** Claims that change with each token or log-in and, unless a schema declares them, say nothing of rights. */
const tokenClaims: ReadonlySet<string> = new Set([
  ...['iat', 'exp', 'nbf', 'jti', 'auth_time', 'nonce', 'at_hash', 'c_hash', 's_hash', 'sid'],
  // Cognito, Entra ID and Keycloak add these.
  ...['event_id', 'origin_jti', 'aio', 'rh', 'uti', 'session_state'],
])

/** The claims that a scope, a condition or a policy may depend on. A renewed token has the same. */
export const callerRights = ({
  claims,
  hasAllClaims = false,
}: StoredIdentity): readonly (readonly [claim: string, value: unknown])[] =>
  Object.entries(claims).filter(([claim]) => !hasAllClaims || !tokenClaims.has(claim))

/**
 * Replaces values that JSON does not know, as the replacer of `JSON.stringify`: a schema of claims or params may make them, and
 * different ones must have different texts.
 */
export function plainValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Set || value instanceof Map ? [...value] : value
}

/** Returns a value as the database keeps it. */
export const plainForm = (value: unknown): unknown => JSON.parse(JSON.stringify(value, plainValue))

/** Whether a caller has the rights of an identity as the database keeps it. */
export const hasSameRights = (caller: StoredIdentity, stored: StoredIdentity): boolean =>
  isDeepStrictEqual(plainRights(caller), plainRights({ ...stored, hasAllClaims: caller.hasAllClaims }))

const plainRights = (identity: StoredIdentity): unknown => plainForm(Object.fromEntries(callerRights(identity)))
