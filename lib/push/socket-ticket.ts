import { hash, randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { socketTickets } from '../db/service-tables.ts'
import { type SocketOwner, socketEnd } from './open-sockets.ts'

/** How long a ticket opens a socket. */
export const ticketSeconds = 60

const ticketForm = /^[\w-]{43}$/

/** Makes a ticket that opens one socket of this identity. Only its hash is kept. */
export async function issueTicket(database: Database, { subject, expiresAt }: SocketOwner): Promise<string> {
  const ticket = randomBytes(32).toString('base64url')
  await (await database.session()).insert(socketTickets).values({
    hash: hashOf(ticket),
    identity: { subject, claims: {}, ...(expiresAt !== undefined && { expiresAt }) },
    expires_at: sql`now() + ${`${ticketSeconds} seconds`}::interval`,
  })
  return ticket
}

/**
 * Uses a ticket up and stores the connection for its identity, both or neither. False for a ticket that is unknown, used
 * or expired. The socket ends with the token that the ticket was made for.
 */
export async function storeSocketByTicket(database: Database, connectionId: string, ticket: string): Promise<boolean> {
  if (!ticketForm.test(ticket)) return false
  const stored = await (await database.session()).execute(sql`
    with used as (
      delete from table_control.socket_tickets where hash = ${hashOf(ticket)} and expires_at > now() returning identity
    )
    insert into table_control.sockets (connection_id, subject, expires_at)
    select ${connectionId}, identity ->> 'subject', ${socketEnd(sql`(identity ->> 'expiresAt')`)} from used
    on conflict (connection_id) do update set subject = excluded.subject, expires_at = excluded.expires_at
    returning connection_id`)
  return stored.length > 0
}

const hashOf = (ticket: string): string => hash('sha256', ticket)
