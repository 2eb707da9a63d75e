import { createHmac } from 'node:crypto'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { authenticateCaller, type Caller } from '../auth/authenticate-caller.ts'
import { deriveKey } from '../auth/derived-key.ts'
import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import { type Config, noServiceSecret } from '../config.ts'
import { RequestError } from '../errors/request-error.ts'
import { callerLanguage } from '../i18n/language.ts'
import { beginCompression, compressResponse } from '../operations/compressed-response.ts'
import { isReply, type Reply } from '../operations/reply.ts'
import { assertDeliverable } from '../operations/response-size.ts'
import type { CallerRequest, Payload } from '../operations/table-request.ts'
import { type EndpointName, mountRoutes } from '../routes.ts'
import type { Registry } from '../table/registry.ts'
import { beginInvocation, endStage, type Invocation, type Stage } from '../telemetry/invocation.ts'
import { beginLog } from '../telemetry/log.ts'
import { allowsOrigin } from './cors.ts'
import { replyResponse, successResponse } from './envelope.ts'
import { readBody } from './incoming.ts'
import { type ObservedRequest, respondAndLog } from './respond-and-log.ts'
import type { Service } from './service.ts'

export type Handler = (event: APIGatewayProxyEventV2, context?: Context) => Promise<APIGatewayProxyStructuredResultV2>

/** One endpoint's work between the event and the response; what it throws becomes the envelope of a failure. */
type Respond = (
  service: Service,
  event: APIGatewayProxyEventV2,
  request: IncomingRequest,
  invocation: Invocation,
) => Promise<APIGatewayProxyStructuredResultV2>

/** The registered names of a request's table and action. Texts of the client are never among them. */
interface RequestNames {
  readonly table?: string
  readonly action?: string
}

interface Presentation {
  /** For the log. */
  readonly findNames?: (event: APIGatewayProxyEventV2) => RequestNames
  /** Gives a response another form for this client. */
  readonly present?: (
    response: APIGatewayProxyStructuredResultV2,
    event: APIGatewayProxyEventV2,
  ) => APIGatewayProxyStructuredResultV2
}

/** A Lambda handler: every outcome in the envelope, none later than the deadline, and a line in the log. */
export function createHttpHandler(
  name: EndpointName,
  service: () => Service,
  respond: Respond,
  { findNames = () => ({}), present = (response) => response }: Presentation = {},
): Handler {
  return (event, lambda) => {
    const { headers, requestContext } = event
    const invocation = beginInvocation(name, requestContext.requestId)
    let running: Service | undefined
    const about: ObservedRequest = {
      invocation,
      language: () => callerLanguage(headers),
      findNames: () => findNames(event),
      finish: async (response: APIGatewayProxyStructuredResultV2) => {
        const presented = await compressResponse(present(response, event), headers['accept-encoding'])
        return withServerTiming(presented, invocation, headers['origin'], running?.config)
      },
    }
    return respondAndLog(about, async () => {
      const known = service()
      running = known
      const response = (async () => {
        const whole = await respond(known, event, incomingRequest(name, known, event, invocation), invocation)
        const sent = await compressResponse(whole, headers['accept-encoding'])
        if (sent !== whole) endStage(invocation, 'format')
        return assertDeliverable(sent)
      })()
      // Last, so that the request has sent off what it waits for.
      beginLog(known.config)
      beginCompression()
      return await withDeadline(response, requestDeadlineMs(known, lambda), () => expireInvocation(invocation))
    })
  }
}

/** Prevents a running action from committing after the response has reported a timeout. */
function expireInvocation(invocation: Invocation): RequestError {
  invocation.isOverdue = true
  return new RequestError(invocation.mayHaveCommitted ? 'outcome_unknown' : 'timed_out')
}

const responseMs = 500

function requestDeadlineMs({ config }: Service, lambda: Context | undefined): number {
  const remainingMs = (lambda?.getRemainingTimeInMillis() ?? Number.POSITIVE_INFINITY) - responseMs
  // An invocation begins with all of its time. It seems to have none if the clock of its environment is ahead.
  return remainingMs > 0 ? Math.min(config.REQUEST_DEADLINE_MS, remainingMs) : config.REQUEST_DEADLINE_MS
}

const guardsByRoute = new WeakMap<Service, ReadonlyMap<string, string | undefined>>()

function incomingRequest(
  name: EndpointName,
  service: Service,
  event: APIGatewayProxyEventV2,
  { facts }: Invocation,
): IncomingRequest {
  const { config } = service
  const guards =
    guardsByRoute.get(service) ?? new Map(mountRoutes(config.GUARDS).map(({ routeKey, guard }) => [routeKey, guard]))
  guardsByRoute.set(service, guards)
  const guard = guards.get(event.routeKey)
  const { method, path, sourceIp } = event.requestContext.http
  if (guard === undefined) throw new RequestError('route_not_found', { method, path })
  const endpoint = `${config.SERVICE_NAME}.${guard}.${name}`
  facts.route = endpoint
  const tableName = event.pathParameters?.['tableName'] ?? ''
  // An HTTP API keeps the cookies apart from the headers.
  const headers = event.cookies ? { ...event.headers, cookie: event.cookies.join('; ') } : event.headers
  return { tableName, endpoint, guard, method, headers, sourceIp }
}

