import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SigningKey } from './signing-key.ts'

const path = '/.well-known/jwks.json'

export interface IdentityProvider {
  readonly jwksUrl: string
  readonly stop: () => Promise<void>
}

/** Serves the public key where functions fetch it, on a free port of 127.0.0.1. */
export function startIdentityProvider({ publicKey }: SigningKey): Promise<IdentityProvider> {
  const document = JSON.stringify({ keys: [publicKey] })
  const server = createServer((request, response) => {
    if (request.url === path) response.writeHead(200, { 'content-type': 'application/json' }).end(document)
    else response.writeHead(404).end()
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      const stop = () =>
        new Promise<void>((stopped) => {
          server.close(() => stopped())
          server.closeAllConnections()
        })
      resolve({ jwksUrl: `http://127.0.0.1:${port}${path}`, stop })
    })
  })
}
