import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda'
import { accessLogTime, newRequestId } from './gateway-event.ts'

/** The event that API Gateway's WebSocket API sends: headers and query with $connect, headers with $disconnect. */
export interface SocketEvent extends APIGatewayProxyWebsocketEventV2 {
  readonly headers?: Readonly<Record<string, string>>
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[]>>
}

/** The facts of a connection that its first request establishes. */
export interface Handshake {
  readonly stage: string
  readonly connectionId: string
  readonly connectedAt: number
  readonly domainName: string
  readonly sourceIp: string
  readonly userAgent: string
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly query: Readonly<Record<string, readonly string[]>>
}

/** The name of the stage, which is the path of every WebSocket, where no template gives another one. */
export const localStage = 'local'

type Lists = Readonly<Record<string, readonly string[]>>

export function readHandshake(request: IncomingMessage, stage: string): Handshake {
  const { rawHeaders, headers, socket, url = '/' } = request
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []))
  return {
    stage,
    connectionId: newRequestId(),
    connectedAt: Date.now(),
    domainName: headers.host ?? '127.0.0.1',
    sourceIp: socket.remoteAddress ?? '127.0.0.1',
    userAgent: headers['user-agent'] ?? '',
    headers: groupValues(pairs),
    query: groupValues([...new URL(url, 'ws://127.0.0.1').searchParams]),
  }
}

/** Header names stay as the client wrote them, as API Gateway hands them on. */
function groupValues(pairs: readonly (readonly [string, string])[]): Lists {
  const lists = new Map<string, string[]>()
  for (const [name, value] of pairs) lists.set(name, [...(lists.get(name) ?? []), value])
  return Object.fromEntries(lists)
}

/** Keeps the last value of a repeated name. */
const lastValues = (lists: Lists) =>
  Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, all.at(-1) ?? '']))

const multiValues = (lists: Lists) => Object.fromEntries(Object.entries(lists).map(([name, all]) => [name, [...all]]))

export function connectEvent(handshake: Handshake): SocketEvent {
  const { headers, query } = handshake
  return {
    headers: lastValues(headers),
    multiValueHeaders: multiValues(headers),
    ...(Object.keys(query).length > 0 && {
      queryStringParameters: lastValues(query),
      multiValueQueryStringParameters: multiValues(query),
    }),
    requestContext: createContext(handshake, '$connect', 'CONNECT'),
    isBase64Encoded: false,
  }
}

export const messageEvent = (handshake: Handshake, body: string, routeKey: string): SocketEvent => ({
  requestContext: { ...createContext(handshake, routeKey, 'MESSAGE'), messageId: newRequestId() },
  body,
  isBase64Encoded: false,
})

export function disconnectEvent(handshake: Handshake, code: number, reason: string): SocketEvent {
  const headers = { Host: [handshake.domainName], 'x-api-key': [''], 'x-restapi': [''] }
  const ended = { disconnectStatusCode: code, disconnectReason: reason }
  return {
    headers: lastValues(headers),
    multiValueHeaders: headers,
    requestContext: { ...createContext(handshake, '$disconnect', 'DISCONNECT'), ...ended },
    isBase64Encoded: false,
  }
}

type EventType = SocketEvent['requestContext']['eventType']

/** Only a message has a `messageId`, which the type wants for all. */
function createContext(handshake: Handshake, routeKey: string, eventType: EventType): SocketEvent['requestContext'] {
  const { stage, connectionId, connectedAt, domainName, sourceIp, userAgent } = handshake
  const now = Date.now()
  const context = {
    routeKey,
    eventType,
    stage,
    connectionId,
    connectedAt,
    domainName,
    apiId: 'local',
    messageDirection: 'IN' as const,
    identity: { sourceIp, userAgent },
    requestId: randomUUID(),
    extendedRequestId: newRequestId(),
    requestTime: accessLogTime(now),
    requestTimeEpoch: now,
  }
  return context as typeof context & { messageId: string }
}
