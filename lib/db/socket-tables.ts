import { index, jsonb, text } from 'drizzle-orm/pg-core'
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
  },
  (socket) => [index('sockets_by_subject').on(socket.subject), index('sockets_by_expiry').on(socket.expires_at)],
)

/** One-use tickets that open a WebSocket; a ticket's row goes with its use. Only a hash of the ticket is kept. */
export const socketTickets = service.table('socket_tickets', {
  hash: text().primaryKey(),
  identity: jsonb().$type<StoredIdentity>().notNull(),
  expires_at: moment().notNull(),
})
