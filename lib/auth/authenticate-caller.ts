import { type $ZodType, type $ZodTypes, safeParse } from 'zod/v4/core'
import { hasReadableTexts } from '../errors/readable-text.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Bilingual } from '../i18n/language.ts'
import { freezeDeeply, type Identity, lastingClaims, plainForm } from './identity.ts'
import type { DefaultMiddleware, IncomingRequest } from './middleware.ts'
import { tokenRefused } from './token-refusal.ts'
import { readBearerToken, type TokenVerifier, type VerifiedToken } from './token-verifier.ts'

declare const authenticated: unique symbol

/** A caller whose identity was established. Only this module makes one. */
export interface Caller {
  readonly [authenticated]: true
  readonly identity: Identity
}

type MaybePromise<T> = T | Promise<T>

/** The rules by which an installation knows its callers. */
export interface CallerRules {
  /** The shape that a token's claims must have. Default: any. */
  readonly claims?: $ZodType<Record<string, unknown>>
  /** The middlewares of every request. One of them must establish the identity. */
  readonly middlewares: readonly DefaultMiddleware[]
  /** Returns the identity as it is by now, or `undefined` where it has lost its rights. */
  readonly identityNow: (identity: Identity) => MaybePromise<Identity | undefined>
}

/** The default middleware: verifies the token of `Authorization: Bearer <ACCESS_TOKEN>`. */
export const authenticate: DefaultMiddleware = ({ headers }, verifier) =>
  verifier.verify(readBearerToken(headers['authorization']))

/**
 * Runs the service's own middlewares in order and returns the caller of a request. Throws `unauthenticated` if none of
 * them established an identity, or if the token's claims do not fit.
 */
export async function authenticateCaller(
  rules: CallerRules,
  verifier: TokenVerifier,
  request: IncomingRequest,
): Promise<Caller> {
  let token: VerifiedToken | undefined
  for (const middleware of rules.middlewares) token = (await middleware(request, verifier)) ?? token
  if (token === undefined) throw new RequestError('unauthenticated')
  return readCaller(rules, token)
}

/**
 * Returns the owner of stored work with the rights of this moment. Throws `forbidden` if they were withdrawn, or if the
 * identity was stored under another schema of the claims.
 */
export async function authenticateOwner(rules: CallerRules, stored: Identity): Promise<Caller> {
  const identity = await rules.identityNow(stored)
  if (identity === undefined || identity.subject !== stored.subject) throw new RequestError('forbidden')
  if (lacksClaim(rules, identity)) throw new RequestError('forbidden', {}, { text: changedRules })
  return { identity } as Caller
}

const changedRules: Bilingual = {
  en: 'The access rules have changed since this was requested; request it again',
  ar: 'تغيّرت قواعد الوصول بعد هذا الطلب؛ أعد إرسال الطلب',
}

/** Returns whether a claim is missing that every token has now: a scope could take it for the right to more rows. */
function lacksClaim({ claims: schema }: CallerRules, { claims }: Identity): boolean {
  const def = (schema as $ZodTypes | undefined)?._zod.def
  if (def?.type !== 'object') return false
  const missing = Object.entries(def.shape).filter(([claim]) => !Object.hasOwn(claims, claim))
  return missing.some(([, one]) => {
    const absent = safeParse(one, undefined)
    return !absent.success || absent.data !== undefined
  })
}

const callers = new WeakMap<VerifiedToken, WeakMap<CallerRules, Caller>>()

function readCaller(rules: CallerRules, token: VerifiedToken): Caller {
  const known = callers.get(token)?.get(rules)
  if (known !== undefined) return known
  const caller = {
    identity: rules.claims === undefined ? readToken(token) : readDeclared(rules.claims, token),
  } as Caller
  // A change would give its rights to all later requests with this token.
  if (!freezeDeeply(caller.identity)) return caller
  const byRules = callers.get(token) ?? new WeakMap<CallerRules, Caller>()
  callers.set(token, byRules.set(rules, caller))
  return caller
}

/**
 * Leaves out claims that Postgres cannot hold, which no table may know of: scopes compare claims with columns, and jobs
 * keep them.
 */
function readToken({ subject, expiresAt, claims }: VerifiedToken): Identity {
  const readable = Object.fromEntries(Object.entries(claims).filter((claim) => hasReadableTexts(claim)))
  return { subject, claims: lastingClaims(readable), expiresAt, ...readEmail(readable) }
}

function readDeclared(schema: $ZodType<Record<string, unknown>>, token: VerifiedToken): Identity {
  // A schema that is not strict hands on what it does not declare.
  const claims = safeParse(schema, lastingClaims(token.claims, declaredClaims(schema)))
  if (!claims.success) throw tokenRefused('claims')
  const { subject, expiresAt } = token
  const identity: Identity = { subject, claims: claims.data, expiresAt, ...readEmail(token.claims) }
  // Postgres cannot hold such a text.
  if (!hasReadableTexts(plainForm(identity))) throw tokenRefused('claims')
  return identity
}

/** Returns the parts of the objects of a schema by their names, also of those in a union or before a transform. */
const declaredClaims = ({ _zod: { def } }: $ZodType): object =>
  (def as { readonly shape?: object }).shape ??
  Object.assign(
    {},
    ...Object.values(def)
      .flat()
      .map((part) => part?._zod && declaredClaims(part)),
  )

/** Reads the address and whether the issuer vouches for it; some issuers write that boolean as a text. */
function readEmail(claims: VerifiedToken['claims']): Pick<Identity, 'email' | 'unverifiedEmail'> {
  const { email, email_verified: verified } = claims
  if (typeof email !== 'string') return {}
  return verified === true || verified === 'true' ? { email } : { unverifiedEmail: email }
}
