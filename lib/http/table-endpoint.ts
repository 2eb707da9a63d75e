import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { IncomingRequest } from '../auth/middleware.ts'
import { RequestError } from '../errors/request-error.ts'
import type { CallerRequest, Operation, UnknownBody } from '../operations/table-request.ts'
import type { EndpointName } from '../routes.ts'
import { admitted } from '../table/admitted.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import { asSentParams, stepKey } from '../table/params-query.ts'
import { parseParams } from '../table/parse-params.ts'
import type { Registry } from '../table/registry.ts'
import { type RequestContext, requestContext } from '../table/request-context.ts'
import { scopeOf } from '../table/scope-of.ts'
import { viewOf } from '../table/view.ts'
import { identityHash } from '../telemetry/identity-hash.ts'
import { endStage, type Invocation } from '../telemetry/invocation.ts'
import { authenticated } from './access-control.ts'
import { assertAdmitted } from './admitted-tables.ts'
import { answered, anyRequest, type Handler, httpEndpoint } from './endpoint.ts'
import { withEntityTag } from './entity-tag.ts'
import { readQueryParams } from './incoming.ts'
import { processService, type Service } from './service.ts'

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
  return httpEndpoint(
    endpoint.name,
    service,
    (running, event, request, invocation) => respond(registry, endpoint, running, event, request, invocation),
    { named: ({ pathParameters }) => namedIn(registry, pathParameters ?? {}) },
  )
}

/** Of the table and the action that a path names those that exist: anything else is the client's text. */
function namedIn(registry: Registry, path: NonNullable<APIGatewayProxyEventV2['pathParameters']>) {
  const table = registry.tables.get(path['tableName'] ?? '')
  if (table === undefined) return {}
  const asked = path['action']
  if (asked === undefined) return { table: table.name }
  const action = [...table.rowActions, ...table.bulkActions].find(({ key }) => key === asked)
  return { table: table.name, ...(action !== undefined && { action: action.key }) }
}

async function respond(
  registry: Registry,
  { run }: Endpoint,
  service: Service,
  event: APIGatewayProxyEventV2,
  request: IncomingRequest,
  invocation: Invocation,
) {
  const identity = await authenticated(registry, service.verifier, request)
  invocation.facts.identity = identityHash(service.config.SERVICE_SECRET, identity)
  const table = registry.tables.get(request.tableName)
  if (table === undefined) throw new RequestError('table_not_found', { table: request.tableName })
  await admitted(table, request, identity)
  endStage(invocation, 'access')
  const asked = anyRequest(service, event, request, invocation)
  const caller: CallerRequest = { ...asked, identity, database: asked.database.as(identity) }
  const isRead = request.method === 'GET'
  const params = readQueryParams(event.rawQueryString, caller.body, isRead ? [] : [stepKey])
  const context = requestContext(caller, table, parseParams(table, params), asSentParams(params))
  const outcome = await run({
    ...caller,
    body: withParams(table, caller.body, context),
    ...{ table, view: viewOf(table, context), context, scope: scopeOf(table, context) },
    assertAdmitted: (name) => assertAdmitted(table, name, request, identity),
  })
  // An operation that knows when its database had answered has said so.
  endStage(invocation, invocation.stages.work === undefined ? 'work' : 'format')
  const answer = answered(outcome)
  const tagged = isRead ? withEntityTag(answer, event.headers['if-none-match']) : answer
  endStage(invocation, 'format')
  return tagged
}

/** The body with the `params` of the URL in it, for whatever reads it later: jobs, the audit, idempotency. */
const withParams = ({ definition }: CompiledTable, body: UnknownBody, { sentParams }: RequestContext): UnknownBody =>
  definition.params === undefined || Object.keys(sentParams).length === 0 ? body : { ...body, params: sentParams }
