import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import { decryptText, encryptText, nonceBytes } from '../auth/encryption.ts'

/** Half of a request body: a sort value may be a long text. */
const maxSealedLength = 524_288

/**
 * Seals a text so that clients can neither read nor alter it. The same text has the same seal. It opens for the same
 * `context` only, which is authenticated but not sent.
 */
export function sealText(secret: string, context: string, text: string): string {
  const keys = findKeys(secret)
  return encryptText({ key: keys.sealing, context }, createNonce(keys, context, text), text).toString('base64url')
}

/** Opens a sealed text; `undefined` for one that was altered, cut or made for another context. */
export function openText(secret: string, context: string, text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > maxSealedLength) return undefined
  const sealed = Buffer.from(text, 'base64url')
  // base64 has several texts for the same bytes, and only one of them was given out.
  if (sealed.toString('base64url') !== text) return undefined
  return decryptText({ key: findKeys(secret).sealing, context }, sealed)
}

interface Keys {
  readonly sealing: KeyObject
  readonly nonce: string
}

/** Derives the nonce from everything that is sealed, so that it is never reused and equal texts have equal seals. */
const createNonce = ({ nonce }: Keys, context: string, text: string): Buffer =>
  hash('sha256', `${nonce} ${context.length} ${context}${text}`, 'buffer').subarray(0, nonceBytes)

const known = new Map<string, Keys>()

/** The secret may have any length; the cipher's key has 32 bytes. */
function findKeys(secret: string): Keys {
  const keys = known.get(secret) ?? {
    sealing: createSecretKey(hash('sha256', `cursor ${secret}`, 'buffer')),
    nonce: hash('sha256', `nonce of cursor ${secret}`, 'base64'),
  }
  known.set(secret, keys)
  return keys
}
