import { once } from 'node:events'
import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import * as z from 'zod'
import { atMost } from '../at-most.ts'
import { type Authorize, authorizeAll } from '../authorize.ts'
import { createFaults, type Faults } from '../faults.ts'
import { type FailureReport, invoke, type LocalFunction } from '../lambda/local-function.ts'
import { listen } from '../listen.ts'
import { localArn } from '../local-account.ts'
import { newRequestId } from './gateway-event.ts'
import { maxMessageBytes, type SocketConnection, superviseConnection } from './socket-connection.ts'
import {
  connectEvent,
  disconnectEvent,
  type Handshake,
  localStage,
  messageEvent,
  readHandshake,
  type SocketEvent,
} from './socket-event.ts'
import { manageSockets } from './socket-management.ts'

/** The functions behind a WebSocket API, by route key. */
export type SocketRoutes = Readonly<Record<string, LocalFunction<SocketEvent>>>

export interface SocketGatewayOptions {
  readonly routes: SocketRoutes
  /** The path of the WebSockets. Default: `local`. */
  readonly stage?: string
  /** The id of the API in ARNs. */
  readonly apiId?: string
  /** Decides who may push; default: everybody. */
  readonly authorize?: Authorize
  /** Default: a free port. */
  readonly port?: number
  /** API Gateway's 10 minutes and 2 hours, unless a test wants less. */
  readonly idleMs?: number
  readonly lifetimeMs?: number
  readonly onFailure?: FailureReport
}

export interface SocketGateway {
  /** URL that clients connect to. */
  readonly url: string
  /** URL that functions push to. */
  readonly managementEndpoint: string
  readonly connectionIds: () => readonly string[]
  readonly faults: Faults
  readonly ended: Promise<void>
  /** Closes every connection and waits up to a second for the functions that are notified of it. */
  readonly stop: () => Promise<void>
}

interface OpenGateway extends SocketGatewayOptions {
  readonly stage: string
  readonly server: WebSocketServer
  readonly connections: Map<string, SocketConnection>
  /** The subprotocol that $connect chose, for the response to the same request. */
  readonly protocols: WeakMap<IncomingMessage, string>
  /** Calls of functions that have not ended. */
  readonly running: Set<Promise<unknown>>
  /** Those of connections, and of clients that wait for a response to $connect. */
  readonly sockets: Set<Duplex>
}

/** API Gateway's limit for one call of a function. */
const integrationTimeoutMs = 29_000

const eventMessage = z.object({ event: z.string() })

const connectResult = z.object({
  statusCode: z.coerce.number().int().min(100).max(599),
  headers: z.record(z.string(), z.coerce.string()).nullish(),
})

/**
 * Serves Lambda handlers on 127.0.0.1 the way API Gateway's WebSocket API does: its events, its limits and its own
 * responses, and the management API with which functions push.
 */
export async function startSocketGateway(options: SocketGatewayOptions): Promise<SocketGateway> {
  const { stage = localStage, apiId = 'local', authorize = authorizeAll } = options
  const protocols = new WeakMap<IncomingMessage, string>()
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    handleProtocols: (_offered, request) => protocols.get(request) ?? false,
  })
  const gateway: OpenGateway = {
    ...options,
    stage,
    server,
    protocols,
    connections: new Map(),
    running: new Set(),
    sockets: new Set(),
  }
  const arn = localArn('execute-api', `${apiId}/${stage}`)
  const managed = { stage, arn, authorize, connections: gateway.connections, faults: createFaults() }
  const http = createServer((request, response) => {
    manageSockets(managed, request, response).catch(() => response.destroy())
  })
  http.on('upgrade', (request, tcp, head) => void openConnection(gateway, request, tcp, head))
  const { port, url, ended, stop } = await listen(http, options.port)
  return {
    url: `ws://127.0.0.1:${port}/${stage}`,
    managementEndpoint: `${url}/${stage}`,
    connectionIds: () => [...gateway.connections.keys()],
    faults: managed.faults,
    ended,
    stop: async () => {
      const closed = stop()
      const goodbyes = [...gateway.connections.values()].map(({ socket }) => once(socket, 'close'))
      for (const socket of gateway.sockets) socket.destroy()
      await Promise.all([closed, ...goodbyes])
      await atMost(1_000, Promise.all(gateway.running))
    },
  }
}

async function openConnection(gateway: OpenGateway, request: IncomingMessage, tcp: Duplex, head: Buffer) {
  // A client that leaves now is noticed when its connection is to be opened.
  tcp.on('error', () => tcp.destroy())
  gateway.sockets.add(tcp.once('close', () => gateway.sockets.delete(tcp)))
  const handshake = readHandshake(request, gateway.stage)
  if (request.url?.replace(/\?.*$/, '') !== `/${gateway.stage}`) return refuse(tcp, 403)
  const result = connectResult.safeParse(await call(gateway, '$connect', connectEvent(handshake)))
  if (!result.success) return refuse(tcp, 502)
  const { statusCode, headers } = result.data
  if (statusCode < 200 || statusCode > 299) return refuse(tcp, statusCode)
  const chosen = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'sec-websocket-protocol')
  if (chosen !== undefined) gateway.protocols.set(request, chosen[1])
  gateway.server.handleUpgrade(request, tcp, head, (socket) => admit(gateway, handshake, socket, tcp))
}

function admit(gateway: OpenGateway, handshake: Handshake, socket: WebSocket, tcp: Duplex): void {
  const { connectionId } = handshake
  const { connections, idleMs = 600_000, lifetimeMs = 7_200_000 } = gateway
  const receive = async (text: string) => {
    const routeKey = selectRoute(gateway.routes, text)
    const result = await call(gateway, routeKey, messageEvent(handshake, text, routeKey))
    if (result !== failed || socket.readyState !== socket.OPEN) return
    socket.send(JSON.stringify({ message: 'Internal server error', connectionId, requestId: newRequestId() }))
  }
  const connection = superviseConnection(
    { handshake, socket, tcp },
    { idleMs, lifetimeMs },
    (text) => void receive(text),
  )
  connections.set(connectionId, connection)
  socket.on('close', (code, reason) => {
    connections.delete(connectionId)
    void call(gateway, '$disconnect', disconnectEvent(handshake, code, reason.toString()))
  })
}

/** Returns the route that `$request.body.event` selects. */
function selectRoute(routes: SocketRoutes, text: string): string {
  try {
    const { event } = eventMessage.parse(JSON.parse(text))
    return event.startsWith('$') || !Object.hasOwn(routes, event) ? '$default' : event
  } catch {
    return '$default'
  }
}

const failed = Symbol('failed')

/** Returns the result of the function, or `failed`. Never rejects. */
function call({ routes, onFailure, running }: OpenGateway, routeKey: string, event: SocketEvent): Promise<unknown> {
  const target = routes[routeKey]
  if (target === undefined) return Promise.resolve(routeKey === '$default' ? failed : { statusCode: 200 })
  const called = invoke(target, event, integrationTimeoutMs).catch((error: unknown) => {
    onFailure?.(target.name, error)
    return failed
  })
  running.add(called)
  return called.finally(() => running.delete(called))
}

function refuse(tcp: Duplex, status: number): void {
  tcp.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}
