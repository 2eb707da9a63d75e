import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto'
import { join } from 'node:path'
import { readOrCreate } from '../local-directory.ts'

export interface SigningKey {
  readonly privateKey: KeyObject
  readonly keyId: string
  /** The public key as a JWKS lists it. */
  readonly publicKey: JsonWebKey
}

/**
 * The RSA key of the local identity provider, which is made on first use and kept: tokens outlive a restart of the
 * stack.
 */
export function loadSigningKey(directory: string): SigningKey {
  const file = join(directory, 'signing-key.pem')
  const create = () =>
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const pem = readOrCreate(file, create, () => true)
  const privateKey = readPrivateKey(pem)
  if (privateKey === undefined)
    throw new Error(`${file} is no private key; delete it, and the next start or token makes another one`)
  const publicKey = createPublicKey(privateKey).export({ format: 'jwk' })
  const keyId = createHash('sha256')
    .update(publicKey.n ?? '')
    .digest('base64url')
    .slice(0, 16)
  return { privateKey, keyId, publicKey: { ...publicKey, kid: keyId, alg: 'RS256', use: 'sig' } }
}

function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}
