import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below what Linux, macOS and Windows give to outgoing connections and to servers that ask for any port: a port from
// here stays free until its owner listens, even when that takes seconds.
const minPort = 20_000
const maxPort = 32_000

/** Returns a TCP port of 127.0.0.1 that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(minPort, maxPort)
    if (await isFreePort(port)) return port
  }
}

/** Whether a server could listen on this port of 127.0.0.1 at this moment. */
export const isFreePort = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
