import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { IncomingRequest } from '../auth/middleware.ts'
import {
  authenticateRequest,
  createCallerRequest,
  createHttpHandler,
  type Handler,
  runWithinLimit,
  toResponse,
} from '../http/endpoint.ts'
import { addEntityTag } from '../http/entity-tag.ts'
import { readQueryParams } from '../http/incoming.ts'
import { processService, type Service } from '../http/service.ts'
import { explainFailure } from '../operations/explain-failure.ts'
import { pageKeys } from '../operations/item-actions.ts'
import type { Operation, TableRequest, UnknownBody } from '../operations/table-request.ts'
import { type EndpointName, type Route, routePrefix, routes } from '../routes.ts'
import { actionKey } from '../table/action-key.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { ResponseContext } from '../table/context.ts'
import { admitCaller, assertAdmitted, openTable } from '../table/open-table.ts'
import { asSentParams, stepKey } from '../table/params-query.ts'
import type { Registry } from '../table/registry.ts'
import { endStage, type Invocation } from '../telemetry/invocation.ts'

interface Endpoint {
  readonly name: EndpointName
  readonly run: Operation
  /** Establishes the caller. Default: by the request's token. */
  readonly authenticate?: typeof authenticateRequest
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
  return createHttpHandler(
    endpoint.name,
    service,
    (running, event, request, invocation) => respond(registry, endpoint, running, event, request, invocation),
    { findNames: ({ pathParameters }) => findNames(registry, pathParameters ?? {}) },
  )
}

/** The Lambda handler of several endpoints, which the route of the gateway tells apart. */
export function tableEndpoints(
  registry: Registry,
  endpoints: readonly Endpoint[],
  service: () => Service = processService,
): Handler {
  const handlers = endpoints.map(({ name, run }) => {
    const route: Route | undefined = routes.find((one) => one.name === name)
    const keys = route?.paths.map((path) => [`${route.method} `, routePrefix + path] as const) ?? []
    return { keys, handler: tableEndpoint(registry, { name, run }, service) }
  })
  return (event, context) => {
    const { routeKey } = event
    const found = handlers.find(({ keys }) =>
      keys.some(([method, path]) => routeKey.startsWith(method) && routeKey.endsWith(path)),
    )
    // A route without its endpoint must not run another operation.
    if (found === undefined) throw new Error(`this function has no endpoint for ${routeKey}; name it in functions/`)
    return found.handler(event, context)
  }
}

/**
 * Returns the registered table and action of the path, for the log. Unknown names are the client's text and are
 * dropped.
 */
function findNames(registry: Registry, path: NonNullable<APIGatewayProxyEventV2['pathParameters']>) {
  const registered = registry.registered.get(path['tableName'] ?? '')
  if (registered === undefined) return {}
  const table = registered.findLoaded()
  const asked = path['action']
  if (asked === undefined || table === undefined) return { table: registered.name }
  const action = [...table.rowActions, ...table.bulkActions].find(({ key }) => key === asked)
  return { table: table.name, ...(action !== undefined && { action: action.key }) }
}

/** The keys of the query of endpoints that page through something else than rows. */
const ownQueryKeys: ReadonlyMap<EndpointName, readonly string[]> = new Map<EndpointName, readonly string[]>([
  ['rowHistory', ['limit', 'before']],
  ['showImport', ['page', 'per_page']],
])

/**
 * Reads whose body says which rows. Any other POST may change something, and waits until the caller's allowance is
 * charged.
 */
const postedReads: ReadonlySet<EndpointName> = new Set<EndpointName>([
  'queryTableData',
  'rowRefetch',
  'multiRowRefetch',
])

async function respond(
  registry: Registry,
  { name, run, authenticate = authenticateRequest }: Endpoint,
  service: Service,
  event: APIGatewayProxyEventV2,
  request: IncomingRequest,
  invocation: Invocation,
) {
  const caller = await authenticate(registry, service, request, invocation)
  const admitted = await admitCaller(registry, caller, request)
  endStage(invocation, 'access')
  const { table } = admitted
  const asked = createCallerRequest(service, event, request, caller, invocation)
  const isRead = request.method === 'GET'
  const queryKeys = ownQueryKeys.get(name) ?? (isRead ? pageKeys(table) : [stepKey])
  const params = readQueryParams(event.rawQueryString, asked.body, queryKeys)
  const opened = openTable(admitted, asked, params, asSentParams(params))
  const responseHeaders: Record<string, string> = {}
  const tableRequest: TableRequest = {
    ...asked,
    ...opened,
    table,
    responseHeaders,
    body: addParams(table, asked.body, opened.context),
    tenant: () => registry.tenant?.(admitted.identity),
    assertAdmitted: (endpoint) => assertAdmitted(admitted, endpoint),
  }
  const work = async () => {
    if (!mayUseFormerName(table, event)) return run(tableRequest)
    const { runUnderPresentNames } = await import('../operations/page-extensions.ts')
    return runUnderPresentNames(tableRequest, run)
  }
  const isHarmless = isRead || postedReads.has(name)
  const outcome = await runWithinLimit(service, caller, isHarmless, work).catch(async (error) => {
    throw await explainFailure(tableRequest, error)
  })
  // Some operations end the stage `work` themselves, when the database has answered.
  endStage(invocation, invocation.stages.work === undefined ? 'work' : 'format')
  const plain = toResponse(outcome)
  const response = { ...plain, headers: { ...plain.headers, ...responseHeaders } }
  const tagged = isRead ? addEntityTag(response, event.headers['if-none-match']) : response
  endStage(invocation, 'format')
  return tagged
}

/** Whether one of the table's former names, or a saved view that may have some, occurs in what was sent. */
function mayUseFormerName({ formerNames }: CompiledTable, event: APIGatewayProxyEventV2): boolean {
  if (formerNames.length === 0) return false
  const { pathParameters, rawQueryString, body, isBase64Encoded } = event
  const sent = [actionKey(pathParameters?.['action'] ?? ''), rawQueryString, body].join()
  // Names of other letters may be written in several ways.
  return (
    isBase64Encoded || /"view"|view=/.test(sent) || formerNames.some((name) => /\W/.test(name) || sent.includes(name))
  )
}

/** Adds the `params` of the URL to the body, where jobs, the audit and idempotency read them. */
const addParams = ({ definition }: CompiledTable, body: UnknownBody, { sentParams }: ResponseContext): UnknownBody =>
  definition.params === undefined || Object.keys(sentParams).length === 0 ? body : { ...body, params: sentParams }
