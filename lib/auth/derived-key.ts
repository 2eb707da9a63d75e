import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

const known = new Map<string, KeyObject>()

/** A key of 32 bytes for one purpose alone: what one purpose gives away helps nobody with another. */
export function deriveKey(secret: string, purpose: string): KeyObject {
  const name = `${purpose}\n${secret}`
  const key = known.get(name) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
  known.set(name, key)
  return key
}
