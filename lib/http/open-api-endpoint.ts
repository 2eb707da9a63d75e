import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import { RequestError } from '../errors/request-error.ts'
import { exampleAnswers } from '../openapi/example-answers.ts'
import { openApiDocument } from '../openapi/open-api-document.ts'
import { replyWith } from '../operations/reply.ts'
import type { CallerRequest, TableRequest } from '../operations/table-request.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import { asSentParams } from '../table/params-query.ts'
import { parseParams } from '../table/parse-params.ts'
import type { Registry } from '../table/registry.ts'
import { requestContext } from '../table/request-context.ts'
import { scopeOf } from '../table/scope-of.ts'
import { viewOf } from '../table/view.ts'
import { identityHash } from '../telemetry/identity-hash.ts'
import { endStage } from '../telemetry/invocation.ts'
import { authenticated } from './access-control.ts'
import { admittedTables, assertAdmitted, isAdmitted } from './admitted-tables.ts'
import { answered, anyRequest, type Handler, httpEndpoint } from './endpoint.ts'
import { withEntityTag } from './entity-tag.ts'
import { readQueryParams } from './incoming.ts'
import { processService, type Service } from './service.ts'

/** The Lambda handler of the OpenAPI document: it describes what this caller may know on the guard of the request, and nothing else. */
export const openApiEndpoint = (registry: Registry, service: () => Service = processService): Handler =>
  httpEndpoint('openApi', service, async (running, event, request, invocation) => {
    const identity = await authenticated(registry, running.verifier, request)
    invocation.facts.identity = identityHash(running.config.SERVICE_SECRET, identity)
    const asked = anyRequest(running, event, request, invocation)
    const caller: CallerRequest = { ...asked, identity, database: asked.database.as(identity) }
    const params = readQueryParams(event.rawQueryString, caller.body)
    const tables = await knownTables(request, registry, caller, params)
    endStage(invocation, 'access')
    const [first] = tables
    const { baseUrl, language, config, guard } = caller
    const document = openApiDocument({
      ...{ service: config, guard, baseUrl, language, tables: tables.map(({ view }) => view) },
      ...(first !== undefined && { examples: await examplesOf(first, request) }),
    })
    endStage(invocation, 'work')
    return withEntityTag(answered(replyWith(200, {}, JSON.stringify(document))), event.headers['if-none-match'])
  })

const examplesOf = (known: KnownTable, request: IncomingRequest) =>
  exampleAnswers(
    () => ({
      ...known,
      scope: scopeOf(known.table, known.context),
      assertAdmitted: (name) => assertAdmitted(known.table, name, request, known.identity as Identity),
    }),
    (name) => isAdmitted(known.table, name, request, known.identity as Identity),
  )

/** A request to a table, before its rows are anybody's business. */
type KnownTable = Omit<TableRequest, 'scope' | 'assertAdmitted'>

/** A request to each table that the caller may use on this guard with these `params`. */
async function knownTables(
  request: IncomingRequest,
  registry: Registry,
  caller: CallerRequest,
  params: unknown,
): Promise<readonly KnownTable[]> {
  const tables = await admittedTables(registry, request, caller.identity as Identity)
  return tables.flatMap((table) => requestTo(table, caller, params) ?? [])
}

/** `undefined` for a table that needs other `params`: what it looks like depends on them. */
function requestTo(table: CompiledTable, caller: CallerRequest, params: unknown): KnownTable | undefined {
  try {
    const context = requestContext(caller, table, parseParams(table, params), asSentParams(params))
    return { ...caller, table, view: viewOf(table, context), context }
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return undefined
    throw error
  }
}
