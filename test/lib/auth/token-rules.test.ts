import { describe, expect, it } from 'vitest'
import { createTokenVerifier, type TokenVerifierConfig } from '../../../lib/auth/token-verifier.ts'
import { audience, claims, issuer, outcome, startSeconds } from './scripted-issuer.ts'
import { createJwks, createTestKey } from './signing-key.ts'

const key = createTestKey('key-1')
const pool = 'eu-west-1_AbCdEf123'
const regional = `https://cognito-idp.eu-west-1.amazonaws.com/${pool}`
const cognito = {
  COGNITO_USER_POOL_ID: pool,
  COGNITO_CLIENT_ID: ['client-a', 'client-b'],
  COGNITO_TOKEN_USE: 'access' as const,
}
const generic = { JWT_ISSUER: issuer, JWT_AUDIENCE: [audience], COGNITO_TOKEN_USE: 'access' as const }

function verifierFor(config: TokenVerifierConfig, asked: string[] = []) {
  const fetchJwks = async (url: string) => {
    asked.push(url)
    return createJwks(key)
  }
  return createTokenVerifier(config, { fetchJwks, now: () => startSeconds * 1_000 })
}

function cognitoClaims(overwritten: object = {}): object {
  return claims({ iss: regional, aud: undefined, token_use: 'access', client_id: 'client-a', ...overwritten })
}

describe('Amazon Cognito', () => {
  it.each<[string, object, string]>([
    ['an access token of the pool', {}, 'ok'],
    ['one of its second client', { client_id: 'client-b' }, 'ok'],
    ['one under the global issuer name', { iss: `https://issuer-cognito-idp.eu-west-1.amazonaws.com/${pool}` }, 'ok'],
    ['an id token', { token_use: 'id', client_id: undefined, aud: 'client-a' }, 'unauthenticated'],
    ['a token without use', { token_use: undefined }, 'unauthenticated'],
    ['a token of another use', { token_use: 'refresh' }, 'unauthenticated'],
    ['a token of another client', { client_id: 'client-c' }, 'unauthenticated'],
    ['a token of no client', { client_id: undefined }, 'unauthenticated'],
    ['an access token with the client in aud alone', { client_id: undefined, aud: 'client-a' }, 'unauthenticated'],
    ['a token of another pool', { iss: `${regional}X` }, 'unauthenticated'],
    ['a token of no pool', { iss: undefined }, 'unauthenticated'],
    ['a token without exp', { exp: undefined }, 'unauthenticated'],
    ['a token without sub', { sub: undefined }, 'unauthenticated'],
  ])('answers %s', async (_name, overwritten, expected) => {
    expect(await outcome(verifierFor(cognito), key.token(cognitoClaims(overwritten)))).toBe(expected)
  })

  it('accepts id tokens, and no others, where they are asked for', async () => {
    const verifier = verifierFor({ ...cognito, COGNITO_TOKEN_USE: 'id' })
    const idToken = key.token(cognitoClaims({ token_use: 'id', client_id: undefined, aud: 'client-a' }))
    expect(await outcome(verifier, idToken)).toBe('ok')
    expect(await outcome(verifier, key.token(cognitoClaims()))).toBe('unauthenticated')
  })

  it('reads the keys at the public address of the pool', async () => {
    const asked: string[] = []
    await outcome(verifierFor(cognito, asked), key.token(cognitoClaims()))
    expect(asked).toEqual([`${regional}/.well-known/jwks.json`])
  })
})

it.each<[string, object, string]>([
  ['the use that is asked for', { token_use: 'access' }, 'ok'],
  ['another use', { token_use: 'id' }, 'unauthenticated'],
  ['no use', {}, 'unauthenticated'],
])('a token of %s', async (_name, overwritten, expected) => {
  const verifier = verifierFor({ ...generic, JWKS_URL: 'https://issuer.test/jwks', JWT_TOKEN_USE: 'access' })
  expect(await outcome(verifier, key.token(claims(overwritten)))).toBe(expected)
})

it('a token whose issuer is the address of the keys is refused', async () => {
  const url = 'https://issuer.test/jwks'
  const verifier = verifierFor({ ...generic, JWKS_URL: url })
  expect(await outcome(verifier, key.token(claims({ iss: url })))).toBe('unauthenticated')
  expect(await outcome(verifier, key.token(claims()))).toBe('ok')
})

it.each([
  ['base64url', (part: Buffer) => part.toString('base64url'), 'ok'],
  ['base64url with padding', (part: Buffer) => part.toString('base64').replaceAll('/', '_').replaceAll('+', '-'), 'ok'],
  ['plain base64', (part: Buffer) => part.toString('base64'), 'unauthenticated'],
  ['base64url with a line break', (part: Buffer) => `${part.toString('base64url')}\n`, 'unauthenticated'],
])('a token that is signed as %s', async (_name, encode, expected) => {
  const verifier = verifierFor({ ...generic, JWKS_URL: 'https://issuer.test/jwks' })
  const parts = [{ alg: 'RS256', typ: 'JWT', kid: key.kid }, claims({ note: '????????' })]
  const content = parts.map((part) => encode(Buffer.from(JSON.stringify(part)))).join('.')
  expect(await outcome(verifier, key.signContent(content))).toBe(expected)
})

it.each([
  'https://issuer.test/jwks.json',
  'http://127.0.0.1:9000/jwks.json',
  'http://localhost:9000/jwks.json',
  'http://[::1]:9000/jwks.json',
])('may be configured to read the keys at %s', (url) => {
  expect(() => createTokenVerifier({ ...generic, JWKS_URL: url })).not.toThrow()
})

it.each([
  'http://issuer.test/jwks.json',
  'http://127.0.0.1.issuer.test/jwks.json',
  'http://localhost@issuer.test/jwks.json',
  'file:///etc/jwks.json',
])('does not start with the keys at %s', (url) => {
  expect(() => createTokenVerifier({ ...generic, JWKS_URL: url })).toThrow('JWKS_URL must be https')
})

it('does not start half configured', () => {
  expect(() => createTokenVerifier(generic)).toThrow('JWKS_URL')
  expect(() => createTokenVerifier({ ...cognito, COGNITO_CLIENT_ID: [] })).toThrow('COGNITO_CLIENT_ID')
  expect(() => createTokenVerifier({ ...cognito, COGNITO_USER_POOL_ID: 'pool' })).toThrow('User Pool')
})
