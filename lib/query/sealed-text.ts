import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject } from 'node:crypto'

/** Half of a request body: a sort value may be a long text. */
const maxSealedLength = 524_288
const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

/**
 * Seals a text: nobody can read it, and nobody can alter it. The same text has the same seal. It opens for the same `context` only,
 * which is authenticated but not sent.
 */
export function sealText(secret: string, context: string, text: string): string {
  const keys = findKeys(secret)
  const nonce = createNonce(keys, context, text)
  const sealing = createCipheriv(cipher, keys.sealing, nonce).setAAD(Buffer.from(context))
  const body = sealing.update(text)
  return Buffer.concat([nonce, body, sealing.final(), sealing.getAuthTag()]).toString('base64url')
}

/** Opens a sealed text; `undefined` for one that was altered, cut or made for another context. */
export function openText(secret: string, context: string, text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > maxSealedLength) return undefined
  const sealed = Buffer.from(text, 'base64url')
  // base64 has several texts for the same bytes, and only one of them was given out.
  if (sealed.length < nonceBytes + tagBytes || sealed.toString('base64url') !== text) return undefined
  const opening = createDecipheriv(cipher, findKeys(secret).sealing, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
  opening.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-tagBytes))
  try {
    const body = opening.update(sealed.subarray(nonceBytes, -tagBytes))
    return Buffer.concat([body, opening.final()]).toString()
  } catch {
    return undefined
  }
}

interface Keys {
  /** Made once: a key of plain bytes is prepared anew at each call, which takes longer than all the rest. */
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
