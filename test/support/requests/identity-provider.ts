import {
  createHmac,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { env } from 'node:process'
import { inject } from 'vitest'
import { loadSigningKey } from '../../../infra/local/identity/signing-key.ts'
import { listen } from '../../../infra/local/listen.ts'

/**
 * The claims of a token; `sub` says who, the rest goes into the token as it is and may overwrite the standard claims.
 */
export interface TestIdentity {
  readonly sub: string
  readonly [claim: string]: unknown
}

/** The faults of a token. Without any of them it is valid for an hour. */
export interface TokenFaults {
  /** Seconds from now; negative means already expired. */
  readonly expiresIn?: number
  /** Claims that are left out, such as `exp` or `sub`. */
  readonly without?: readonly string[]
  /** `stranger` signs with a key that the provider does not publish, under the key id of one that it does. */
  readonly signedBy?: 'provider' | 'stranger'
  /** `HS256` uses the public key as the shared secret, the classic confusion of algorithms. */
  readonly algorithm?: 'RS256' | 'HS256' | 'none'
  /** Changes a claim after signing. */
  readonly tampered?: boolean
  readonly keyId?: string
}

export interface IdentityProvider {
  readonly issuer: string
  readonly audience: string
  readonly jwksUrl: string
  /** The environment that makes the service trust this provider. */
  readonly environment: Readonly<Record<'JWT_ISSUER' | 'JWT_AUDIENCE' | 'JWKS_URL', string>>
  /** How often the key set was fetched so far. */
  readonly fetches: () => number
  readonly tokenFor: (identity: TestIdentity, faults?: TokenFaults) => string
  readonly stop: () => Promise<void>
}

const audience = 'table-control-test'
const publishedKeyId = 'test-key-1'

/** An identity provider on a free loopback port, with one RSA key, which serves its key set over plain HTTP. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const provider = findKeyPair('provider')
  const keySet = {
    keys: [{ ...provider.publicKey.export({ format: 'jwk' }), kid: publishedKeyId, alg: 'RS256', use: 'sig' }],
  }
  let fetches = 0
  const server = createServer((_request, response) => {
    fetches += 1
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(keySet))
  })
  const { url: issuer, stop } = await listen(server)
  const jwksUrl = `${issuer}/.well-known/jwks.json`
  return {
    issuer,
    audience,
    jwksUrl,
    environment: { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWKS_URL: jwksUrl },
    fetches: () => fetches,
    tokenFor: (identity, faults = {}) => {
      const { privateKey } = findKeyPair(faults.signedBy ?? 'provider')
      return signedToken(toClaims(identity, issuer, faults), faults, privateKey, provider.publicKey)
    },
    stop,
  }
}

const keyPairs = new Map<string, KeyPairKeyObjectResult>()

/** Returns the key pair of a signer, which the first process of a run of tests makes: an RSA key takes 50 ms. */
function findKeyPair(signer: string): KeyPairKeyObjectResult {
  const pair = keyPairs.get(signer) ?? loadKeyPair(signer)
  keyPairs.set(signer, pair)
  return pair
}

function loadKeyPair(signer: string): KeyPairKeyObjectResult {
  // A benchmark is no run of tests, and shares nothing.
  if (env['VITEST'] === undefined) return generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { privateKey } = loadSigningKey(join(inject('sharedDirectory'), signer))
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

function toClaims(identity: TestIdentity, issuer: string, faults: TokenFaults): Readonly<Record<string, unknown>> {
  const now = Math.floor(Date.now() / 1000)
  const exp = now + (faults.expiresIn ?? 3600)
  const claims = { iss: issuer, aud: audience, iat: Math.min(now, exp - 1), exp, ...identity }
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !faults.without?.includes(name)))
}

function signedToken(claims: object, faults: TokenFaults, privateKey: KeyObject, publicKey: KeyObject): string {
  const algorithm = faults.algorithm ?? 'RS256'
  const header = encodePart({ alg: algorithm, typ: 'JWT', kid: faults.keyId ?? publishedKeyId })
  const content = `${header}.${encodePart(claims)}`
  const signature = createSignature(content, algorithm, privateKey, publicKey)
  const sent = faults.tampered === true ? `${header}.${encodePart({ ...claims, sub: 'somebody-else' })}` : content
  return `${sent}.${signature}`
}

function createSignature(content: string, algorithm: string, privateKey: KeyObject, publicKey: KeyObject): string {
  if (algorithm === 'none') return ''
  if (algorithm === 'RS256') return signOnce(content, privateKey)
  const sharedSecret = publicKey.export({ format: 'pem', type: 'spki' })
  return createHmac('sha256', sharedSecret).update(content).digest('base64url')
}

const signatures = new WeakMap<KeyObject, Map<string, string>>()
const maxSignatures = 1_000

/** Signs the same content once: RS256 is deterministic, and a caller's requests of one second have one token. */
function signOnce(content: string, privateKey: KeyObject): string {
  const known = signatures.get(privateKey) ?? new Map<string, string>()
  signatures.set(privateKey, known)
  const signature = known.get(content) ?? createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')
  if (known.size >= maxSignatures) known.clear()
  known.set(content, signature)
  return signature
}

const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
