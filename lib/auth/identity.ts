import { isDeepStrictEqual } from 'node:util'

type Unchangeable = string | number | boolean | bigint | symbol | null | undefined | ((...args: never) => unknown)

/** A value that is readonly to any depth. */
type DeepReadonly<T> = unknown extends T
  ? T
  : T extends Unchangeable
    ? T
    : T extends ReadonlyMap<infer Key, infer One>
      ? ReadonlyMap<Key, One>
      : T extends ReadonlySet<infer One>
        ? ReadonlySet<One>
        : { readonly [Key in keyof T]: DeepReadonly<T[Key]> }

/** The caller, as a verified token describes it. `Claims` is the output of the registry's `claims` schema. */
export interface Identity<Claims = Readonly<Record<string, unknown>>> {
  /** The token's `sub`: never empty. */
  readonly subject: string
  /** Frozen, because all requests with the same token share them. */
  readonly claims: DeepReadonly<Claims>
  /** The token's `email`, where its issuer vouches for it by `email_verified`. */
  readonly email?: string
  /** The token's `email`, if its issuer has not verified it: no mail is sent there, and an error says why. */
  readonly unverifiedEmail?: string
  /** When the token expires, in seconds since 1970; absent for an identity that was stored with a job. */
  readonly expiresAt?: number
}

/** A caller as the database keeps one, so that work which runs later is done in that caller's name. */
export interface StoredIdentity {
  readonly subject: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly email?: string
  /** When the token expires, in seconds since 1970; kept with tickets of WebSockets. */
  readonly expiresAt?: number
}

/** Claims that change with each token. Cognito and Entra ID add the last ones. */
const tokenClaims: ReadonlySet<string> = new Set([
  'iat',
  'exp',
  'nbf',
  'jti',
  'auth_time',
  'nonce',
  'at_hash',
  'c_hash',
  's_hash',
  'event_id',
  'origin_jti',
  'aio',
  'rh',
  'uti',
])

/** Claims that change with each log-in. Keycloak adds the latter. */
const loginClaims: ReadonlySet<string> = new Set(['sid', 'session_state'])

/**
 * Leaves out the claims that change with each token or log-in, unless they are declared: a renewed token has the same
 * rights.
 */
export const lastingClaims = (claims: Identity['claims'], declared: object = {}): Identity['claims'] =>
  Object.fromEntries(
    Object.entries(claims).filter(
      ([claim]) => claim in declared || !(tokenClaims.has(claim) || loginClaims.has(claim)),
    ),
  )

/** The claims that a scope, a condition or a policy may depend on. */
export const callerRights = ({ claims }: StoredIdentity): readonly (readonly [claim: string, value: unknown])[] =>
  Object.entries(claims)

/**
 * Replaces values that JSON does not know, as the replacer of `JSON.stringify`: a schema of claims or params may make
 * them, and different ones must have different texts.
 */
export function plainValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  return value instanceof Set || value instanceof Map ? [...value] : value
}

/** Returns a value as the database keeps it. */
export const plainForm = (value: unknown): unknown => JSON.parse(JSON.stringify(value, plainValue))

/**
 * Freezes lists and plain objects to any depth. Returns whether a value has no other parts, such as a `Set`, which stay
 * changeable.
 */
export function freezeDeeply(value: unknown, met = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || met.has(value)) return true
  met.add(value)
  const isPlain = Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value))
  if (isPlain) Object.freeze(value)
  return (
    Object.values(value)
      .map((part) => freezeDeeply(part, met))
      .every(Boolean) && isPlain
  )
}

/** Whether two identities, of which the database may keep one, have the same rights. */
export const hasSameRights = (left: StoredIdentity, right: StoredIdentity): boolean =>
  isDeepStrictEqual(plainRights(left, right), plainRights(right, left))

/** Versions that left out no claims have stored those of their tokens. */
const plainRights = ({ claims }: StoredIdentity, other: StoredIdentity): unknown =>
  plainForm(
    Object.fromEntries(
      Object.entries(claims).filter(([claim]) => !tokenClaims.has(claim) || Object.hasOwn(other.claims, claim)),
    ),
  )
