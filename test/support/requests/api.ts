import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { type EndpointName, fallbackFunctionName, guardBasePath, type PageName } from '../../../lib/routes.ts'
import { assertDescribedRequest } from '../openapi/described-request.ts'
import { assertDescribed, isEndpoint } from '../openapi/described-response.ts'
import type { Describing } from '../openapi/document-schemas.ts'
import { type GatewayRequest, gatewayEvent } from './gateway-event.ts'
import type { TestIdentity } from './identity-provider.ts'

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>

/** The functions behind the gateway by endpoint; `fallback` is the one behind its `$default` route. */
export type Handlers = Readonly<Partial<Record<EndpointName | PageName | 'fallback', Handler>>>

export interface ApiDefaults {
  readonly tokenFor: (identity: TestIdentity) => string
  /** The caller of requests that do not name one. */
  readonly as?: TestIdentity
  readonly guard?: string
  readonly guards?: readonly string[]
  /** The service whose OpenAPI document describes each response. `false`: the responses are not the service's. */
  readonly describing?: Describing | false
}

export interface CallOptions {
  /** An identity gets a valid token, a string is sent as the token that it is, `null` sends none. */
  readonly as?: TestIdentity | string | null
  readonly guard?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly base64?: boolean
  /** The request is junk: if it is accepted, the OpenAPI document need not allow it. */
  readonly isJunk?: true
}

export interface ApiResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Partial<Record<string, string>>>
  /** The body as it is sent, compressed or not. */
  readonly bytes: Uint8Array
  /** The body without its compression. */
  readonly text: string
  /** The parsed body; `undefined` where it is empty or not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read into answers whose shape is what they assert
  readonly json: any
}

export interface Api {
  /** `path` is relative to the guard's base path, such as `load-table/flights/true?carrier=AA`. */
  readonly get: (path: string, options?: CallOptions) => Promise<ApiResponse>
  readonly post: (path: string, body?: unknown, options?: CallOptions) => Promise<ApiResponse>
  /** Any method on any path from the root of the host. */
  readonly request: (request: GatewayRequest, options?: Pick<CallOptions, 'as' | 'isJunk'>) => Promise<ApiResponse>
}

/** Calls handlers as the gateway does: the route decides which one, a route without a handler fails the test. */
export function createApi(handlers: Handlers, defaults: ApiDefaults): Api {
  const request: Api['request'] = async (sent, options = {}) => {
    const headers = { ...authorization(options.as, defaults), ...sent.headers }
    const { event, endpoint } = gatewayEvent({ ...(defaults.guards && { guards: defaults.guards }), ...sent, headers })
    const handler = handlers[endpoint ?? 'fallback']
    if (handler === undefined) throw new Error(`${event.routeKey}: no handler for ${endpoint ?? fallbackFunctionName}`)
    const response = toResponse(await handler(event, lambdaContext(event.requestContext.requestId)))
    const { describing } = defaults
    // A page is no endpoint.
    if (describing !== false && (endpoint === undefined || isEndpoint(endpoint))) {
      assertPrivate(event.routeKey, response)
      const asked = { name: endpoint, routeKey: event.routeKey, tableName: event.pathParameters?.['tableName'] }
      assertDescribed(describing ?? {}, asked, response)
      if (options.isJunk !== true) assertDescribedRequest(describing ?? {}, asked, event, response)
    }
    return response
  }
  const call = (method: string, path: string, body: unknown, { guard, headers, base64, ...options }: CallOptions) =>
    request(
      {
        method,
        path: `${guardBasePath(guard ?? defaults.guard ?? 'api')}/${path}`,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body }),
        ...(base64 !== undefined && { base64 }),
      },
      options,
    )
  return {
    get: (path, options = {}) => call('GET', path, undefined, options),
    post: (path, body, options = {}) => call('POST', path, body, options),
    request,
  }
}

/** Throws where a cache between the service and its callers may keep a response of one of them for another. */
function assertPrivate(routeKey: string, { status, headers: { 'cache-control': cached } }: ApiResponse): void {
  if (cached !== 'no-store' && cached !== 'private, no-cache')
    throw new Error(`${routeKey}: the response ${status} may be kept by shared caches (cache-control: ${cached})`)
}

function authorization(as: CallOptions['as'], defaults: ApiDefaults): Readonly<Record<string, string>> {
  const caller = as === undefined ? defaults.as : as
  if (caller === undefined || caller === null) return {}
  return { authorization: `Bearer ${typeof caller === 'string' ? caller : defaults.tokenFor(caller)}` }
}

function toResponse(result: APIGatewayProxyStructuredResultV2): ApiResponse {
  const entries = Object.entries(result.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)])
  const headers: ApiResponse['headers'] = Object.fromEntries(entries)
  const { body = '', isBase64Encoded = false } = result
  const readBytes = () => Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8')
  const isText = !isBase64Encoded && headers['content-encoding'] === undefined
  // Encoding and decoding a page would take as long as parsing it; a half of a surrogate pair is replaced all the same.
  const text = isText ? body.toWellFormed() : decode(readBytes(), headers).toString()
  return {
    status: result.statusCode ?? 200,
    headers,
    get bytes() {
      return readBytes()
    },
    text,
    json: parse(text),
  }
}

/** The bytes without the compression that their headers name. */
function decode(bytes: Buffer, { 'content-encoding': coding }: ApiResponse['headers']): Buffer {
  if (coding === 'br') return brotliDecompressSync(bytes)
  return coding === 'gzip' ? gunzipSync(bytes) : bytes
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The time that is left is computed as Lambda's runtime does: until a moment of another clock, by that of `Date`. */
function lambdaContext(awsRequestId: string): Context {
  const end = performance.timeOrigin + performance.now() + 29_000
  return {
    awsRequestId,
    functionName: 'test',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:eu-central-1:000000000000:function:test',
    memoryLimitInMB: '512',
    logGroupName: '/aws/lambda/test',
    logStreamName: 'test',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => end - Date.now(),
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}

/** Returns a response without the parts that differ between any two requests. */
export function comparable({ status, headers, json }: ApiResponse) {
  const { request_id: _, ...rest } = json
  return { status, headers, rest }
}
