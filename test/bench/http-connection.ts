import { connect } from 'node:net'

export interface HttpAnswer {
  readonly status: number
  readonly body: Buffer
}

/** One kept-alive connection; one request at a time. */
export interface HttpConnection {
  /** Sends a request as it is written; the answer must state its length. */
  readonly send: (request: string) => Promise<HttpAnswer>
  readonly close: () => void
}

/** The least that a client of HTTP can be, so that the load generator takes little of the machine that it measures. */
export async function openHttpConnection(port: number): Promise<HttpConnection> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let chunks: Buffer[] = []
  let missing = Number.NaN
  let status = 0
  let bodyStart = 0
  let waiting: PromiseWithResolvers<HttpAnswer> | undefined

  socket.on('error', (error) => waiting?.reject(error))
  socket.on('close', () => waiting?.reject(new Error('the server closed the connection')))
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    if (Number.isNaN(missing)) readHead(Buffer.concat(chunks))
    else missing -= chunk.length
    if (missing > 0 || Number.isNaN(missing)) return
    const answer = { status, body: Buffer.concat(chunks).subarray(bodyStart) }
    chunks = []
    missing = Number.NaN
    waiting?.resolve(answer)
  })

  function readHead(received: Buffer): void {
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return
    const head = received.toString('latin1', 0, end)
    status = Number(head.slice(9, 12))
    bodyStart = end + 4
    missing = bodyStart + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]) - received.length
    if (Number.isNaN(missing)) throw new Error('the answer does not state its length')
  }

  return {
    send: (request) => {
      waiting = Promise.withResolvers<HttpAnswer>()
      socket.write(request)
      return waiting.promise
    },
    close: () => {
      waiting = undefined
      socket.destroy()
    },
  }
}
