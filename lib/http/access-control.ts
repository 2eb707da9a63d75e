import { safeParse } from 'zod/v4/core'
import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import type { TokenVerifier, VerifiedToken } from '../auth/token-verifier.ts'
import { RequestError } from '../errors/request-error.ts'
import type { Registry } from '../table/registry.ts'

type AnyIdentity = Identity<Record<string, unknown>>

const identities = new WeakMap<VerifiedToken, WeakMap<Registry, AnyIdentity>>()

/**
 * The one access-control layer: the service's own middlewares in order, of which one must have established
 * who is calling. Throws `unauthenticated` where none did, and where the token's claims do not fit the registry.
 */
export async function authenticated(
  registry: Registry,
  verifier: TokenVerifier,
  request: IncomingRequest,
): Promise<AnyIdentity> {
  let token: VerifiedToken | undefined
  for (const middleware of registry.middlewares) token = (await middleware(request, verifier)) ?? token
  if (token === undefined) throw new RequestError('unauthenticated')
  return identityOf(registry, token)
}

function identityOf(registry: Registry, token: VerifiedToken): AnyIdentity {
  const known = identities.get(token)?.get(registry)
  if (known !== undefined) return known
  const claims = safeParse(registry.claims, { ...token.claims })
  if (!claims.success) throw unfitClaims(claims.error)
  const identity: AnyIdentity = {
    subject: token.subject,
    claims: claims.data,
    expiresAt: token.expiresAt,
    ...emailOf(token),
  }
  const byRegistry = identities.get(token) ?? new WeakMap<Registry, AnyIdentity>()
  identities.set(token, byRegistry.set(registry, identity))
  return identity
}

/** Some issuers write the boolean as a text. */
function emailOf({ claims }: VerifiedToken): Pick<AnyIdentity, 'email' | 'unverifiedEmail'> {
  const { email, email_verified: verified } = claims
  if (typeof email !== 'string') return {}
  return verified === true || verified === 'true' ? { email } : { unverifiedEmail: email }
}

const unfitClaims = (cause: unknown) =>
  new RequestError('unauthenticated', {}, { cause, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })
