import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { audience, claims, createScriptedIssuer, outcome, rejection, startSeconds } from './scripted-issuer.ts'
import { createTestKey, encodePart, type SigningAlgorithm } from './signing-key.ts'

const key = createTestKey('key-1')
const ecKey = createTestKey('key-ec', 'ES256')
const stranger = createTestKey('key-1')
const { verifier } = createScriptedIssuer(key, ecKey)

const [goodHeader = '', goodPayload = '', goodSignature = ''] = key.token(claims()).split('.')
const { alg: _, ...jwkWithoutAlg } = key.jwk

function hmacToken(secret: string | Buffer): string {
  const content = `${encodePart({ alg: 'HS256', typ: 'JWT', kid: 'key-1' })}.${goodPayload}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

beforeAll(async () => {
  await verifier.verify(key.token(claims()))
})

describe('a good token', () => {
  it.each<[string, object]>([
    ['with all usual claims', {}],
    ['for several audiences', { aud: ['other', audience] }],
    ['without iat', { iat: undefined }],
    ['issued 60 s ahead of our clock', { iat: startSeconds + 60 }],
    ['usable since now', { nbf: startSeconds }],
  ])('%s is accepted', async (_name, overwritten) => {
    expect(await outcome(verifier, key.token(claims(overwritten)))).toBe('ok')
  })

  it('returns who calls, until when, and all of its claims', async () => {
    const verified = await verifier.verify(key.token(claims({ states: ['Texas', 'Ohio'] })))
    expect(verified.subject).toBe('alice')
    expect(verified.expiresAt).toBe(startSeconds + 36_000)
    expect(verified.claims).toMatchObject({ sub: 'alice', states: ['Texas', 'Ohio'] })
  })

  it('cannot be changed by one request for the next, not even deep within', async () => {
    const { claims: verified } = await verifier.verify(key.token(claims({ states: ['Texas'], org: { teams: ['a'] } })))
    expect(() => (verified['states'] as string[]).push('Ohio')).toThrow(TypeError)
    expect(() => (verified['org'] as { teams: string[] }).teams.push('b')).toThrow(TypeError)
    expect(() => Object.assign(verified, { sub: 'mallory' })).toThrow(TypeError)
  })

  it('changes no prototype, for any names of its claims', async () => {
    const payload = Buffer.from(
      `{"__proto__":{"role":"supervisor"},"constructor":"x",${JSON.stringify(claims()).slice(1)}`,
    ).toString('base64url')
    const token = key.token(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    const { claims: verified } = await verifier.verify(token)
    expect(Object.getPrototypeOf(verified)).toBe(null)
    expect(verified['role']).toBe(undefined)
    expect(({} as Record<string, unknown>)['role']).toBe(undefined)
  })

  it.each<SigningAlgorithm>(['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])(
    'may be signed by %s',
    async (alg) => {
      const own = createTestKey('own', alg)
      expect(await outcome(createScriptedIssuer(own).verifier, own.token(claims()))).toBe('ok')
    },
  )
})

/** The same bytes in another text: 2,048 bits leave four of the last character's six unused. */
function withOtherSpareBits(signature: string): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return signature.slice(0, -1) + letters[letters.indexOf(signature.slice(-1)) ^ 1]
}

/** A good token but for a signature in plain base64 that base64url writes otherwise. */
function inPlainBase64(): string {
  for (let count = 0; ; count += 1) {
    const [header, payload, signature = ''] = key.token(claims({ count })).split('.')
    if (/[-_]/.test(signature)) return `${header}.${payload}.${signature.replaceAll('-', '+').replaceAll('_', '/')}`
  }
}

describe('the verifier of tokens', () => {
  it.each<[string, string]>([
    ['that is empty', ''],
    ['that is one word', 'token'],
    ['of two parts', `${goodHeader}.${goodPayload}`],
    ['of four parts', `${goodHeader}.${goodPayload}.${goodSignature}.x`],
    ['without a signature', `${goodHeader}.${goodPayload}.`],
    ['whose header is no JSON', `${Buffer.from('{').toString('base64url')}.${goodPayload}.${goodSignature}`],
    ['whose header is an array', `${encodePart([])}.${goodPayload}.${goodSignature}`],
    ['whose header is null', `${encodePart(null)}.${goodPayload}.${goodSignature}`],
    ['whose payload is no JSON', `${goodHeader}.${Buffer.from('{').toString('base64url')}.${goodSignature}`],
    ['whose payload is signed, yet an array', key.token([])],
    ['whose payload was changed', `${goodHeader}.${encodePart(claims({ sub: 'mallory' }))}.${goodSignature}`],
    ['whose signature was changed', `${goodHeader}.${goodPayload}.${goodSignature.slice(0, -8)}AAAAAAAA`],
    ['whose signature has other unused bits', `${goodHeader}.${goodPayload}.${withOtherSpareBits(goodSignature)}`],
    ['whose signature is padded', `${goodHeader}.${goodPayload}.${goodSignature}==`],
    ['whose signature is in plain base64', inPlainBase64()],
    ['whose signature holds what decoding skips', `${goodHeader}.${goodPayload}.~${goodSignature}`],
    ['signed by a stranger under a known kid', stranger.token(claims())],
    ['of 8 KB and one character', key.token(claims({ fill: 'x'.repeat(8_000) }))],
    ['of 1 MB', 'a'.repeat(1_048_576)],
    ['of 1 MB of dots', '.'.repeat(1_048_576)],
    ['with a line break', `${goodHeader}.${goodPayload}\n.${goodSignature}`],
  ])('refuses with 401 a token %s', async (_name, token) => {
    expect(await outcome(verifier, token)).toBe('unauthenticated')
  })

  it.each<[string, object]>([
    ['without kid', { kid: undefined }],
    ['with an empty kid', { kid: '' }],
    ['with a kid that is a number', { kid: 1 }],
    ['with a kid of 300 characters', { kid: 'k'.repeat(300) }],
    ['without alg', { alg: undefined }],
    ['of alg none', { alg: 'none' }],
    ['of alg None', { alg: 'None' }],
    ['of alg HS256', { alg: 'HS256' }],
    ['of alg PS256', { alg: 'PS256' }],
    ['of an alg that its key does not have', { alg: 'RS512' }],
    ['of the alg of another kind of key', { alg: 'ES256' }],
    ['of an RSA alg under an EC key', { kid: 'key-ec' }],
    ['with an extension that must be understood', { crit: ['exp'] }],
  ])('refuses with 401 a token %s', async (_name, header) => {
    expect(await outcome(verifier, key.token(claims(), header))).toBe('unauthenticated')
  })

  it.each<[string, string]>([
    ['in PEM', key.publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['in DER', key.publicKey.export({ type: 'spki', format: 'der' }).toString('latin1')],
    ['as its modulus', String(key.jwk.n)],
  ])('refuses HS256 with the public key %s as the secret', async (_name, secret) => {
    expect(await outcome(verifier, hmacToken(Buffer.from(secret, 'latin1')))).toBe('unauthenticated')
  })

  it.each<[string, object]>([
    ['without exp', { exp: undefined }],
    ['whose exp is text', { exp: String(startSeconds + 60) }],
    ['whose exp is null', { exp: null }],
    ['that expired an hour ago', { exp: startSeconds - 3_600 }],
    ['usable only in an hour', { nbf: startSeconds + 3_600 }],
    ['whose nbf is text', { nbf: 'now' }],
    ['issued 61 s ahead of our clock', { iat: startSeconds + 61 }],
    ['whose iat is text', { iat: 'now' }],
    ['without iss', { iss: undefined }],
    ['of another issuer', { iss: 'somebody else' }],
    ['whose iss is a list', { iss: ['table-control tests'] }],
    ['without aud', { aud: undefined }],
    ['for another audience', { aud: 'other' }],
    ['for no audience', { aud: [] }],
    ['for an audience that begins alike', { aud: `${audience}-2` }],
    ['whose aud is an object', { aud: { [audience]: true } }],
    ['without sub', { sub: undefined }],
    ['whose sub is empty', { sub: '' }],
    ['whose sub is blank', { sub: '  ' }],
    ['whose sub is a number', { sub: 7 }],
    ['whose sub is null', { sub: null }],
  ])('refuses with 401 a token %s', async (_name, overwritten) => {
    expect(await outcome(verifier, key.token(claims(overwritten)))).toBe('unauthenticated')
  })

  it('refuses a token with a key of its own', async () => {
    const token = stranger.token(claims(), { jwk: stranger.jwk, jku: 'https://mallory.test/jwks.json' })
    expect(await outcome(verifier, token)).toBe('unauthenticated')
  })

  it.each<[string, object]>([
    ['meant for encryption', { ...key.jwk, use: 'enc' }],
    ['of a symmetric kind', { kty: 'oct', kid: 'key-1', k: 'c2VjcmV0' }],
    ['that is broken', { ...key.jwk, n: '' }],
  ])('refuses a token whose key is one %s', async (_name, jwk) => {
    const issuer = createScriptedIssuer()
    issuer.publish(JSON.stringify({ keys: [jwk] }))
    expect(await outcome(issuer.verifier, key.token(claims()))).toBe('unauthenticated')
  })

  it('refuses an RSA key shorter than 2,048 bits', async () => {
    const short = createTestKey('short', 'RS256', 1_024)
    expect(await outcome(createScriptedIssuer(short).verifier, short.token(claims()))).toBe('unauthenticated')
  })

  it('refuses an alg of another kind than the key, also if the key names none', async () => {
    const issuer = createScriptedIssuer()
    issuer.publish(JSON.stringify({ keys: [jwkWithoutAlg] }))
    expect(await outcome(issuer.verifier, key.token(claims(), { alg: 'ES256' }))).toBe('unauthenticated')
  })
})

it('prefers the signing key where one for encryption has the same kid', async () => {
  const issuer = createScriptedIssuer()
  issuer.publish(JSON.stringify({ keys: [{ ...stranger.jwk, use: 'enc' }, key.jwk] }))
  expect(await outcome(issuer.verifier, key.token(claims()))).toBe('ok')
})

it('accepts a key that names no algorithm', async () => {
  const issuer = createScriptedIssuer()
  issuer.publish(JSON.stringify({ keys: [jwkWithoutAlg] }))
  expect(await outcome(issuer.verifier, key.token(claims()))).toBe('ok')
})

it.each([
  ['exp - 1', { exp: startSeconds + 1 }, 'ok'],
  ['exp', { exp: startSeconds }, 'unauthenticated'],
  ['exp + 1', { exp: startSeconds - 1 }, 'unauthenticated'],
  ['nbf - 30, the grace', { nbf: startSeconds + 30 }, 'ok'],
  ['nbf - 31', { nbf: startSeconds + 31 }, 'unauthenticated'],
])('checks the times of a token at %s', async (_name, overwritten, expected) => {
  expect(await outcome(verifier, key.token(claims(overwritten)))).toBe(expected)
})

it('answers any text by a 401 that quotes nothing of it', async () => {
  const part = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.constantFrom(goodHeader, goodPayload, goodSignature),
    fc.json().map((json) => Buffer.from(json).toString('base64url')),
  )
  const token = fc.array(part, { maxLength: 4 }).map((parts) => parts.join('.'))
  await fc.assert(
    fc.asyncProperty(token, async (text) => {
      fc.pre(text !== `${goodHeader}.${goodPayload}.${goodSignature}`)
      const { code, message } = await rejection(verifier, text)
      expect([code, message]).toEqual(['unauthenticated', 'A valid access token is required'])
    }),
  )
})

it('says in the log why, without quoting the token', async () => {
  const { cause } = await rejection(verifier, key.token(claims({ aud: 'secret-audience' })))
  expect(cause).toMatchObject({ name: 'TokenFault', code: 'audience', message: 'audience' })
  expect((cause as Error).cause).toBe(undefined)
})
