import { findAction } from '../actions/find-action.ts'
import {
  authenticateRequest,
  createCallerRequest,
  createHttpHandler,
  createRequest,
  type Handler,
  runWithinLimit,
  toResponse,
} from '../http/endpoint.ts'
import { addEntityTag } from '../http/entity-tag.ts'
import { processService, type Service } from '../http/service.ts'
import { listTables } from '../operations/list-tables.ts'
import type { CallerOperation, OwnRequest } from '../operations/table-request.ts'
import type { EndpointName } from '../routes.ts'
import { findFormerAction } from '../table/former-names.ts'
import { admitCaller, listAdmitted, viewTable } from '../table/open-table.ts'
import type { Registry } from '../table/registry.ts'
import { offeredBulkActions } from '../table/view.ts'
import { endStage } from '../telemetry/invocation.ts'

/** The Lambda handler of an endpoint that is about the caller and not about a table, such as a job: 401 comes first. */
export const callerEndpoint = (
  registry: Registry,
  { name, run }: { readonly name: EndpointName; readonly run: CallerOperation },
  service: () => Service = processService,
): Handler =>
  createHttpHandler(name, service, async (running, event, request, invocation) => {
    const caller = await authenticateRequest(registry, running, request, invocation)
    endStage(invocation, 'access')
    const own = createCallerRequest(running, event, request, caller, invocation)
    const assertMayRun: OwnRequest['assertMayRun'] = async ({ tableName, action, params }) => {
      const endpoint = `${running.config.SERVICE_NAME}.${request.guard}.bulkTableAction`
      const to = await admitCaller(registry, caller, { ...request, tableName, endpoint, method: 'POST' })
      const { view, context } = viewTable(to, own, params)
      const present = findFormerAction(view, action)?.name ?? action
      findAction(view.bulkActions, present, offeredBulkActions(view, context.hasMail))
    }
    const isRead = request.method === 'GET'
    const outcome = await runWithinLimit(running, caller, isRead, () => run({ ...own, assertMayRun }))
    endStage(invocation, 'work')
    return toResponse(outcome)
  })

/**
 * The Lambda handler of the list of tables: those whose middlewares admit the caller, as if each had been asked for.
 */
export const tableListEndpoint = (registry: Registry, service: () => Service = processService): Handler =>
  createHttpHandler('listTables', service, async (running, event, request, invocation) => {
    const caller = await authenticateRequest(registry, running, request, invocation)
    const tables = await listAdmitted(registry, caller, request)
    endStage(invocation, 'access')
    return addEntityTag(
      toResponse(listTables(createRequest(running, event, request, invocation), tables)),
      event.headers['if-none-match'],
    )
  })
