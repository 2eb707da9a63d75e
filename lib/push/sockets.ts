import { hash, randomBytes } from 'node:crypto'
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Identity } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { sockets, socketTickets } from '../db/service-tables.ts'
import { disconnectFrom } from './post-to-connection.ts'

/** A socket that has not expired. */
export interface OpenSocket {
  readonly connectionId: string
  /** Stored so recently that the gateway may still be opening it. */
  readonly opening: boolean
}

/**
 * When a socket ends: with the token that opened it, and after two hours at most, when the gateway ends every connection and does
 * not always say so. `expiresAt` is SQL of seconds since 1970, or null.
 */
const socketEnd = (expiresAt: SQL): SQL =>
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

/** The identity that opens a socket; `expiresAt` of its token is in seconds since 1970. */
export type SocketOwner = Pick<Identity, 'subject' | 'expiresAt'>

/** Removes connections that have ended; unknown ones are ignored. */
export async function forgetSockets(database: Database, connectionIds: readonly string[]): Promise<void> {
  const [first, ...others] = connectionIds
  if (first === undefined) return
  const ended =
    others.length === 0 ? eq(sockets.connection_id, first) : inArray(sockets.connection_id, [...connectionIds])
  await (await database.session()).delete(sockets).where(ended)
}

/** A ticket opens a socket for this long. */
export const ticketSeconds = 60

const ticketForm = /^[\w-]{43}$/

/** Creates a ticket that opens one socket of this identity. Only its hash is stored. */
export async function issueTicket(database: Database, { subject, expiresAt }: SocketOwner): Promise<string> {
  const ticket = randomBytes(32).toString('base64url')
  await (await database.session()).insert(socketTickets).values({
    hash: hashTicket(ticket),
    identity: { subject, claims: {}, ...(expiresAt !== undefined && { expiresAt }) },
    expires_at: sql`now() + ${`${ticketSeconds} seconds`}::interval`,
  })
  return ticket
}

/**
 * Removes a ticket and stores the connection for its identity, both or neither. Returns false for a ticket that is unknown, used
 * or expired. The socket ends with the token that requested the ticket.
 */
export async function storeSocketByTicket(database: Database, connectionId: string, ticket: string): Promise<boolean> {
  if (!ticketForm.test(ticket)) return false
  const stored = await (await database.session()).execute(sql`
    with used as (
      delete from table_control.socket_tickets where hash = ${hashTicket(ticket)} and expires_at > now() returning identity
    )
    insert into table_control.sockets (connection_id, subject, expires_at)
    select ${connectionId}, identity ->> 'subject', ${socketEnd(sql`(identity ->> 'expiresAt')`)} from used
    on conflict (connection_id) do update set subject = excluded.subject, expires_at = excluded.expires_at
    returning connection_id`)
  return stored.length > 0
}

const hashTicket = (ticket: string): string => hash('sha256', ticket)

const maxSockets = 200
const closedAtOnce = 10

const expired = `select connection_id from table_control.sockets where expires_at <= now() order by expires_at limit ${maxSockets}`

/**
 * Closes sockets whose token has expired and forgets them, 200 at a time: pushes have left them out since that moment. One that
 * cannot be closed now is tried again by the next sweep. Returns how many are gone.
 */
export async function closeExpiredSockets({
  config,
  database,
}: {
  readonly config: Pick<Config, 'SOCKET_ENDPOINT'>
  readonly database: Database
}): Promise<number> {
  const ids = (await database.read(expired, [])).map(([id]) => String(id))
  if (ids.length === 0) return 0
  const { SOCKET_ENDPOINT } = config
  const disconnect = SOCKET_ENDPOINT === undefined ? undefined : await disconnectFrom(SOCKET_ENDPOINT)
  const closed: string[] = []
  for (let start = 0; start < ids.length; start += closedAtOnce) {
    const some = ids.slice(start, start + closedAtOnce)
    const gone = await Promise.all(some.map((id) => disconnect?.(id) ?? true))
    closed.push(...some.filter((_, index) => gone[index]))
  }
  await forgetSockets(database, closed)
  return closed.length
}
