import type { KeySet } from './jwks-document.ts'
import { assertJwksUrl, fetchJwks as fetchJwksOverHttps } from './jwks-fetch.ts'
import { createJwksSource, type FetchJwks } from './jwks-source.ts'
import { checkToken } from './token-check.ts'
import { createTokenHeaderReader } from './token-header.ts'
import { refused } from './token-refusal.ts'
import { type TokenVerifierConfig, tokenRules } from './token-rules.ts'
import type { VerifiedToken } from './verified-token.ts'
import { createVerifiedTokenCache } from './verified-token-cache.ts'

export { bearerToken } from './bearer-token.ts'
export type { TokenVerifierConfig } from './token-rules.ts'
export type { VerifiedToken } from './verified-token.ts'

export interface TokenVerifier {
  /**
   * Verifies an access token. Returns at once when the same token was verified before, otherwise a promise; never throws
   * by itself. The promise rejects with `unauthenticated` (401) for a token that is not good, and with `unavailable` (503,
   * `Retry-After`) when its issuer's keys cannot be had now, so that nobody is logged out by an outage.
   */
  readonly verify: (token: string) => VerifiedToken | Promise<VerifiedToken>
}

interface Dependencies {
  readonly fetchJwks?: FetchJwks
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * Verifies access tokens of one issuer: an Amazon Cognito user pool, or any other with a JWKS. Keys are fetched when the
 * first token comes. Throws when the settings are incomplete or `JWKS_URL` is plain http to another machine.
 */
export function createTokenVerifier(config: TokenVerifierConfig, dependencies: Dependencies = {}): TokenVerifier {
  const { fetchJwks = fetchJwksOverHttps, now = Date.now } = dependencies
  const rules = tokenRules(config)
  assertJwksUrl(rules.jwksUrl)
  const source = createJwksSource(rules.jwksUrl, fetchJwks, now)
  const readHeader = createTokenHeaderReader()
  let known = verifiedBy(undefined)

  async function verifyAnew(token: string): Promise<VerifiedToken> {
    const { alg, kid } = readHeader(token)
    const keys = await source.holding(kid)
    const key = keys.get(kid)
    if (!key?.algorithms.includes(alg)) throw refused('algorithm')
    const verified = checkToken({ token, alg, key }, rules, now() / 1_000)
    if (known.keys !== keys) known = verifiedBy(keys)
    known.tokens.set(token, verified)
    return verified
  }

  return {
    verify(token) {
      const keys = source.current()
      const verified = keys !== undefined && keys === known.keys ? known.tokens.get(token, now() / 1_000) : undefined
      return verified ?? verifyAnew(token)
    },
  }
}

/** Tokens are known for as long as the keys that verified them stand: a new key set starts with none. */
function verifiedBy(keys: KeySet | undefined) {
  return { keys, tokens: createVerifiedTokenCache() }
}
