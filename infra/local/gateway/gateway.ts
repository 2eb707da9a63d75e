import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CorsPolicy } from '../../../lib/http/cors.ts'
import { type LocalFunction, lambdaContext, TooManyRequests } from '../lambda/local-function.ts'
import { readBody } from './gateway-body.ts'
import { type Cors, compileCors } from './gateway-cors.ts'
import { gatewayEvent, newRequestId, requestTarget } from './gateway-event.ts'
import { badRequest, headTooLarge, refuseMalformed, sendResponse } from './gateway-response.ts'
import { type GatewayResponse, gatewayMessage, internalServerError, readResult } from './gateway-result.ts'
import { compileRouter, type Router } from './gateway-router.ts'

export interface GatewayOptions {
  /** Functions by route key, such as `POST /query-table/{tableName}`. */
  readonly routes: ReadonlyMap<string, LocalFunction>
  /** Behind the route `$default`, which takes what no other route matches. Without one, that is the gateway's 404. */
  readonly fallback?: LocalFunction | undefined
  readonly cors?: CorsPolicy | undefined
  /** 0, or none: a free one. */
  readonly port?: number
  /** API Gateway's 30 seconds, unless a test wants less. */
  readonly integrationTimeoutMs?: number
  /** Receives what a function threw, of which the client sees nothing. */
  readonly onFailure?: (functionName: string, error: unknown) => void
}

export interface Gateway {
  readonly url: string
  readonly port: number
  /** Refuses new requests, lets those under way finish for up to a second, then closes every connection. */
  readonly stop: () => Promise<void>
}

interface CompiledGateway extends GatewayOptions {
  readonly router: Router<LocalFunction>
  readonly compiledCors: Cors | undefined
  readonly timeoutMs: number
}

/** The request line and all headers together, in bytes. */
const maxHeadBytes = 10_240

/** The default is 511: with more connections at once, a client waits for a second or more until it tries again. */
const maxWaitingConnections = 4_096

const notFound = gatewayMessage(404, 'Not Found')
const bodyTooLarge = gatewayMessage(413, 'Request Entity Too Large')
const preflightResponse: GatewayResponse = { status: 204, headers: [], body: '' }
const serviceUnavailable = gatewayMessage(503, 'Service Unavailable')

/**
 * Serves Lambda handlers on 127.0.0.1 the way API Gateway's HTTP API does (payload format 2.0): its routing, its limits
 * of size and time, its CORS and its own error responses. Rejects when the port is taken.
 */
export function startGateway(options: GatewayOptions): Promise<Gateway> {
  const compiled: CompiledGateway = {
    ...options,
    router: compileRouter(options.routes),
    compiledCors: compileCors(options.cors),
    timeoutMs: options.integrationTimeoutMs ?? 30_000,
  }
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void handleRequest(compiled, request, response)
  })
  server.on('clientError', refuseMalformed)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: options.port ?? 0, host: '127.0.0.1', backlog: maxWaitingConnections }, () => {
      const { port } = server.address() as AddressInfo
      const stop = () =>
        new Promise<void>((stopped) => {
          server.close(() => stopped())
          server.closeIdleConnections()
          setTimeout(() => server.closeAllConnections(), 1_000).unref()
        })
      resolve({ url: `http://127.0.0.1:${port}`, port, stop })
    })
  })
}

async function handleRequest(
  gateway: CompiledGateway,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = newRequestId()
  const method = request.method ?? 'GET'
  const preflight = gateway.compiledCors?.preflight(method, request.headers)
  const cors = preflight ?? gateway.compiledCors?.createHeaders(request.headers.origin) ?? []
  const content = preflight === undefined ? await dispatch(gateway, request, method, requestId) : preflightResponse
  sendResponse({ request, response, requestId, cors, content })
}

async function dispatch(
  gateway: CompiledGateway,
  request: IncomingMessage,
  method: string,
  requestId: string,
): Promise<GatewayResponse> {
  if (headSize(request) > maxHeadBytes) return headTooLarge
  const target = requestTarget(request.url ?? '/')
  if (target === undefined) return badRequest
  const match = gateway.router(method, target.path)
  const called = match?.route.target ?? gateway.fallback
  if (called === undefined) return notFound
  // Before the body is read, because a refusal must cost little while there are many.
  if (called.isBusy?.() === true) return serviceUnavailable
  const body = await readBody(request)
  if (body === 'too large') return bodyTooLarge
  if (body === 'aborted') return badRequest
  const { routeKey, parameters } = match?.route ?? { routeKey: '$default', parameters: [] }
  const values = match?.values ?? []
  const event = gatewayEvent({ request, method, target, routeKey, parameters, values, body, requestId })
  // Lambda takes 6 MB of event; only a body of this length can bring it there.
  if (body !== undefined && body.length > 1_000_000 && Buffer.byteLength(JSON.stringify(event)) > 6_291_456)
    return bodyTooLarge
  return invoke(gateway, called, event)
}

function invoke(gateway: CompiledGateway, called: LocalFunction, event: Parameters<LocalFunction['handler']>[0]) {
  return new Promise<GatewayResponse>((resolve) => {
    const context = lambdaContext(called.name, randomUUID(), Date.now() + gateway.timeoutMs)
    // As in Lambda, the function itself runs on.
    const timeout = setTimeout(() => resolve(serviceUnavailable), gateway.timeoutMs)
    const reportFailure = (error: unknown) => {
      gateway.onFailure?.(called.name, error)
      // API Gateway reports a throttled function as unavailable.
      resolve(error instanceof TooManyRequests ? serviceUnavailable : internalServerError)
    }
    const run = async () => readResult(await called.handler(event, context), gateway.compiledCors !== undefined)
    run()
      .then(resolve)
      .catch(reportFailure)
      .finally(() => clearTimeout(timeout))
  })
}

function headSize({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  let size = method.length + url.length + ' HTTP/1.1\r\n'.length + 1
  // Every name is followed by ": ", every value by a line break.
  for (const part of rawHeaders) size += part.length + 2
  return size
}
