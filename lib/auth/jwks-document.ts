import { createPublicKey, type KeyObject } from 'node:crypto'
import { isJwk, type Jwk } from 'aws-jwt-verify/jwk'
import * as z from 'zod/mini'
import { largestJwks } from './jwks-fetch.ts'

/** A public key that may verify tokens. */
export interface SigningKey {
  readonly jwk: Jwk
  readonly publicKey: KeyObject
  /** The `alg` values that this key may be used with. */
  readonly algorithms: readonly string[]
}

/** Signing keys by `kid`. */
export type KeySet = ReadonlyMap<string, SigningKey>

/** The longest `kid` of a key or a token, in characters. */
export const longestKid = 256

const fewestRsaBits = 2_048

const algorithmsByKind: ReadonlyMap<string, readonly string[]> = new Map([
  ['RSA', ['RS256', 'RS384', 'RS512']],
  ['EC P-256', ['ES256']],
  ['EC P-384', ['ES384']],
  ['EC P-521', ['ES512']],
  ['OKP Ed25519', ['EdDSA']],
  ['OKP Ed448', ['EdDSA']],
])

const jwks = z.object({ keys: z.array(z.json()) })

/**
 * Reads a JWKS of at most 64 KB. A key that cannot verify tokens (encryption, symmetric, RSA below 2,048 bits, no `kid`) is
 * left out; of two keys with one `kid` the first counts. An empty set is a valid answer: every key was withdrawn.
 * Throws when the document is no JWKS at all.
 */
export function parseJwks(document: string): KeySet {
  if (document.length > largestJwks) throw new Error(`the JWKS is larger than ${largestJwks} bytes`)
  const keySet = new Map<string, SigningKey>()
  for (const json of jwks.parse(JSON.parse(document)).keys) {
    const jwk = isJwk(json) ? json : undefined
    const key = jwk && signingKey(jwk)
    if (key && jwk.kid && jwk.kid.length <= longestKid && !keySet.has(jwk.kid)) keySet.set(jwk.kid, key)
  }
  return keySet
}

function signingKey(jwk: Jwk): SigningKey | undefined {
  const ofKind = algorithmsByKind.get(jwk.kty === 'RSA' ? 'RSA' : `${jwk.kty} ${jwk.crv}`) ?? []
  const algorithms = ofKind.filter((algorithm) => jwk.alg === undefined || jwk.alg === algorithm)
  if (algorithms.length === 0 || (jwk.use !== undefined && jwk.use !== 'sig')) return undefined
  const publicKey = publicKeyOf(jwk)
  const rsaBits = publicKey?.asymmetricKeyDetails?.modulusLength ?? fewestRsaBits
  return publicKey && rsaBits >= fewestRsaBits ? { jwk, publicKey, algorithms } : undefined
}

function publicKeyOf(jwk: Jwk): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    return undefined
  }
}
