import { createHmac } from 'node:crypto'
import { derivedKey } from '../auth/derived-key.ts'
import type { Identity } from '../auth/identity.ts'

const known = new WeakMap<Identity, string>()

/** What stands for a caller in the log: the same for the same subject, and nothing that leads back without the secret. */
export function identityHash(secret: string, identity: Identity): string {
  const hash = known.get(identity) ?? hashOf(secret, identity.subject)
  known.set(identity, hash)
  return hash
}

const hashOf = (secret: string, subject: string): string =>
  createHmac('sha256', derivedKey(secret, 'table-control identity in the log'))
    .update(subject)
    .digest('base64url')
    .slice(0, 16)
