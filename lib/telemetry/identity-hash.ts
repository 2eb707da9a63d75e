import { createHmac } from 'node:crypto'
import type { Identity } from '../auth/identity.ts'

const known = new WeakMap<Identity, string>()

/** What stands for a caller in the log: the same for the same subject, and nothing that leads back without the secret. */
export function identityHash(secret: string, identity: Identity): string {
  const hash =
    known.get(identity) ?? createHmac('sha256', secret).update(identity.subject).digest('base64url').slice(0, 16)
  known.set(identity, hash)
  return hash
}
