import assert from 'node:assert/strict'
import { connect } from 'node:net'

export interface HttpResponse {
  readonly status: number
  readonly body: Buffer
}

/** One kept-alive connection; one request at a time. */
export interface HttpConnection {
  /** Sends a request as it is written; the response must state its length or come in chunks. */
  readonly send: (request: string) => Promise<HttpResponse>
  readonly close: () => void
}

interface Head {
  readonly status: number
  readonly bodyStart: number
  /** Absent where the body comes in chunks. */
  readonly length?: number
}

/** The least that a client of HTTP can be, so that the load generator takes little of the machine that it measures. */
export async function openHttpConnection(port: number): Promise<HttpConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let chunks: Buffer[] = []
  let size = 0
  let head: Head | undefined
  let waiting: PromiseWithResolvers<HttpResponse> | undefined

  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    head ??= readHead(Buffer.concat(chunks))
    if (head === undefined || (head.length !== undefined && size < head.bodyStart + head.length)) return
    const received = Buffer.concat(chunks)
    const body = head.length === undefined ? readChunks(received, head.bodyStart) : received.subarray(head.bodyStart)
    if (body === undefined) return
    const response = { status: head.status, body }
    chunks = []
    size = 0
    head = undefined
    waiting?.resolve(response)
  })

  return {
    send: (request) => {
      waiting = Promise.withResolvers<HttpResponse>()
      socket.write(request)
      return waiting.promise
    },
    close: () => {
      waiting = undefined
      socket.destroy()
    },
  }
}

/** Sends one request over a connection of its own. Rejects unless its status is 200. */
export async function sendOnce(port: number, request: string): Promise<Buffer> {
  const connection = await openHttpConnection(port)
  const { status, body } = await connection.send(request)
  connection.close()
  assert.equal(status, 200, body.toString('utf8', 0, 500))
  return body
}

export type Coding = 'none' | 'br'

/** Writes a request of a caller as bytes of HTTP: a POST if it has a body, else a GET. */
export function requestText(
  { path, body }: { readonly path: string; readonly body?: object },
  caller: string,
  coding: Coding = 'none',
): string {
  const content = body === undefined ? '' : JSON.stringify(body)
  const head = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    'host: 127.0.0.1:3000',
    `authorization: Bearer ${caller}`,
    ...(coding === 'none' ? [] : [`accept-encoding: ${coding}`]),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(content)}`]),
  ]
  return `${head.join('\r\n')}\r\n\r\n${content}`
}

function readHead(received: Buffer): Head | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const text = received.toString('latin1', 0, end)
  const head = { status: Number(text.slice(9, 12)), bodyStart: end + 4 }
  if (/\r\ntransfer-encoding: *chunked/i.test(text)) return head
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1])
  if (Number.isNaN(length)) throw new Error('the response does not state its length')
  return { ...head, length }
}

/** Joins the chunks of a body; `undefined` while the last one is missing. */
function readChunks(received: Buffer, start: number): Buffer | undefined {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const end = received.indexOf('\r\n', at)
    if (end < 0) return undefined
    const length = Number.parseInt(received.toString('latin1', at, end), 16)
    const next = end + 2 + length + 2
    if (received.length < next) return undefined
    if (length === 0) return Buffer.concat(parts)
    parts.push(received.subarray(end + 2, end + 2 + length))
    at = next
  }
}
