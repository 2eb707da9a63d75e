import { findAction } from '../actions/find-action.ts'
import { callerLanguage } from '../i18n/language.ts'
import type { CallerOperation, OwnRequest, PublicOperation } from '../operations/table-request.ts'
import type { EndpointName } from '../routes.ts'
import { admitCaller, viewTable } from '../table/open-table.ts'
import type { Registry } from '../table/registry.ts'
import { endStage } from '../telemetry/invocation.ts'
import { answered, anyRequest, authenticateRequest, callerRequest, type Handler, httpEndpoint } from './endpoint.ts'
import { presentLinkFailure } from './link-failure-page.ts'
import { processService, type Service } from './service.ts'

/** The Lambda handler of an endpoint that is about the caller and not about a table, such as a job: 401 comes first. */
export const callerEndpoint = (
  registry: Registry,
  { name, run }: { readonly name: EndpointName; readonly run: CallerOperation },
  service: () => Service = processService,
): Handler =>
  httpEndpoint(name, service, async (running, event, request, invocation) => {
    const caller = await authenticateRequest(registry, running, request, invocation)
    endStage(invocation, 'access')
    const own = callerRequest(running, event, request, caller, invocation)
    const assertMayRun: OwnRequest['assertMayRun'] = async ({ tableName, action, params }) => {
      const endpoint = `${running.config.SERVICE_NAME}.${request.guard}.bulkTableAction`
      const to = await admitCaller(registry, caller, { ...request, tableName, endpoint, method: 'POST' })
      findAction(viewTable(to, own, params).view.bulkActions, action)
    }
    const outcome = await run({ ...own, assertMayRun })
    endStage(invocation, 'work')
    return answered(outcome)
  })

/** Creates the Lambda handler of a signed link, which needs no token. A browser sees its failures as a page. */
export const publicEndpoint = (
  { name, run }: { readonly name: EndpointName; readonly run: PublicOperation },
  service: () => Service = processService,
): Handler =>
  httpEndpoint(
    name,
    service,
    async (running, event, request, invocation) => {
      const outcome = await run(anyRequest(running, event, request, invocation))
      endStage(invocation, 'work')
      return answered(outcome)
    },
    { present: (answer, { headers }) => presentLinkFailure(answer, headers, callerLanguage(headers)) },
  )
