import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type Authorize, readAccessKey } from '../authorize.ts'
import { applyFault, type DueFault, type Faults } from '../faults.ts'
import { maxMessageBytes, type SocketConnection } from './socket-connection.ts'

export interface ManagedSockets {
  readonly stage: string
  readonly authorize: Authorize
  /** The ARN of the stage. */
  readonly arn: string
  readonly connections: ReadonlyMap<string, SocketConnection>
  readonly faults: Faults
}

type Refuse = (status: number, type: string, message?: string) => void

/** The management API: POST, GET and DELETE `/{stage}/@connections/{id}`, besides `/faults` of our own. */
export async function manageSockets(
  { stage, arn, authorize, connections, faults }: ManagedSockets,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url = '', headers } = request
  const body = await buffer(request)
  const refuse: Refuse = (status, type, message) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type })
    response.end(message === undefined ? undefined : JSON.stringify({ message }))
  }
  if (url === '/faults') {
    const [status, text] = faults.control(method, body.toString())
    response.writeHead(status).end(text)
    return
  }
  const id = parseConnectionId(stage, url)
  const signed = /^AWS4-HMAC-SHA256 .*\/execute-api\/aws4_request/.test(headers.authorization ?? '')
  if (id === undefined || !signed) return refuse(403, 'ForbiddenException', 'Forbidden')
  const resources = [`${arn}/${method}/@connections/${id}`]
  const asked = {
    accessKeyId: readAccessKey(headers.authorization),
    action: 'execute-api:ManageConnections',
    resources,
  }
  if (!authorize(asked)) return refuse(403, 'ForbiddenException', 'User is not authorized to perform this')
  const due = faults.take({ connection: id })
  const fail = ({ code = 'LimitExceededException', status = 429, message }: DueFault) => refuse(status, code, message)
  if (due?.when === 'before' && (await applyFault(due, response, () => fail(due)))) return
  const outcome = await act(connections.get(id), method, body)
  if (due?.when === 'after' && (await applyFault(due, response, () => fail(due)))) return
  const [status, type, content] = outcome
  if (type === undefined) response.writeHead(status, { 'content-type': 'application/json' }).end(content)
  else refuse(status, type, content)
}

const parseConnectionId = (stage: string, url: string) => {
  const [, id] = new RegExp(`^/${stage}/(?:@|%40)connections/([^/?]+)$`).exec(url) ?? []
  return id && decodeURIComponent(id)
}

type ManagementResponse = readonly [status: number, errorType?: string | undefined, content?: string]

const gone: ManagementResponse = [410, 'GoneException']

async function act(connection: SocketConnection | undefined, method = '', body: Buffer): Promise<ManagementResponse> {
  if (method === 'POST' && body.length > maxMessageBytes) return [413, 'PayloadTooLargeException', 'Payload Too Large']
  if (connection === undefined || connection.socket.readyState !== connection.socket.OPEN) return gone
  const { socket, handshake, lastActiveAt, touch } = connection
  if (method === 'DELETE') {
    socket.close(1000, 'Connection closed by the service')
    return [204]
  }
  if (method === 'GET') {
    const { connectedAt, sourceIp, userAgent } = handshake
    const times = { connectedAt: iso(connectedAt), lastActiveAt: iso(lastActiveAt()) }
    return [200, undefined, JSON.stringify({ ...times, identity: { sourceIp, userAgent } })]
  }
  if (method !== 'POST') return [403, 'ForbiddenException', 'Forbidden']
  touch()
  return new Promise((resolve) => socket.send(body, { binary: false }, (error) => resolve(error ? gone : [200])))
}

const iso = (time: number) => new Date(time).toISOString()
