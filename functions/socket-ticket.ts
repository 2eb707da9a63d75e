import { callerEndpoint, socketTicket } from '#lib'
import { registry } from '#tables'

/** POST socket-ticket: a ticket that opens one WebSocket. */
export const handler = callerEndpoint(registry, { name: 'socketTicket', run: socketTicket })
