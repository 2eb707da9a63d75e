import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTokenVerifier } from '../../../lib/auth/token-verifier.ts'
import { bindPort } from '../../support/network/bind-port.ts'
import { audience, claims, issuer, outcome, rejection } from './scripted-issuer.ts'
import { createJwks, createTestKey } from './signing-key.ts'

const key = createTestKey('key-1')
const jwks = createJwks(key)
const soon = Math.floor(Date.now() / 1_000)

let server: Server
let respond: RequestListener
let paths: string[]

beforeEach(async () => {
  paths = []
  server = createServer((request, response) => {
    paths.push(request.url ?? '')
    respond(request, response)
  })
  await bindPort(server)
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function verifierOverHttp(port = (server.address() as AddressInfo).port) {
  return createTokenVerifier({
    JWT_ISSUER: issuer,
    JWT_AUDIENCE: [audience],
    JWKS_URL: `http://127.0.0.1:${port}/.well-known/jwks.json`,
    COGNITO_TOKEN_USE: 'access',
  })
}

it('reads the keys over http on this machine, once for many tokens', async () => {
  respond = (_request, response) => response.end(jwks)
  const verifier = verifierOverHttp()
  expect(await outcome(verifier, key.token(claims({}, soon)))).toBe('ok')
  expect(await outcome(verifier, key.token(claims({ second: true }, soon)))).toBe('ok')
  expect(paths).toEqual(['/.well-known/jwks.json'])
})

it.each<[string, RequestListener]>([
  ['fails with 500', (_request, response) => response.writeHead(500).end(jwks)],
  ['is not found', (_request, response) => response.writeHead(404).end(jwks)],
  [
    'redirects, which is not followed',
    (_request, response) => response.writeHead(302, { location: '/other' }).end(jwks),
  ],
  ['is empty', (_request, response) => response.end()],
  ['is cut off', (_request, response) => response.writeHead(200, { 'content-length': '99999' }).end(jwks)],
  ['is reset', (request) => request.socket.destroy()],
  ['is no UTF-8', (_request, response) => response.end(Buffer.from([0xff, 0xfe, 0x7b]))],
  ['is 1 MB', (_request, response) => response.end(`${jwks}${' '.repeat(1_048_576)}`)],
  ['never answers', () => undefined],
  ['never ends', (_request, response) => response.write(jwks.slice(0, 20))],
])('answers 503 when the JWKS %s', async (_name, listener) => {
  respond = listener
  expect(await outcome(verifierOverHttp(), key.token(claims({}, soon)))).toBe('unavailable')
  expect(paths).toEqual(['/.well-known/jwks.json'])
})

it('stops reading a JWKS that never ends at 64 KB', async () => {
  let sent = 0
  respond = (_request, response) => {
    const write = () => {
      if (response.destroyed) return
      sent += 16_384
      response.write(' '.repeat(16_384), () => setImmediate(write))
    }
    write()
  }
  expect(await outcome(verifierOverHttp(), key.token(claims({}, soon)))).toBe('unavailable')
  expect(sent).toBeLessThan(64 * 1_048_576)
})

it('refuses a JWKS that is larger than 64 KB before it has arrived', async () => {
  respond = (_request, response) => void response.write(' '.repeat(100_000))
  const { cause } = await rejection(verifierOverHttp(), key.token(claims({}, soon)))
  expect(cause).toMatchObject({ cause: { message: 'the JWKS is larger than 65536 bytes' } })
})

it('answers 503 when no server listens', async () => {
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  expect(await outcome(verifierOverHttp(port), key.token(claims({}, soon)))).toBe('unavailable')
})
