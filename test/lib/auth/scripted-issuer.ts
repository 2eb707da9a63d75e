import { createTokenVerifier, type TokenVerifier } from '../../../lib/auth/token-verifier.ts'
import { RequestError } from '../../../lib/errors/request-error.ts'
import { createJwks, type TestKey } from './signing-key.ts'

export const issuer = 'table-control tests'
export const audience = 'table-control'
export const startSeconds = 1_800_000_000

/** An issuer whose JWKS and clock the test moves by hand, with a verifier that trusts it. */
export interface ScriptedIssuer {
  readonly verifier: TokenVerifier
  /** Replaces what the JWKS address answers: keys, a text, or a failure. */
  readonly publish: (response: readonly TestKey[] | string | Error) => void
  readonly fetches: () => number
  readonly nowSeconds: () => number
  readonly advance: (seconds: number) => void
}

export function createScriptedIssuer(...keys: readonly TestKey[]): ScriptedIssuer {
  let response: string | Error = createJwks(...keys)
  let fetches = 0
  let nowSeconds = startSeconds
  const fetchJwks = async () => {
    fetches += 1
    if (response instanceof Error) throw response
    return response
  }
  const config = {
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: [audience],
    JWKS_URL: 'https://issuer.test/jwks.json',
    COGNITO_TOKEN_USE: 'access' as const,
  }
  return {
    verifier: createTokenVerifier(config, { fetchJwks, now: () => nowSeconds * 1_000 }),
    publish: (next) => {
      response = next instanceof Error || typeof next === 'string' ? next : createJwks(...next)
    },
    fetches: () => fetches,
    nowSeconds: () => nowSeconds,
    advance: (seconds) => {
      nowSeconds += seconds
    },
  }
}

/** Claims of a good token; those given overwrite, and those given as undefined are left out. */
export function claims(overwritten: object = {}, nowSeconds = startSeconds): object {
  return { iss: issuer, aud: audience, sub: 'alice', iat: nowSeconds, exp: nowSeconds + 36_000, ...overwritten }
}

/** `ok`, or the code of the error with which the token is turned away. */
export async function outcome(verifier: TokenVerifier, token: string): Promise<string> {
  try {
    await verifier.verify(token)
    return 'ok'
  } catch (error) {
    if (error instanceof RequestError) return error.code
    throw error
  }
}

/** The error with which the token is turned away. */
export async function rejection(verifier: TokenVerifier, token: string): Promise<RequestError> {
  const error = await Promise.resolve(verifier.verify(token)).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof RequestError) return error
  throw new Error('the token was not turned away by a RequestError', { cause: error })
}
