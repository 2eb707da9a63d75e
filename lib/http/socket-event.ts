import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda'
import type { IncomingRequest } from '../auth/middleware.ts'
import type { Config } from '../config.ts'

/** An event of API Gateway's WebSocket API. Only `$connect` brings what its client sent along with the request. */
export interface SocketEvent extends APIGatewayProxyWebsocketEventV2 {
  /** Names as the client wrote them. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null
}

export type Headers = Readonly<Record<string, string | undefined>>

/** The headers of an event, names in lower case. */
export const socketHeaders = ({ headers }: SocketEvent): Headers =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))

/** What a client shows to be let in: a token for the middlewares, or a ticket. */
export interface Credentials {
  /** The `Authorization` header that the token stands for; the client's own where it sent the token there. */
  readonly authorization: string | undefined
  readonly ticket: string | undefined
  /** The subprotocol that brought the token; a client expects it in the answer. */
  readonly protocol: string | undefined
}

/**
 * Where `$connect` looks for credentials, in this order: `Sec-WebSocket-Protocol: bearer, <token>`, the `Authorization`
 * header of clients that can set one, the query's `token`, its `ticket`.
 */
export function readCredentials({ queryStringParameters }: SocketEvent, headers: Headers): Credentials {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim())
  const at = offered.findIndex((protocol) => protocol.toLowerCase() === 'bearer')
  if (at >= 0) return { authorization: `Bearer ${offered[at + 1] ?? ''}`, ticket: undefined, protocol: offered[at] }
  const token = queryStringParameters?.['token']
  const authorization = headers['authorization'] ?? (token === undefined ? undefined : `Bearer ${token}`)
  const ticket = authorization === undefined ? queryStringParameters?.['ticket'] : undefined
  return { authorization, ticket, protocol: undefined }
}

/** The request as the registry's middlewares see it: guard `socket`, no table. */
export function socketRequest(
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
