import { CognitoJwtVerifier, validateCognitoJwtFields } from 'aws-jwt-verify/cognito-verifier'
import type { JwtPayload } from 'aws-jwt-verify/jwt-model'
import type { Config } from '../config.ts'
import { refused } from './token-refusal.ts'

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

/** Whose tokens are accepted, and where their keys are. */
export interface TokenRules {
  readonly jwksUrl: string
  /** A token has to be of one of these. */
  readonly issuers: string[]
  /** A token has to be for one of these; null where `checkClaims` looks at the audience. */
  readonly audiences: string[] | null
  /** Throws unless the claims that only this kind of issuer has are as they should be. */
  readonly checkClaims: (payload: JwtPayload) => void
}

/** The rules of an Amazon Cognito user pool when one is configured, otherwise of any issuer with a JWKS. */
export function tokenRules(config: TokenVerifierConfig): TokenRules {
  return config.COGNITO_USER_POOL_ID === undefined
    ? genericRules(config)
    : cognitoRules(config.COGNITO_USER_POOL_ID, config)
}

function cognitoRules(userPoolId: string, config: TokenVerifierConfig): TokenRules {
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

function genericRules(config: TokenVerifierConfig): TokenRules {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audiences, JWKS_URL: jwksUrl, JWT_TOKEN_USE: tokenUse } = config
  if (!issuer || !audiences?.length || !jwksUrl) throw new Error('JWT_ISSUER, JWT_AUDIENCE and JWKS_URL are all needed')
  return {
    jwksUrl,
    issuers: [issuer],
    audiences,
    checkClaims: (payload) => {
      if (tokenUse !== undefined && payload['token_use'] !== tokenUse) throw refused('token_use')
    },
  }
}
