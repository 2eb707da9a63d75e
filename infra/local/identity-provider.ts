import { createServer } from 'node:http'
import { listen } from './listen.ts'
import type { SigningKey } from './signing-key.ts'

const path = '/.well-known/jwks.json'

export interface IdentityProvider {
  readonly jwksUrl: string
  readonly stop: () => Promise<void>
}

/** Serves the public key where functions fetch it, on a free port of 127.0.0.1. */
export async function startIdentityProvider({ publicKey }: SigningKey): Promise<IdentityProvider> {
  const document = JSON.stringify({ keys: [publicKey] })
  const server = createServer((request, response) => {
    if (request.url === path) response.writeHead(200, { 'content-type': 'application/json' }).end(document)
    else response.writeHead(404).end()
  })
  const { url, stop } = await listen(server)
  return { jwksUrl: `${url}${path}`, stop }
}
