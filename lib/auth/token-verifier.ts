import { CognitoJwtVerifier, validateCognitoJwtFields } from 'aws-jwt-verify/cognito-verifier'
import type { Config } from '../config.ts'
import {
  assertJwksUrl,
  createJwksSource,
  type FetchJwks,
  fetchJwks as fetchJwksOverHttps,
  type KeySet,
} from './jwks-source.ts'
import { checkToken, createTokenHeaderReader, type TokenRules } from './token-check.ts'
import { tokenRefused } from './token-refusal.ts'
import { createVerifiedTokenCache, type VerifiedToken } from './verified-token-cache.ts'

export { readBearerToken } from './token-check.ts'
export type { VerifiedToken } from './verified-token-cache.ts'

export interface TokenVerifier {
  /**
   * Verifies an access token. Returns its content if the token is known, otherwise a promise; never throws. The promise
   * rejects with `unauthenticated` (401) for an invalid token. If the issuer's keys are unavailable, it rejects with
   * `unavailable` (503, `Retry-After`), so that an outage signs no user out.
   */
  readonly verify: (token: string) => VerifiedToken | Promise<VerifiedToken>
}

interface Dependencies {
  readonly fetchJwks?: FetchJwks
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * Verifies access tokens of one issuer: an Amazon Cognito user pool, or any other with a JWKS. Keys are fetched when
 * the first token comes. Throws when the settings are incomplete or `JWKS_URL` is plain http to another machine.
 */
export function createTokenVerifier(config: TokenVerifierConfig, dependencies: Dependencies = {}): TokenVerifier {
  const { fetchJwks = fetchJwksOverHttps, now = Date.now } = dependencies
  const rules = createTokenRules(config)
  assertJwksUrl(rules.jwksUrl)
  const source = createJwksSource(rules.jwksUrl, fetchJwks, now)
  const readHeader = createTokenHeaderReader()
  let known = createKnownTokens(undefined)

  async function verifyAnew(token: string): Promise<VerifiedToken> {
    const { alg, kid } = readHeader(token)
    const keys = await source.keysWith(kid)
    const key = keys.get(kid)
    if (!key?.algorithms.includes(alg)) throw tokenRefused('algorithm')
    const verified = checkToken({ token, alg, key }, rules, now() / 1_000)
    if (known.keys !== keys) known = createKnownTokens(keys)
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
function createKnownTokens(keys: KeySet | undefined) {
  return { keys, tokens: createVerifiedTokenCache() }
}

/** The settings that say whose tokens are accepted. */
export type TokenVerifierConfig = Pick<
  Config,
  | 'JWT_ISSUER'
  | 'JWT_AUDIENCE'
  | 'JWT_TOKEN_USE'
  | 'JWKS_URL'
  | 'COGNITO_USER_POOL_ID'
  | 'COGNITO_CLIENT_ID'
  | 'COGNITO_TOKEN_USE'
>

/** The rules of an Amazon Cognito user pool when one is configured, otherwise of any issuer with a JWKS. */
export function createTokenRules(config: TokenVerifierConfig): TokenRules {
  return config.COGNITO_USER_POOL_ID === undefined
    ? createGenericRules(config)
    : createCognitoRules(config.COGNITO_USER_POOL_ID, config)
}

function createCognitoRules(userPoolId: string, config: TokenVerifierConfig): TokenRules {
  const { COGNITO_CLIENT_ID: clientId, COGNITO_TOKEN_USE: tokenUse } = config
  if (!clientId?.length) throw new Error('COGNITO_CLIENT_ID is needed beside COGNITO_USER_POOL_ID')
  const { issuer, jwksUri } = CognitoJwtVerifier.parseUserPoolId(userPoolId)
  // A pool signs with the same keys under both of its issuer names, so one JWKS serves both.
  const globalIssuer = CognitoJwtVerifier.parseUserPoolId(userPoolId, 'https://issuer-cognito-idp.').issuer
  return {
    jwksUrl: jwksUri,
    issuers: [issuer, globalIssuer],
    audiences: null,
    checkClaims: (payload) => validateCognitoJwtFields(payload, { clientId, tokenUse }),
  }
}

function createGenericRules(config: TokenVerifierConfig): TokenRules {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audiences, JWKS_URL: jwksUrl, JWT_TOKEN_USE: tokenUse } = config
  if (!issuer || !audiences?.length || !jwksUrl) throw new Error('JWT_ISSUER, JWT_AUDIENCE and JWKS_URL are all needed')
  return {
    jwksUrl,
    issuers: [issuer],
    audiences,
    checkClaims: (payload) => {
      if (tokenUse !== undefined && payload['token_use'] !== tokenUse) throw tokenRefused('token_use')
    },
  }
}
