import { generateKeyPairSync, type JsonWebKey, type KeyObject, sign } from 'node:crypto'

export type SigningAlgorithm = 'RS256' | 'RS384' | 'RS512' | 'ES256' | 'ES384' | 'ES512' | 'EdDSA'

/** A key of an issuer, as its JWKS shows it and as it signs. */
export interface TestKey {
  readonly kid: string
  readonly jwk: JsonWebKey & { readonly kid: string }
  readonly publicKey: KeyObject
  /** A token of these claims. `header` overwrites the usual header; a value that is undefined leaves its name out. */
  readonly token: (claims: object, header?: object) => string
  /** A token of a header and claims that are encoded already, signed as they stand. */
  readonly signContent: (content: string) => string
}

/** Makes a real key pair for `algorithm`; `rsaBits` is its size where that is an RSA one. */
export function createTestKey(kid: string, algorithm: SigningAlgorithm = 'RS256', rsaBits = 2_048): TestKey {
  const { privateKey, publicKey } = keyPair(algorithm, rsaBits)
  const signContent = (content: string) => `${content}.${signature(content, algorithm, privateKey)}`
  return {
    kid,
    signContent,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: algorithm },
    publicKey,
    token: (claims, header = {}) =>
      signContent(`${encodePart({ alg: algorithm, typ: 'JWT', kid, ...header })}.${encodePart(claims)}`),
  }
}

/** A part of a token. */
export const encodePart = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** The text of a JWKS with these keys. */
export const createJwks = (...keys: readonly TestKey[]): string => JSON.stringify({ keys: keys.map(({ jwk }) => jwk) })

function keyPair(algorithm: SigningAlgorithm, rsaBits: number): { privateKey: KeyObject; publicKey: KeyObject } {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519')
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (algorithm === 'ES384') return generateKeyPairSync('ec', { namedCurve: 'P-384' })
  if (algorithm === 'ES512') return generateKeyPairSync('ec', { namedCurve: 'P-521' })
  return generateKeyPairSync('rsa', { modulusLength: rsaBits })
}

function signature(content: string, algorithm: SigningAlgorithm, key: KeyObject): string {
  const hash = algorithm === 'EdDSA' ? null : `sha${algorithm.slice(2)}`
  return sign(hash, Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
}
