import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    asked: asked.promise,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
