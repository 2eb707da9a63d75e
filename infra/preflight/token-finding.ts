import { createTokenVerifier, type TokenVerifierConfig } from '../../lib/auth/token-verifier.ts'
import { errorMessage } from '../local/error-message.ts'
import { fault, type NewFinding, ok } from './finding.ts'

/** Verifies a token of the issuer as the functions will. Names no more of it than its subject, issuer and audience. */
export async function tokenFinding(config: TokenVerifierConfig, token: string): Promise<NewFinding> {
  try {
    const { subject } = await createTokenVerifier(config).verify(token)
    return ok(`the token of "${subject}" is accepted`)
  } catch (error) {
    const reason = errorMessage(error)
    return fault(`the token is refused (${reason})`, suggestFix(reason, config, readClaims(token)))
  }
}

type Claims = Readonly<Record<string, unknown>>

/** Reads the claims of a refused token, for the message alone. */
function readClaims(token: string): Claims {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  } catch {
    return {}
  }
}

function suggestFix(reason: string, config: TokenVerifierConfig, claims: Claims): string {
  const isCognito = config.COGNITO_USER_POOL_ID !== undefined
  const audience = JSON.stringify(isCognito ? (claims['client_id'] ?? claims['aud']) : claims['aud'])
  switch (reason) {
    case 'issuer':
      return isCognito
        ? `Correct auth.userPoolId: the token's iss is ${JSON.stringify(claims['iss'])}`
        : `Set auth.issuer: ${JSON.stringify(claims['iss'])}, as the token spells it, if that is your issuer`
    case 'audience':
      return `Add to ${isCognito ? 'auth.clientIds' : 'auth.audience'} what the token is for: ${audience}`
    case 'token_use':
      return `Send a token of the kind that auth.tokenUse names; this one is "${claims['token_use']}"`
    case 'unknown_key':
    case 'signature':
      return `The token is of another issuer, or ${isCognito ? 'auth.userPoolId' : 'auth.jwksUrl'} no longer leads to its keys`
    case 'expired':
      return 'Ask the issuer for a new token'
    default:
      return 'Send a complete access token of the issuer, without "Bearer"; functions/README.md says what it must hold'
  }
}
