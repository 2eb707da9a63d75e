import { createServer } from 'node:net'

/** A TCP port of 127.0.0.1 that nothing listens on at this moment; whoever takes it must still expect to be second. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        typeof address === 'object' && address !== null
          ? resolve(address.port)
          : reject(new Error('The system gave no port of 127.0.0.1')),
      )
    })
  })
