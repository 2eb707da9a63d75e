import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../listen.ts'
import { demoUsers } from './demo-users.ts'
import { mintToken } from './mint-token.ts'
import type { SigningKey } from './signing-key.ts'

const keysPath = '/.well-known/jwks.json'
const usersPath = '/demo-users'

export interface IdentityProvider {
  readonly jwksUrl: string
  /** Lists demo users; `/<name>` below it is a token for one of them. */
  readonly demoUsersUrl: string
  readonly stop: () => Promise<void>
}

/**
 * Serves the public key where functions fetch it, and tokens for demo users to pages of `origins`, on `port` of
 * 127.0.0.1 (default: a free one). Pages of any other origin can read neither, nor those whose own name leads here.
 */
export async function startIdentityProvider(
  key: SigningKey,
  origins: readonly string[],
  port?: number,
): Promise<IdentityProvider> {
  const server = createServer((request, response) => {
    const { status, body } = createResponse(key, request)
    response.writeHead(status, { 'content-type': 'application/json', ...corsHeaders(request, origins) })
    response.end(body === undefined ? '' : JSON.stringify(body))
  })
  const { url, stop } = await listen(server, port)
  return { jwksUrl: `${url}${keysPath}`, demoUsersUrl: `${url}${usersPath}`, stop }
}

function createResponse(
  key: SigningKey,
  { url }: IncomingMessage,
): { readonly status: number; readonly body?: unknown } {
  if (url === keysPath) return { status: 200, body: { keys: [key.publicKey] } }
  if (url === usersPath) {
    return { status: 200, body: Object.entries(demoUsers).map(([name, { label }]) => ({ name, label })) }
  }
  const name = url?.startsWith(`${usersPath}/`) ? url.slice(usersPath.length + 1) : ''
  const user = Object.hasOwn(demoUsers, name) ? demoUsers[name] : undefined
  return user === undefined ? { status: 404 } : { status: 200, body: { token: mintToken(key, user) } }
}

function corsHeaders(
  { headers }: IncomingMessage,
  origins: readonly string[],
): Parameters<ServerResponse['writeHead']>[1] {
  const { origin } = headers
  return origin !== undefined && origins.includes(origin)
    ? { 'access-control-allow-origin': origin, vary: 'origin' }
    : {}
}
