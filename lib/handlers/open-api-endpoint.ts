import type { Config } from '../config.ts'
import {
  authenticateRequest,
  createCallerRequest,
  createHttpHandler,
  type Handler,
  runWithinLimit,
  toResponse,
} from '../http/endpoint.ts'
import { addEntityTag, matchesTag } from '../http/entity-tag.ts'
import { readQueryParams } from '../http/incoming.ts'
import { processService, type Service } from '../http/service.ts'
import { collectExampleResponses } from '../openapi/collect-example-responses.ts'
import { createDocumentCache, type DocumentCache, type DocumentText } from '../openapi/document-text.ts'
import { replyWith } from '../operations/reply.ts'
import type { CallerRequest } from '../operations/table-request.ts'
import {
  type AdmittedTable,
  assertAdmitted,
  catchRefusal,
  isAdmitted,
  loadAdmittedTables,
  openTable,
  viewTable,
} from '../table/open-table.ts'
import { asSentParams } from '../table/params-query.ts'
import type { Registry } from '../table/registry.ts'
import { offeredBulkActions, type TableView } from '../table/view.ts'
import { endStage } from '../telemetry/invocation.ts'

/**
 * The Lambda handler of the OpenAPI document: it describes what this caller may know on the guard of the request, and
 * nothing else.
 */
export const openApiEndpoint = (registry: Registry, service: () => Service = processService): Handler =>
  createHttpHandler('openApi', service, async (running, event, request, invocation) => {
    const caller = await authenticateRequest(registry, running, request, invocation)
    const asked = createCallerRequest(running, event, request, caller, invocation)
    const params = readQueryParams(event.rawQueryString, asked.body)
    const admitted = await loadAdmittedTables(registry, caller, request)
    endStage(invocation, 'access')
    const response = await runWithinLimit(running, caller, true, async () => {
      const tables = await viewTables(admitted, asked, params)
      const document = findDocument(asked, tables)
      const tag = event.headers['if-none-match']
      // Examples cost statements, and who holds the document needs none.
      if (matchesTag(tag, document.tag)) return addEntityTag(toResponse(replyWith(200, {})), tag, document.tag)
      const [first] = tables
      const examples = first === undefined ? {} : await loadExamples(first.admitted, asked, params)
      return addEntityTag(toResponse(replyWith(200, {}, document.write(examples))), tag, document.tag)
    })
    endStage(invocation, 'work')
    return response
  })

const caches = new WeakMap<Config, DocumentCache>()

/** Finds the document of what a caller may know, or makes it. */
function findDocument(
  { baseUrl, language, config, guard }: CallerRequest,
  tables: readonly KnownTable[],
): DocumentText {
  const cache = caches.get(config) ?? createDocumentCache()
  caches.set(config, cache)
  const views = tables.map(({ view }) => view)
  const describe = () => ({
    service: config,
    guard,
    baseUrl,
    language,
    tables: views.map((view) => withOfferedActions(view, config)),
  })
  return cache.find({ guard, baseUrl, language, views }, describe)
}

const withOfferedActions = (view: TableView, { MAIL }: CallerRequest['config']): TableView => ({
  ...view,
  bulkActions: offeredBulkActions(view, MAIL === 'on'),
})

const loadExamples = (admitted: AdmittedTable, asked: CallerRequest, params: unknown) =>
  collectExampleResponses(
    () => ({
      ...asked,
      ...openTable(admitted, asked, params, asSentParams(params)),
      table: admitted.table,
      tenant: () => undefined,
      assertAdmitted: (name) => assertAdmitted(admitted, name),
    }),
    (name) => isAdmitted(admitted, name),
  )

interface KnownTable {
  readonly admitted: AdmittedTable
  readonly view: TableView
}

/** Leaves out tables that need other `params`, because what they look like depends on them. */
async function viewTables(
  tables: readonly AdmittedTable[],
  asked: CallerRequest,
  params: unknown,
): Promise<readonly KnownTable[]> {
  const viewed = tables.map((admitted) =>
    catchRefusal(async () => ({ admitted, view: viewTable(admitted, asked, params).view })),
  )
  return (await Promise.all(viewed)).filter((table) => table !== undefined)
}
