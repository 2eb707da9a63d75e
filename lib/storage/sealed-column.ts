import { randomBytes } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { deriveKey } from '../auth/derived-key.ts'
import { decryptBytes, encryptBytes, type Lock, nonceBytes } from '../auth/encryption.ts'

const createLock = (secret: string, context: string): Lock => ({
  key: deriveKey(secret, 'table-control column at rest'),
  context,
})

/** Shorter texts are stored in less time than it takes to compress them. */
export const minCompressedLength = 65_536

/** Stands before what is compressed; base64 has no such letter. */
const compressedMark = '~'

/** Seals a text of any length that is stored for a while. It opens for the same `context` only. */
export function sealColumn(secret: string, context: string, text: string): string {
  const isCompressed = text.length >= minCompressedLength
  const content = isCompressed ? zstdCompressSync(text) : Buffer.from(text)
  const sealed = encryptBytes(createLock(secret, context), randomBytes(nonceBytes), content).toString('base64')
  return isCompressed ? compressedMark + sealed : sealed
}

/** Opens a stored text; `undefined` for one that was altered, or sealed with another secret or context. */
export function openColumn(secret: string, context: string, text: string): string | undefined {
  const isCompressed = text.startsWith(compressedMark)
  const sealed = Buffer.from(isCompressed ? text.slice(compressedMark.length) : text, 'base64')
  const content = decryptBytes(createLock(secret, context), sealed)
  return content && (isCompressed ? zstdDecompressSync(content) : content).toString()
}
