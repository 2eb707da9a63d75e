import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi'
import { onTestFinished } from 'vitest'
import { type ClientOptions, WebSocket } from 'ws'
import { localCredentials } from '../../../infra/local/local-account.ts'

export interface SocketClient {
  readonly socket: WebSocket
  /** The text of every message so far. */
  readonly received: readonly string[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

/** Opens a WebSocket until the test ends; rejects with `refused: <status>` when the server does not want it. */
export async function openSocket(
  url: string,
  protocols: readonly string[] = [],
  options: ClientOptions = {},
): Promise<SocketClient> {
  const socket = new WebSocket(url, [...protocols], options)
  onTestFinished(() => socket.terminate())
  const received: string[] = []
  socket.on('message', (data: Buffer) => received.push(data.toString()))
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  const refusal = new Promise<never>((_, reject) => {
    socket.once('unexpected-response', (request: ClientRequest, response: IncomingMessage) => {
      reject(new Error(`refused: ${response.statusCode}`))
      request.destroy()
    })
  })
  await Promise.race([once(socket, 'open'), refusal])
  return { socket, received, closed }
}

/** The management API at an endpoint, through the real SDK client, which does not try again. */
export function manageSockets(endpoint: string) {
  const client = new ApiGatewayManagementApiClient({ endpoint, maxAttempts: 1, ...localCredentials })
  onTestFinished(() => client.destroy())
  return {
    post: (ConnectionId: string, Data: string) => client.send(new PostToConnectionCommand({ ConnectionId, Data })),
    get: (ConnectionId: string) => client.send(new GetConnectionCommand({ ConnectionId })),
    remove: (ConnectionId: string) => client.send(new DeleteConnectionCommand({ ConnectionId })),
  }
}
