import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey } from '../auth/derived-key.ts'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const purpose = 'table-control column at rest'

/** Seals a text of any length that is stored for a while. It opens for the same `context` only. */
export function sealColumn(secret: string, context: string, text: string): string {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, deriveKey(secret, purpose), nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, sealing.update(text), sealing.final(), sealing.getAuthTag()]).toString('base64')
}

/** Opens a stored text; `undefined` for one that was altered, or sealed with another secret or context. */
export function openColumn(secret: string, context: string, text: string): string | undefined {
  const sealed = Buffer.from(text, 'base64')
  if (sealed.length < nonceBytes + tagBytes) return undefined
  const opening = createDecipheriv(cipher, deriveKey(secret, purpose), sealed.subarray(0, nonceBytes), {
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
