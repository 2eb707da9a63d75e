import { randomFillSync, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'

type StringMap = Record<string, string>

export interface RequestTarget {
  /** Decoded, and cut at a decoded `?`: what API Gateway routes by and hands on. */
  readonly path: string
  /** As it was sent. */
  readonly query: string
}

/** Splits and decodes the request's target; undefined for one that is no valid percent-encoding. */
export function requestTarget(url: string): RequestTarget | undefined {
  const mark = url.indexOf('?')
  const encoded = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark + 1)
  if (!encoded.includes('%')) return { path: encoded, query }
  try {
    const decoded = decodeURIComponent(encoded)
    const cut = decoded.indexOf('?')
    return { path: cut === -1 ? decoded : decoded.slice(0, cut), query }
  } catch {
    return undefined
  }
}

export interface EventParts {
  readonly request: IncomingMessage
  readonly method: string
  readonly target: RequestTarget
  readonly routeKey: string
  readonly parameters: readonly string[]
  readonly values: readonly string[]
  readonly body: Buffer | undefined
  readonly requestId: string
}

const idBytes = 11
const entropy = Buffer.alloc(idBytes * 256)
let used = entropy.length

/**
 * A request id in the form of API Gateway's. Asking for randomness costs more than all else here, so it is asked for in
 * bulk.
 */
export function newRequestId(): string {
  if (used === entropy.length) {
    randomFillSync(entropy)
    used = 0
  }
  used += idBytes
  return entropy.toString('base64', used - idBytes, used)
}

/** The event of payload format 2.0, as API Gateway's HTTP API hands it to a function. */
export function gatewayEvent(parts: EventParts): APIGatewayProxyEventV2 {
  const { request, target, routeKey, parameters, values } = parts
  const { headers, cookies } = readHeaders(request)
  const event: APIGatewayProxyEventV2 = {
    version: '2.0',
    routeKey,
    rawPath: target.path,
    rawQueryString: target.query,
    headers,
    requestContext: requestContext(parts, headers),
    isBase64Encoded: false,
  }
  if (cookies !== undefined) event.cookies = cookies
  if (target.query !== '') event.queryStringParameters = readQuery(target.query)
  if (values.length > 0) event.pathParameters = pathParameters(parameters, values)
  if (parts.body !== undefined && parts.body.length > 0) addBody(event, parts.body, headers)
  return event
}

function pathParameters(names: readonly string[], values: readonly string[]): StringMap {
  const parameters: StringMap = {}
  for (const [index, name] of names.entries()) parameters[name] = values[index] ?? ''
  return parameters
}

/**
 * Repeated names are joined by a comma. A name such as `__proto__` becomes a key like any other, as JSON would make it.
 */
function join(into: StringMap, name: string, value: string): void {
  if (Object.hasOwn(into, name)) into[name] = `${into[name]},${value}`
  else if (name === '__proto__') {
    Object.defineProperty(into, name, { value, enumerable: true, writable: true, configurable: true })
  } else into[name] = value
}

function readQuery(query: string): StringMap {
  const parameters: StringMap = {}
  for (const [name, value] of new URLSearchParams(query)) join(parameters, name, value)
  return parameters
}

function readHeaders(request: IncomingMessage) {
  const headers: StringMap = {}
  let cookies: string[] | undefined
  const { rawHeaders, socket } = request
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    const value = rawHeaders[at + 1] ?? ''
    if (name === 'cookie') cookies = [...(cookies ?? []), ...value.split(/;\s*/).filter((one) => one !== '')]
    else if (name !== 'connection' && name !== 'transfer-encoding') join(headers, name, value)
  }
  join(headers, 'x-forwarded-for', socket.remoteAddress ?? '127.0.0.1')
  headers['x-forwarded-port'] = String(socket.localPort)
  headers['x-forwarded-proto'] = 'http'
  const trace = randomUUID().replaceAll('-', '')
  headers['x-amzn-trace-id'] ??= `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${trace.slice(0, 24)}`
  return { headers, cookies }
}

const textTypes = new Set(['application/json', 'application/javascript', 'application/xml'])

/** Everything that is not one of these types of text, or is compressed, reaches the function base64-encoded. */
function addBody(event: APIGatewayProxyEventV2, body: Buffer, headers: StringMap): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1)
  const name = type.trim().toLowerCase()
  const text = headers['content-encoding'] === undefined && (textTypes.has(name) || name.startsWith('text/'))
  event.body = body.toString(text ? 'utf8' : 'base64')
  event.isBase64Encoded = !text
}

function requestContext(parts: EventParts, headers: StringMap): APIGatewayProxyEventV2['requestContext'] {
  const { request, method, target, routeKey, requestId } = parts
  const domainName = (headers['host'] ?? 'localhost').replace(/:\d+$/, '')
  const now = Date.now()
  return {
    accountId: '000000000000',
    apiId: 'local',
    domainName,
    domainPrefix: domainName.split('.', 1)[0] ?? domainName,
    http: {
      method,
      path: target.path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
      userAgent: headers['user-agent'] ?? '',
    },
    requestId,
    routeKey,
    stage: '$default',
    time: accessLogTime(now),
    timeEpoch: now,
  }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
let lastTime = { second: 0, text: '' }

/** Such as `12/Mar/2026:19:03:58 +0000`; written once for all requests of the same second. */
export function accessLogTime(now: number): string {
  const second = Math.floor(now / 1000)
  if (second !== lastTime.second) {
    const [year = '', month = '', rest = ''] = new Date(now).toISOString().split('-')
    const day = rest.slice(0, 2)
    const clock = rest.slice(3, 11)
    lastTime = { second, text: `${day}/${months[Number(month) - 1]}/${year}:${clock} +0000` }
  }
  return lastTime.text
}
