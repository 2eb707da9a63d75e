import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import type { IncomingRequest } from '../auth/middleware.ts'
import type { Config } from '../config.ts'
import { forbidden, RequestError } from '../errors/request-error.ts'
import { authenticateRequest, withDeadline } from '../http/endpoint.ts'
import { respondAndLog } from '../http/respond-and-log.ts'
import { processService, type Service } from '../http/service.ts'
import { callerLanguage } from '../i18n/language.ts'
import { forgetSockets, storeSocket, storeSocketByTicket } from '../push/sockets.ts'
import type { Registry } from '../table/registry.ts'
import { beginInvocation, type Invocation } from '../telemetry/invocation.ts'
import { beginLog } from '../telemetry/log.ts'
import { replyTo, type SocketEvent } from './socket-reply.ts'

export type SocketHandler = (event: SocketEvent) => Promise<APIGatewayProxyStructuredResultV2>

/**
 * `$connect`: admits a client whose token passes the checks of an HTTP request, or who has a ticket, and stores the
 * connection before it opens. Any status but 200 refuses it.
 */
export const socketConnect =
  (registry: Registry, service: () => Service = processService): SocketHandler =>
  (event) => {
    const headers = socketHeaders(event)
    const invocation = beginInvocation('socketConnect', event.requestContext.requestId)
    return respondAndLog({ invocation, language: () => callerLanguage(headers) }, async () => {
      const running = beginSocketEvent(service(), invocation, 'connect')
      const response = connect(registry, running, event, headers, invocation)
      return await withDeadline(response, running.config.REQUEST_DEADLINE_MS)
    })
  }

/** Begins the log of a WebSocket event, and returns the service. */
function beginSocketEvent(service: Service, { facts }: Invocation, name: string): Service {
  beginLog(service.config)
  facts.route = `${service.config.SERVICE_NAME}.socket.${name}`
  return service
}

async function connect(
  registry: Registry,
  service: Service,
  event: SocketEvent,
  headers: Headers,
  invocation: Invocation,
): Promise<APIGatewayProxyStructuredResultV2> {
  const { config, database } = service
  checkOrigin(config, headers['origin'])
  const { connectionId } = event.requestContext
  const { authorization, ticket, protocol } = readCredentials(event, headers)
  if (ticket === undefined) {
    const request = socketRequest(config, event, headers, authorization)
    const { identity } = await authenticateRequest(registry, service, request, invocation)
    await storeSocket(database, connectionId, identity, config.SOCKETS_PER_CALLER)
  } else if (!(await storeSocketByTicket(database, connectionId, ticket, config.SOCKETS_PER_CALLER))) {
    throw new RequestError('unauthenticated')
  }
  return { statusCode: 200, ...(protocol !== undefined && { headers: { 'Sec-WebSocket-Protocol': protocol } }) }
}

/**
 * Browsers tell the origin of a page. Where origins are listed, no other page may connect; CORS does not guard
 * WebSockets.
 */
function checkOrigin({ ALLOWED_ORIGINS: allowed, EXPLORER, PUBLIC_URL }: Service['config'], origin?: string): void {
  if (origin === undefined || allowed.length === 0 || allowed.includes('*') || allowed.includes(origin)) return
  if (EXPLORER === 'on' && PUBLIC_URL !== undefined && new URL(PUBLIC_URL).origin === origin) return
  throw forbidden({ en: 'This origin is not allowed to connect', ar: 'غير مسموح بالاتصال من هذا الموقع' })
}

/** `$disconnect`: forgets the connection. The gateway does not promise to call it, so each connection also expires. */
export const socketDisconnect =
  (service: () => Service = processService): SocketHandler =>
  async ({ requestContext: { connectionId, requestId } }) => {
    const invocation = beginInvocation('socketDisconnect', requestId)
    await respondAndLog({ invocation, language: () => 'en' }, async () => {
      await forgetSockets(beginSocketEvent(service(), invocation, 'disconnect').database, [connectionId])
      return { statusCode: 200 }
    })
    return { statusCode: 200 }
  }

/** `ping`: replies with `pong`. Messages both ways keep a connection from being idle. */
export const socketPing =
  (service: () => Service = processService): SocketHandler =>
  async (event) => {
    const invocation = beginInvocation('socketPing', event.requestContext.requestId)
    await respondAndLog({ invocation, language: () => 'en' }, async () => {
      const { SOCKET_ENDPOINT } = beginSocketEvent(service(), invocation, 'ping').config
      if (SOCKET_ENDPOINT !== undefined) await replyTo(event, SOCKET_ENDPOINT, JSON.stringify({ event: 'pong' }))
      return { statusCode: 200 }
    })
    return { statusCode: 200 }
  }

type Headers = Readonly<Record<string, string | undefined>>

/** The headers of an event, names in lower case. */
const socketHeaders = ({ headers }: SocketEvent): Headers =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))

/** The credentials of a client: a token for the middlewares, or a ticket. */
interface Credentials {
  /** The `Authorization` header that the token stands for; the client's own where it sent the token there. */
  readonly authorization: string | undefined
  readonly ticket: string | undefined
  /** The subprotocol that brought the token; a client expects it in the response. */
  readonly protocol: string | undefined
}

/**
 * Where `$connect` looks for credentials, in this order: `Sec-WebSocket-Protocol: bearer, <token>`, the `Authorization`
 * header of clients that can set one, the query's `token`, its `ticket`.
 */
function readCredentials({ queryStringParameters }: SocketEvent, headers: Headers): Credentials {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim())
  const at = offered.findIndex((protocol) => protocol.toLowerCase() === 'bearer')
  if (at >= 0) return { authorization: `Bearer ${offered[at + 1] ?? ''}`, ticket: undefined, protocol: offered[at] }
  const token = queryStringParameters?.['token']
  const authorization = headers['authorization'] ?? (token === undefined ? undefined : `Bearer ${token}`)
  const ticket = authorization === undefined ? queryStringParameters?.['ticket'] : undefined
  return { authorization, ticket, protocol: undefined }
}

/** The request as the registry's middlewares see it: guard `socket`, no table. */
function socketRequest(
  { SERVICE_NAME }: Config,
  { requestContext }: SocketEvent,
  headers: Headers,
  authorization: string | undefined,
): IncomingRequest {
  const identity: unknown = Reflect.get(requestContext, 'identity')
  const sourceIp: unknown = typeof identity === 'object' && identity !== null ? Reflect.get(identity, 'sourceIp') : ''
  return {
    tableName: '',
    endpoint: `${SERVICE_NAME}.socket.connect`,
    guard: 'socket',
    method: 'GET',
    headers: { ...headers, authorization },
    sourceIp: String(sourceIp),
  }
}
