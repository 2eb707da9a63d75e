import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FlatHeaders } from './gateway-cors.ts'
import { type GatewayResponse, gatewayMessage, internalServerError } from './gateway-result.ts'

export const badRequest = gatewayMessage(400, 'Bad Request')
export const headTooLarge = gatewayMessage(431, 'Request Header Fields Too Large')

export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly cors: FlatHeaders
  readonly content: GatewayResponse
}

/** Sends the response, unless the client has gone. A header that HTTP does not allow makes it the gateway's 500. */
export function sendResponse(exchange: Exchange): void {
  const { request, response } = exchange
  if (response.destroyed) return
  // The rest of an unread body would be taken for the next request; closing instead could lose the response.
  if (!request.complete) request.resume()
  try {
    write(exchange)
  } catch {
    write({ ...exchange, content: internalServerError })
  }
}

function write({ request, response, requestId, cors, content: { status, headers, body } }: Exchange): void {
  const bodyless = status === 204 || status === 304
  const length = bodyless ? [] : ['content-length', String(Buffer.byteLength(body))]
  response.writeHead(status, [...headers, ...cors, ...length, 'apigw-requestid', requestId])
  response.end(bodyless || request.method === 'HEAD' ? undefined : body)
}

/** Answers what is not HTTP, or has a head far over the limit, and hangs up. */
export function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const { status, body } = error.code === 'HPE_HEADER_OVERFLOW' ? headTooLarge : badRequest
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\nconnection: close\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  )
}
