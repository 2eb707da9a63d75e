import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto'

const cipher = 'aes-256-gcm'
const tagBytes = 16

export const nonceBytes = 12

/** The key and the context of an encrypted text. The context is authenticated and not part of the text. */
export interface Lock {
  /** 32 bytes, prepared once: a key of plain bytes is prepared anew at each call, which takes longer than all the rest. */
  readonly key: KeyObject
  readonly context: string
}

/** Encrypts a text so that nobody can read or alter it. A nonce of `nonceBytes` must not be used for two texts under one key. */
export function encryptText({ key, context }: Lock, nonce: Buffer, text: string): Buffer {
  const encryption = createCipheriv(cipher, key, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, encryption.update(text), encryption.final(), encryption.getAuthTag()])
}

/** Decrypts a text; `undefined` for one that was altered, cut, or encrypted with another key or context. */
export function decryptText({ key, context }: Lock, sealed: Buffer): string | undefined {
  if (sealed.length < nonceBytes + tagBytes) return undefined
  const decryption = createDecipheriv(cipher, key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decryption.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes))
  try {
    const body = decryption.update(sealed.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([body, decryption.final()]).toString()
  } catch {
    return undefined
  }
}
