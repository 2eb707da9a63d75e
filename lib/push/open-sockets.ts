import { eq, inArray, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { sockets } from '../db/service-tables.ts'

/** A socket to which a message may be posted. */
export interface OpenSocket {
  readonly connectionId: string
  /** Stored so recently that the gateway may still be opening it. */
  readonly opening: boolean
}

/** A gateway ends every connection after two hours, and does not always say so. */
export const socketLifetime = '2 hours'

const openOnes = `
  select connection_id, connected_at > now() - interval '3 seconds' from table_control.sockets
  where subject = $1 and expires_at > now() order by connected_at desc`

/** The unexpired sockets of an identity, the newest first. */
export async function openSockets(database: Database, subject: string): Promise<readonly OpenSocket[]> {
  const rows = await database.read(openOnes, [subject])
  return rows.map(([connectionId, opening]) => ({ connectionId: String(connectionId), opening: opening === true }))
}

/** Stores that a connection belongs to an identity. */
export async function storeSocket(database: Database, connectionId: string, subject: string): Promise<void> {
  const expires_at = sql`now() + ${socketLifetime}::interval`
  await (await database.session())
    .insert(sockets)
    .values({ connection_id: connectionId, subject, expires_at })
    .onConflictDoUpdate({ target: sockets.connection_id, set: { subject, expires_at } })
}

/** Removes connections that have ended; unknown ones are ignored. */
export async function forgetSockets(database: Database, connectionIds: readonly string[]): Promise<void> {
  const [first, ...others] = connectionIds
  if (first === undefined) return
  const ended =
    others.length === 0 ? eq(sockets.connection_id, first) : inArray(sockets.connection_id, [...connectionIds])
  await (await database.session()).delete(sockets).where(ended)
}
