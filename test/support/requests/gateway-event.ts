import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { type EndpointName, type MountedRoute, mountRoutes, type PageName } from '../../../lib/routes.ts'

export interface GatewayRequest {
  readonly method: string
  /** As a client sends it: percent-encoded, with the query behind `?`. */
  readonly path: string
  /** A string is sent as it is, bytes base64-encoded, anything else as JSON, `undefined` as no body. */
  readonly body?: unknown
  /** Several values of one header are one comma-joined value, as the gateway delivers them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sends the body base64-encoded, as the gateway does with what is not text. */
  readonly base64?: boolean
  readonly guards?: readonly string[]
}

export interface GatewayEvent {
  readonly event: APIGatewayProxyEventV2
  /** The endpoint that the gateway would call; `undefined` is its `$default` route. */
  readonly endpoint: EndpointName | PageName | undefined
}

const host = 'tables.example.test'

/**
 * The event that an HTTP API makes of a request (payload format 2.0): the path arrives decoded and cut at a decoded
 * `?`, repeated query values are joined by commas, cookies stand apart from the headers.
 */
export function gatewayEvent(request: GatewayRequest): GatewayEvent {
  const target = new URL(request.path, `https://${host}`)
  const rawPath = decodeURIComponent(target.pathname).split('?')[0] ?? ''
  const { route, routeKey, pathParameters } = matchRoute(request.method, rawPath, request.guards ?? ['api', 'web'])
  const { cookie, ...headers } = lowerCased(request.headers ?? {})
  const query = joinedQuery(target.searchParams)
  const event: APIGatewayProxyEventV2 = {
    version: '2.0',
    routeKey,
    rawPath,
    rawQueryString: target.search.slice(1),
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*/) }),
    headers: { host, 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', ...headers },
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    ...(pathParameters !== undefined && { pathParameters }),
    requestContext: requestContext(request.method, rawPath, routeKey, headers['user-agent'] ?? ''),
    ...readBody(request),
  }
  return { event, endpoint: route?.name }
}

interface RouteMatch {
  readonly route?: MountedRoute['route']
  readonly routeKey: string
  readonly pathParameters?: Record<string, string>
}

interface RoutePattern {
  readonly route: MountedRoute['route']
  readonly routeKey: string
  readonly method: string
  /** The segments of the path, and the names of those that are parameters. */
  readonly segments: readonly { readonly text: string; readonly name: string | undefined }[]
}

const patternsOfGuards = new Map<string, readonly RoutePattern[]>()

/** Returns the routes of these guards, which most requests of a process share. */
function findPatterns(guards: readonly string[]): readonly RoutePattern[] {
  const key = guards.join()
  const patterns = patternsOfGuards.get(key) ?? mountRoutes(guards).map(createPattern)
  patternsOfGuards.set(key, patterns)
  return patterns
}

function createPattern({ route, routeKey }: MountedRoute): RoutePattern {
  const [method = '', template = ''] = routeKey.split(' ')
  const segments = template.split('/').map((text) => ({ text, name: /^\{(\w+)\}$/.exec(text)?.[1] }))
  return { route, routeKey, method, segments }
}

function matchRoute(method: string, path: string, guards: readonly string[]): RouteMatch {
  const parts = path.split('/')
  for (const pattern of findPatterns(guards)) {
    const pathParameters = pattern.method === method ? matchPath(pattern.segments, parts) : undefined
    if (pathParameters !== undefined) return { route: pattern.route, routeKey: pattern.routeKey, pathParameters }
  }
  return { routeKey: '$default' }
}

function matchPath(expected: RoutePattern['segments'], actual: readonly string[]): Record<string, string> | undefined {
  if (expected.length !== actual.length) return undefined
  const parameters: Record<string, string> = {}
  for (const [index, { text, name }] of expected.entries()) {
    const value = actual[index] ?? ''
    if (name === undefined ? text !== value : value === '') return undefined
    if (name !== undefined) parameters[name] = value
  }
  return parameters
}

const lowerCased = (headers: Readonly<Record<string, string>>): Partial<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const joinedQuery = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join(',')]))

function readBody({ body, base64 = false }: GatewayRequest): Pick<APIGatewayProxyEventV2, 'body' | 'isBase64Encoded'> {
  if (body === undefined) return { isBase64Encoded: false }
  if (body instanceof Uint8Array) return { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { body: base64 ? Buffer.from(text).toString('base64') : text, isBase64Encoded: base64 }
}

function requestContext(
  method: string,
  path: string,
  routeKey: string,
  userAgent: string,
): APIGatewayProxyEventV2['requestContext'] {
  const now = new Date()
  return {
    accountId: '000000000000',
    apiId: 'test',
    domainName: host,
    domainPrefix: 'tables',
    http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent },
    requestId: randomUUID(),
    routeKey,
    stage: '$default',
    time: now.toISOString(),
    timeEpoch: now.getTime(),
  }
}
