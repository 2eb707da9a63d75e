import { createServer, request } from 'node:http'
import { listen } from '../../infra/local/listen.ts'

export interface HangingStorage {
  readonly endpoint: string
  /** Resolves with the first request: it is never answered. */
  readonly asked: Promise<void>
  readonly stop: () => Promise<void>
}

/** An S3 that accepts connections and requests, and answers none of them. */
export async function startHangingStorage(): Promise<HangingStorage> {
  const asked = Promise.withResolvers<void>()
  const server = createServer(() => asked.resolve())
  const { url: endpoint, stop } = await listen(server)
  return { endpoint, asked: asked.promise, stop }
}

/** An S3 in front of another one that does `work` before it takes a file. `taken` resolves after the first one. */
export async function startInterruptedStorage(endpoint: string, work: () => Promise<unknown>) {
  const taken = Promise.withResolvers<void>()
  const server = createServer(async (asked, response) => {
    if (asked.method === 'PUT') await work()
    const { method, headers, url } = asked
    const forwarded = request(new URL(String(url), endpoint), { method, headers }, (answered) => {
      response.writeHead(answered.statusCode ?? 500, answered.headers)
      answered.pipe(response)
      if (method === 'PUT') answered.on('end', () => taken.resolve())
    })
    asked.pipe(forwarded)
  })
  const { url, stop } = await listen(server)
  return { endpoint: url, taken: taken.promise, stop }
}
