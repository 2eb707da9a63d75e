import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, json, jsonb, primaryKey, text } from 'drizzle-orm/pg-core'
import type { StoredIdentity } from '../auth/identity.ts'
import { createdAt, moment, service } from './service-schema.ts'

/** Open WebSockets by the identity that opened them. */
export const sockets = service.table(
  'sockets',
  {
    connection_id: text().primaryKey(),
    subject: text().notNull(),
    connected_at: createdAt(),
    expires_at: moment().notNull(),
    identity: jsonb().$type<StoredIdentity>(),
  },
  (socket) => [index('sockets_by_subject').on(socket.subject), index('sockets_by_expiry').on(socket.expires_at)],
)

/** One-use tickets that open a WebSocket; a ticket's row goes with its use. Only a hash of the ticket is kept. */
export const socketTickets = service.table(
  'socket_tickets',
  {
    hash: text().primaryKey(),
    identity: jsonb().$type<StoredIdentity>().notNull(),
    expires_at: moment().notNull(),
  },
  (ticket) => [
    index('socket_tickets_by_subject').on(sql`(identity ->> 'subject')`, ticket.expires_at),
    index('socket_tickets_by_expiry').on(ticket.expires_at),
  ],
)

/** Pages that WebSockets watch. They end with their socket. */
export const subscriptions = service.table(
  'subscriptions',
  {
    connection_id: text()
      .notNull()
      .references(() => sockets.connection_id, { onDelete: 'cascade' }),
    /** The client's name for it, unique within the connection. */
    id: text().notNull(),
    table_name: text().notNull(),
    identity: jsonb().$type<StoredIdentity>().notNull(),
    guard: text().notNull(),
    language: text({ enum: ['en', 'ar'] }).notNull(),
    base_url: text().notNull(),
    /** The query, sealed for the service alone. */
    query: text().notNull(),
    /** The ids and digests of the rows that the client knows; null if that is not known. */
    shown: json().$type<readonly (readonly [id: string | number, digest: string])[]>(),
    /** The number of the last message. */
    seq: integer().notNull().default(0),
    /** When the next message may be sent. */
    sent_at: moment(),
    /** How many messages were sent with the last change. */
    sent_count: integer().notNull().default(0),
    /** A change waits because too many messages were sent. */
    is_held: boolean().notNull().default(false),
    created_at: createdAt(),
    expires_at: moment().notNull(),
  },
  (one) => [
    primaryKey({ columns: [one.connection_id, one.id] }),
    index('subscriptions_by_table').on(one.table_name),
    index('subscriptions_by_expiry').on(one.expires_at),
  ],
)

/** Changes of watched tables, until they were sent to their watchers. */
export const rowEvents = service.table(
  'row_events',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    table_name: text().notNull(),
    /** The only connection to notify; null for all. */
    connection_id: text(),
    /** The table was emptied by TRUNCATE. */
    is_truncate: boolean().notNull().default(false),
    created_at: createdAt(),
    due_at: moment().notNull().default(sql`now()`),
    /** Until then another worker notifies the watchers. */
    claimed_until: moment(),
  },
  (event) => [index('row_events_by_table').on(event.table_name, event.due_at)],
)

/** Watched tables whose changes by other programs a message of the queue looks for, again and again. */
export const rowPolls = service.table('row_polls', {
  table_name: text().primaryKey(),
  /** The number of the only message that goes on. */
  number: integer().notNull().default(1),
  /** When that message is due. */
  due_at: moment().notNull(),
})
