import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/** As many as Postgres itself makes. */
const iterations = 4_096

/**
 * What Postgres keeps of a password (SCRAM-SHA-256). Given to it in place of the password, no statement, log or statistics of
 * the server ever holds the password itself.
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`
}
