import { RequestError } from '../errors/request-error.ts'
import { issueTicket, ticketSeconds } from '../push/sockets.ts'
import type { CallerRequest, Payload } from './table-request.ts'

/**
 * A ticket that opens one WebSocket of the caller within a minute, and the URL that it opens. 404 without WebSockets.
 */
export async function socketTicket({ config, database, identity }: CallerRequest): Promise<Payload> {
  if (config.SOCKET_URL === undefined) throw new RequestError('route_not_found', {}, { text: noSockets })
  const ticket = await issueTicket(database, identity, config.SOCKETS_PER_CALLER)
  return { ticket, url: `${config.SOCKET_URL}?ticket=${ticket}`, expires_in: ticketSeconds }
}

const noSockets = { en: 'This service has no WebSocket', ar: 'لا تتوفر في هذه الخدمة قناة WebSocket' }
