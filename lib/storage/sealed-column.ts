import { randomBytes } from 'node:crypto'
import { deriveKey } from '../auth/derived-key.ts'
import { decryptText, encryptText, type Lock, nonceBytes } from '../auth/encryption.ts'

const createLock = (secret: string, context: string): Lock => ({
  key: deriveKey(secret, 'table-control column at rest'),
  context,
})

/** Seals a text of any length that is stored for a while. It opens for the same `context` only. */
export const sealColumn = (secret: string, context: string, text: string): string =>
  encryptText(createLock(secret, context), randomBytes(nonceBytes), text).toString('base64')

/** Opens a stored text; `undefined` for one that was altered, or sealed with another secret or context. */
export const openColumn = (secret: string, context: string, text: string): string | undefined =>
  decryptText(createLock(secret, context), Buffer.from(text, 'base64'))
