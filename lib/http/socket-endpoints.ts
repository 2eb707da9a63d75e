import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import { fieldFault } from '../errors/field-fault.ts'
import { forbidden, RequestError, validationFailed } from '../errors/request-error.ts'
import { callerLanguage } from '../i18n/language.ts'
import { forgetSockets, storeSocket } from '../push/open-sockets.ts'
import { postTo } from '../push/post-to-connection.ts'
import { storeSocketByTicket } from '../push/socket-ticket.ts'
import type { Registry } from '../table/registry.ts'
import { authenticated } from './access-control.ts'
import { withDeadline } from './deadline.ts'
import { failed } from './envelope.ts'
import { readBody } from './incoming.ts'
import { logFailure } from './log.ts'
import { processService, type Service } from './service.ts'
import { type Headers, readCredentials, type SocketEvent, socketHeaders, socketRequest } from './socket-event.ts'

export type SocketHandler = (event: SocketEvent) => Promise<APIGatewayProxyStructuredResultV2>

/**
 * `$connect`: lets a client in by the checks of every HTTP request, or by a ticket that passed them, and knows the connection
 * before it is open. Any status but 200 refuses it.
 */
export const socketConnect =
  (registry: Registry, service: () => Service = processService): SocketHandler =>
  async (event) => {
    const headers = socketHeaders(event)
    const { requestId } = event.requestContext
    try {
      const running = service()
      return await withDeadline(connect(registry, running, event, headers), running.config.REQUEST_DEADLINE_MS)
    } catch (error) {
      logFailure(error, { requestId, route: 'socketConnect' })
      return failed(error, callerLanguage(headers), requestId)
    }
  }

async function connect(
  registry: Registry,
  { config, database, verifier }: Service,
  event: SocketEvent,
  headers: Headers,
): Promise<APIGatewayProxyStructuredResultV2> {
  checkOrigin(config.ALLOWED_ORIGINS, headers['origin'])
  const { connectionId } = event.requestContext
  const { authorization, ticket, protocol } = readCredentials(event, headers)
  if (ticket === undefined) {
    const request = socketRequest(config, event, headers, authorization)
    const { subject } = await authenticated(registry, verifier, request)
    await storeSocket(database, connectionId, subject)
  } else if (!(await storeSocketByTicket(database, connectionId, ticket))) throw new RequestError('unauthenticated')
  return { statusCode: 200, ...(protocol !== undefined && { headers: { 'Sec-WebSocket-Protocol': protocol } }) }
}

/** Browsers tell the origin of a page. Where origins are listed, no other page may connect; CORS does not guard WebSockets. */
function checkOrigin(allowed: readonly string[], origin: string | undefined): void {
  if (origin === undefined || allowed.length === 0 || allowed.includes('*') || allowed.includes(origin)) return
  throw forbidden({ en: 'This origin is not allowed to connect', ar: 'غير مسموح بالاتصال من هذا الموقع' })
}

/** `$disconnect`: forgets the connection. The gateway calls it at best, so that every row expires as well. */
export const socketDisconnect =
  (service: () => Service = processService): SocketHandler =>
  async ({ requestContext: { connectionId, requestId } }) => {
    try {
      await forgetSockets(service().database, [connectionId])
    } catch (error) {
      logFailure(error, { requestId, route: 'socketDisconnect' })
    }
    return { statusCode: 200 }
  }

/**
 * `$default`: clients need to say nothing. `{"event": "ping"}` is answered by `{"event": "pong"}`, which keeps a connection
 * from being idle; anything else by an `error` event in the shape of every failure.
 */
export const socketMessage =
  (service: () => Service = processService): SocketHandler =>
  async (event) => {
    const { connectionId, requestId } = event.requestContext
    try {
      const { SOCKET_ENDPOINT } = service().config
      if (SOCKET_ENDPOINT === undefined) return { statusCode: 200 }
      const post = await postTo(SOCKET_ENDPOINT)
      await post(connectionId, answerTo(event), AbortSignal.timeout(answerMs))
    } catch (error) {
      logFailure(error, { requestId, route: 'socketMessage' })
    }
    return { statusCode: 200 }
  }

const answerMs = 3_000

function answerTo({ body, isBase64Encoded, requestContext }: SocketEvent): string {
  try {
    const { event } = readBody({ body: body ?? '', headers: {}, isBase64Encoded })
    if (event === 'ping') return JSON.stringify({ event: 'pong' })
    throw validationFailed({ event: [fieldFault(event === undefined ? 'required' : 'not_an_option')] })
  } catch (error) {
    const failure: unknown = JSON.parse(failed(error, 'en', requestContext.requestId).body ?? '{}')
    return JSON.stringify({ event: 'error', ...Object(failure) })
  }
}
