import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

const known = new Map<string, KeyObject>()

/** Derives a key of 32 bytes for one purpose. A key that leaks does not reveal those of other purposes. */
export function deriveKey(secret: string, purpose: string): KeyObject {
  const name = `${purpose}\n${secret}`
  const key = known.get(name) ?? createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
  known.set(name, key)
  return key
}
