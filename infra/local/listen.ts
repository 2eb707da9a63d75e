import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuseOtherSites } from './refuse-other-sites.ts'

export interface Listening {
  readonly url: string
  readonly port: number
  /** Resolves when the server has closed, whether stopped or of itself. */
  readonly ended: Promise<void>
  /** Refuses new connections and ends the open ones. */
  readonly stop: () => Promise<void>
}

/**
 * Opens a server on 127.0.0.1 for this machine alone, on a free port unless one is given. Rejects when the port is
 * taken.
 */
export const listen = (server: Server, port = 0): Promise<Listening> =>
  new Promise((resolve, reject) => {
    refuseOtherSites(server)
    server.once('error', reject)
    // With Node's five seconds, a busy client would now and then use a connection that is just being closed.
    server.keepAliveTimeout = 60_000
    server.listen(port, '127.0.0.1', () => {
      const { port: taken } = server.address() as AddressInfo
      const stop = () =>
        new Promise<void>((stopped) => {
          server.close(() => stopped())
          server.closeAllConnections()
        })
      const ended = new Promise<void>((closed) => server.once('close', closed))
      resolve({ ended, url: `http://127.0.0.1:${taken}`, port: taken, stop })
    })
  })
