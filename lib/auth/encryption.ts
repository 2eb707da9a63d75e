import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'

const cipher = 'aes-256-gcm'
const tagBytes = 16

export const nonceBytes = 12

/** The key and the context of an encrypted text. The context is authenticated and not part of the text. */
export interface Lock {
  /**
   * 32 bytes, prepared once: a key of plain bytes is prepared anew at each call, which takes longer than all the rest.
   */
  readonly key: KeyObject
  readonly context: string
}

/**
 * Encrypts a text so that it cannot be read or altered without the key. A nonce of `nonceBytes` must not be used for
 * two texts under one key.
 */
export const encryptText = (lock: Lock, nonce: Buffer, text: string): Buffer =>
  encryptBytes(lock, nonce, Buffer.from(text))

/** Encrypts bytes as `encryptText` does. */
export function encryptBytes({ key, context }: Lock, nonce: Buffer, content: Buffer): Buffer {
  const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, encryption.update(content), encryption.final(), encryption.getAuthTag()])
}

/** Decrypts a text; `undefined` for one that was altered, cut, or encrypted with another key or context. */
export const decryptText = (lock: Lock, sealed: Buffer): string | undefined => decryptBytes(lock, sealed)?.toString()

/** Decrypts bytes as `decryptText` does. */
export function decryptBytes({ key, context }: Lock, sealed: Buffer): Buffer | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined
  const decryption = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decryption.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes))
  try {
    const body = decryption.update(sealed.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([body, decryption.final()])
  } catch {
    return undefined
  }
}