/** Returns what every operation reads of a request, with its body parsed and without the caller. */
export function createRequest(
  { config, database }: Service,
  event: APIGatewayProxyEventV2,
  { guard, method, headers }: IncomingRequest,
  invocation?: Invocation,
): Omit<CallerRequest, 'identity'> {
  const host = config.PUBLIC_URL ?? `https://${event.requestContext.domainName}`
  const language = callerLanguage(headers)
  if (invocation !== undefined) invocation.facts.language = language
  return {
    ...(invocation !== undefined && { invocation }),
    guard,
    language,
    baseUrl: config.ACTION_URLS === 'relative' ? '' : host,
    requestId: event.requestContext.requestId,
    method,
    headers,
    config,
    database,
    path: event.pathParameters ?? {},
    query: event.rawQueryString,
    body: readBody(event),
  }
}

/**
 * Establishes who is calling, by the registry's middlewares, and notes a hash of it for the log where there is a
 * secret.
 */
export async function authenticateRequest(
  registry: Registry,
  service: Service,
  request: IncomingRequest,
  invocation: Invocation,
): Promise<Caller> {
  return logCaller(service, await authenticateCaller(registry, service.verifier, request), invocation)
}

/** Has the log tell the caller's requests from those of others. Returns the caller. */
export function logCaller({ config }: Service, caller: Caller, { facts }: Invocation): Caller {
  // `noServiceSecret` is public: with it, anybody could compute the hash of a subject.
  if (config.SERVICE_SECRET !== noServiceSecret) facts.identity = identityHash(config.SERVICE_SECRET, caller.identity)
  return caller
}

/** Runs the work of a caller's request, unless the caller has reached the limit of requests: see `RequestLimiter`. */
export async function runWithinLimit<T>(
  { limiter }: Service,
  { identity }: Caller,
  isRead: boolean,
  work: () => Promise<T>,
): Promise<T> {
  return limiter === undefined ? work() : (await limiter)(identity.subject, isRead, work)
}

/** The request of a caller, whose statements name the caller to row-level security. */
export function createCallerRequest(
  service: Service,
  event: APIGatewayProxyEventV2,
  request: IncomingRequest,
  { identity }: Caller,
  invocation: Invocation,
): CallerRequest {
  const read = createRequest(service, event, request, invocation)
  return { ...read, identity, database: read.database.as(identity) }
}

/** An operation's outcome as Lambda must return it, before it is compressed. */
export const toResponse = (outcome: Payload | Reply): APIGatewayProxyStructuredResultV2 =>
  isReply(outcome) ? replyResponse(outcome) : successResponse(outcome)

const known = new WeakMap<Identity, string>()

/** Returns the caller's name in the log: equal for equal subjects, and not reversible without the secret. */
function identityHash(secret: string, identity: Identity): string {
  const hash = known.get(identity) ?? hashSubject(secret, identity.subject)
  known.set(identity, hash)
  return hash
}

const hashSubject = (secret: string, subject: string): string =>
  createHmac('sha256', deriveKey(secret, 'table-control identity in the log'))
    .update(subject)
    .digest('base64url')
    .slice(0, 16)

const stages: readonly Stage[] = ['access', 'work', 'format']

/**
 * Adds the header `Server-Timing`, in milliseconds, for the tools of browsers. What is refused has none: how long a
 * refusal took could tell what the caller may not know; and a failure says only how long it took in all.
 */
function withServerTiming(
  response: APIGatewayProxyStructuredResultV2,
  invocation: Invocation,
  origin: string | undefined,
  config: Pick<Config, 'ALLOWED_ORIGINS'> | undefined,
): APIGatewayProxyStructuredResultV2 {
  const { statusCode = 200 } = response
  if (statusCode >= 400 && statusCode < 500) return response
  const total = `total;dur=${(performance.now() - invocation.begunAt).toFixed(1)}`
  const timing = statusCode < 400 ? `${formatStages(invocation)}${total}` : total
  // Without `timing-allow-origin`, browsers show zeros to scripts of other origins.
  const allowed = origin !== undefined && config !== undefined && allowsOrigin(config, origin)
  const headers = { ...response.headers, 'server-timing': timing, ...(allowed && { 'timing-allow-origin': origin }) }
  return { ...response, headers }
}

function formatStages({ stages: times }: Invocation): string {
  let text = ''
  for (const stage of stages) {
    const ms = times[stage]
    if (ms !== undefined) text += `${stage};dur=${ms.toFixed(1)}, `
  }
  return text
}

const createTimeout = (): RequestError => new RequestError('timed_out')

/** Settles like `work`, or rejects with what `late` returns after `milliseconds`; the work itself goes on. */
export function withDeadline<T>(work: Promise<T>, milliseconds: number, late = createTimeout): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds)
    work.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
