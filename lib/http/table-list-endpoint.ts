import { listTables } from '../operations/list-tables.ts'
import { admittedTables } from '../table/open-table.ts'
import type { Registry } from '../table/registry.ts'
import { endStage } from '../telemetry/invocation.ts'
import { answered, anyRequest, authenticateRequest, type Handler, httpEndpoint } from './endpoint.ts'
import { withEntityTag } from './entity-tag.ts'
import { processService, type Service } from './service.ts'

/** The Lambda handler of the list of tables: those whose middlewares admit the caller, as if each had been asked for. */
export const tableListEndpoint = (registry: Registry, service: () => Service = processService): Handler =>
  httpEndpoint('listTables', service, async (running, event, request, invocation) => {
    const caller = await authenticateRequest(registry, running, request, invocation)
    const tables = (await admittedTables(registry, caller, request)).map(({ table }) => table)
    endStage(invocation, 'access')
    return withEntityTag(
      answered(listTables(anyRequest(running, event, request, invocation), tables)),
      event.headers['if-none-match'],
    )
  })
