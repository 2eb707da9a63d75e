import { createHmac, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../auth/derived-key.ts'

/** 16 bytes of id, 6 of expiry and 32 of signature make 72 characters of base64 without a spare bit. */
const idBytes = 16
const signedBytes = idBytes + 6
const form = /^[\w-]{72}$/

/** Creates a token that names a download (a UUID) and cannot be made without the service's secret. */
export function writeDownloadToken(secret: string, id: string, expiresAt: Date): string {
  const signed = Buffer.alloc(signedBytes)
  signed.write(id.replaceAll('-', ''), 'hex')
  signed.writeUIntBE(expiresAt.getTime(), idBytes, 6)
  return Buffer.concat([signed, signatureOf(secret, signed)]).toString('base64url')
}

/**
 * Returns the id in a token; `undefined` for one that was altered or made up. The moment in the token is not checked: the
 * download's row decides, so that an extended link goes on working under its first URL.
 */
export function readDownloadToken(secret: string, token: string): string | undefined {
  if (!form.test(token)) return undefined
  const bytes = Buffer.from(token, 'base64url')
  const signed = bytes.subarray(0, signedBytes)
  if (!timingSafeEqual(signatureOf(secret, signed), bytes.subarray(signedBytes))) return undefined
  return signed.toString('hex', 0, idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const signatureOf = (secret: string, signed: Uint8Array): Buffer =>
  createHmac('sha256', derivedKey(secret, 'table-control download link')).update(signed).digest()
