import { listTables } from '../operations/list-tables.ts'
import type { Registry } from '../table/registry.ts'
import { identityHash } from '../telemetry/identity-hash.ts'
import { endStage } from '../telemetry/invocation.ts'
import { authenticated } from './access-control.ts'
import { admittedTables } from './admitted-tables.ts'
import { answered, anyRequest, type Handler, httpEndpoint } from './endpoint.ts'
import { withEntityTag } from './entity-tag.ts'
import { processService, type Service } from './service.ts'

/** The Lambda handler of the list of tables: those whose middlewares admit the caller, as if each had been asked for. */
export const tableListEndpoint = (registry: Registry, service: () => Service = processService): Handler =>
  httpEndpoint('listTables', service, async (running, event, request, invocation) => {
    const identity = await authenticated(registry, running.verifier, request)
    invocation.facts.identity = identityHash(running.config.SERVICE_SECRET, identity)
    const tables = await admittedTables(registry, request, identity)
    endStage(invocation, 'access')
    return withEntityTag(
      answered(listTables(anyRequest(running, event, request, invocation), tables)),
      event.headers['if-none-match'],
    )
  })
