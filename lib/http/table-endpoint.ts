import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import { is, SQL } from 'drizzle-orm'
import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import { RequestError } from '../errors/request-error.ts'
import { callerLanguage } from '../i18n/language.ts'
import { type Operation, ownValue } from '../operations/table-request.ts'
import { type EndpointName, mountRoutes } from '../routes.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { Registry } from '../table/registry.ts'
import type { RequestContext } from '../table/request-context.ts'
import { viewOf } from '../table/view.ts'
import { admitted, authenticated } from './access-control.ts'
import { withDeadline } from './deadline.ts'
import { withEntityTag } from './entity-tag.ts'
import { failed, succeeded } from './envelope.ts'
import { readBody, readQueryParams } from './incoming.ts'
import { logFailure } from './log.ts'
import { assertDeliverable } from './response-size.ts'
import { processService, type Service } from './service.ts'
import { parseParams } from './table-params.ts'

export type Handler = (event: APIGatewayProxyEventV2, context?: Context) => Promise<APIGatewayProxyStructuredResultV2>

interface Endpoint {
  readonly name: EndpointName
  readonly run: Operation
}

/**
 * The Lambda handler of one endpoint: access control, then the table, then its middlewares, then the body, then the
 * operation; every outcome in the envelope. `service` is the process's own unless a caller brings one.
 */
export function tableEndpoint(
  registry: Registry,
  endpoint: Endpoint,
  service: () => Service = processService,
): Handler {
  return async (event, lambda) => {
    const language = callerLanguage(event.headers)
    const { requestId } = event.requestContext
    try {
      const running = service()
      const answer = respond(registry, endpoint, running, event)
      return await withDeadline(answer, deadlineOf(running, lambda))
    } catch (error) {
      const table = registry.tables.get(event.pathParameters?.['tableName'] ?? '')?.name
      logFailure(error, { requestId, route: endpoint.name, ...(table !== undefined && { table }) })
      return failed(error, language, requestId)
    }
  }
}

const answerMs = 500

const deadlineOf = ({ config }: Service, lambda: Context | undefined): number =>
  Math.max(
    1,
    Math.min(config.REQUEST_DEADLINE_MS, (lambda?.getRemainingTimeInMillis() ?? Number.POSITIVE_INFINITY) - answerMs),
  )

async function respond(registry: Registry, { name, run }: Endpoint, service: Service, event: APIGatewayProxyEventV2) {
  const request = incomingRequest(name, service, event)
  const identity = await authenticated(registry, service.verifier, request)
  const table = registry.tables.get(request.tableName)
  if (table === undefined) throw new RequestError('table_not_found', { table: request.tableName })
  await admitted(table, request, identity)
  const body = readBody(event)
  const isRead = request.method === 'GET'
  const params = isRead ? readQueryParams(event.rawQueryString, body) : ownValue(body, 'params')
  const context = requestContext(service, event, request, table, identity, parseParams(table, params))
  const scope = scopeOf(table, context)
  const path = event.pathParameters ?? {}
  const { config, database } = service
  const payload = await run({ table, view: viewOf(table, context), context, scope, config, database, path, body })
  const response = assertDeliverable(succeeded(payload))
  return isRead ? withEntityTag(response, event.headers['if-none-match']) : response
}

const guardsByRoute = new WeakMap<Service, ReadonlyMap<string, string>>()

function incomingRequest(name: EndpointName, service: Service, event: APIGatewayProxyEventV2): IncomingRequest {
  const { config } = service
  const guards =
    guardsByRoute.get(service) ?? new Map(mountRoutes(config.GUARDS).map(({ routeKey, guard }) => [routeKey, guard]))
  guardsByRoute.set(service, guards)
  const guard = guards.get(event.routeKey)
  const { method, path, sourceIp } = event.requestContext.http
  if (guard === undefined) throw new RequestError('route_not_found', { method, path })
  const endpoint = `${config.SERVICE_NAME}.${guard}.${name}`
  return {
    tableName: event.pathParameters?.['tableName'] ?? '',
    endpoint,
    guard,
    method,
    headers: event.headers,
    sourceIp,
  }
}

function requestContext(
  { config }: Service,
  event: APIGatewayProxyEventV2,
  { guard, headers }: IncomingRequest,
  table: CompiledTable,
  identity: Identity<Record<string, unknown>>,
  params: unknown,
): RequestContext {
  const host = config.PUBLIC_URL ?? `https://${event.requestContext.domainName}`
  return {
    identity,
    params,
    language: callerLanguage(headers),
    guard,
    timeZone: table.timeZone ?? config.TIME_ZONE,
    baseUrl: config.ACTION_URLS === 'relative' ? '' : host,
    itemActions: config.ITEM_ACTIONS,
  }
}

/** A scope that is not SQL is an author's mistake, and must never mean that there is no restriction. */
function scopeOf(table: CompiledTable, context: RequestContext): SQL {
  const scope: unknown = table.definition.scope(context)
  if (!is(scope, SQL)) throw new Error(`The scope of the table "${table.name}" did not return SQL`)
  return scope
}
