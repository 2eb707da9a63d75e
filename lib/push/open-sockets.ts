import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Identity } from '../auth/identity.ts'
import type { Database } from '../db/database.ts'
import { sockets } from '../db/service-tables.ts'

/** A socket to which a message may be posted. */
export interface OpenSocket {
  readonly connectionId: string
  /** Stored so recently that the gateway may still be opening it. */
  readonly opening: boolean
}

/**
 * When a socket ends: with the token that opened it, and after two hours at most, when the gateway ends every connection and does
 * not always say so. `expiresAt` is SQL of seconds since 1970, or null.
 */
export const socketEnd = (expiresAt: SQL): SQL =>
  sql`least(now() + interval '2 hours', to_timestamp(${expiresAt}::double precision))`

const openOnes = `
  select connection_id, connected_at > now() - interval '3 seconds' from table_control.sockets
  where subject = $1 and expires_at > now() order by connected_at desc`

/** The unexpired sockets of an identity, the newest first. */
export async function openSockets(database: Database, subject: string): Promise<readonly OpenSocket[]> {
  const rows = await database.read(openOnes, [subject])
  return rows.map(([connectionId, opening]) => ({ connectionId: String(connectionId), opening: opening === true }))
}

/** Stores that a connection belongs to an identity, until its token expires. */
export async function storeSocket(
  database: Database,
  connectionId: string,
  { subject, expiresAt }: SocketOwner,
): Promise<void> {
  const expires_at = socketEnd(sql`${expiresAt ?? null}`)
  await (await database.session())
    .insert(sockets)
    .values({ connection_id: connectionId, subject, expires_at })
    .onConflictDoUpdate({ target: sockets.connection_id, set: { subject, expires_at } })
}

/** Who opens a socket, and when their token expires, in seconds since 1970. */
export type SocketOwner = Pick<Identity, 'subject' | 'expiresAt'>

/** Removes connections that have ended; unknown ones are ignored. */
export async function forgetSockets(database: Database, connectionIds: readonly string[]): Promise<void> {
  const [first, ...others] = connectionIds
  if (first === undefined) return
  const ended =
    others.length === 0 ? eq(sockets.connection_id, first) : inArray(sockets.connection_id, [...connectionIds])
  await (await database.session()).delete(sockets).where(ended)
}
