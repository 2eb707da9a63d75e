import { type CatalogueEntry, catalogue, defaultStatus, type ErrorCode } from '../errors/catalogue.ts'
import { type ImportErrorCode, importFailures } from '../errors/import-error.ts'
import { type EndpointName, routes } from '../routes.ts'
import type { ExampleResponse } from './collect-example-responses.ts'
import { endpointBodies, fileContents } from './endpoint-bodies.ts'
import { endpointsOfTables, taggedEndpoints } from './endpoint-parameters.ts'
import { type JsonSchema, ref } from './json-schema.ts'
import type { NamedTable } from './named-table.ts'

const json = (schema: JsonSchema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { examples: { real: { value: example } } }) },
})

/** Every response of an endpoint by status: success, and each failure with the codes that it can have. */
export const describeResponses = (
  name: EndpointName,
  table: NamedTable | undefined,
  example: ExampleResponse | undefined,
): JsonSchema => ({
  ...successes(name, table, example),
  ...failureReferences.get(name),
})

let everyFailure: JsonSchema | undefined

/** The failures of every endpoint: the same in every document. */
export function failureResponses(): JsonSchema {
  everyFailure ??= Object.fromEntries(
    routes.flatMap(({ name }) =>
      listCodes(name).map(([status, codes]) => [failureName(name, status, codes), failureSchema(name, status, codes)]),
    ),
  )
  return everyFailure
}

function successes(
  name: EndpointName,
  table: NamedTable | undefined,
  example: ExampleResponse | undefined,
): JsonSchema {
  if (name === 'download') {
    const location = { schema: { type: 'string', format: 'uri' }, required: true }
    return { '302': { description: 'The way to the file, for a minute', headers: { location } } }
  }
  const content = json(endpointBodies[name].response(table), example?.response)
  const files = name === 'bulkTableAction' ? fileContents : {}
  const current = { description: 'The response that you hold is still current', headers: referToHeaders('etag') }
  const headers = table?.view.table.formerNames.length === 0 ? headersOfPresentNames : headersOfAnyTable
  return {
    '200': { description: 'Success', ...headers.get(name), content: { ...content, ...files } },
    ...(taggedEndpoints.has(name) && { '304': current }),
  }
}

const header = (description: string, type = 'string') => ({ description, schema: { type } })

/** The headers that responses refer to, because each is the same in the operations of all tables. */
export const sharedHeaders = {
  deprecation: header('Of a request with a former name, also a refused one: since when it is deprecated (RFC 9745)'),
  sunset: header('Of a request with a former name, also a refused one: when it may be gone (RFC 8594)'),
  etag: header('For `if-none-match`'),
  'idempotency-replayed': header('`true`: this is the response to the first request with its key'),
  'content-disposition': header('Of a response that is the file itself: its name'),
  'x-total-rows': header('Of a response that is the file itself: its rows', 'integer'),
  'www-authenticate': header('`Bearer`, with `error` for a token that is not valid'),
  'retry-after': header('Seconds', 'integer'),
  ratelimit: header('What is left, and when there is more'),
  'ratelimit-policy': header('The limit'),
} as const

type HeaderName = keyof typeof sharedHeaders

const referToHeaders = (...names: readonly HeaderName[]): JsonSchema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const listHeaders = (name: EndpointName, hasFormerNames: boolean): readonly HeaderName[] => [
  ...(hasFormerNames && endpointsOfTables.has(name) ? (['deprecation', 'sunset'] as const) : []),
  ...(taggedEndpoints.has(name) ? (['etag'] as const) : []),
  ...(endpointsOfActions.has(name) ? (['idempotency-replayed'] as const) : []),
  ...(name === 'bulkTableAction' ? (['content-disposition', 'x-total-rows'] as const) : []),
]

const failureHeaders: Readonly<Record<string, JsonSchema>> = {
  '401': { headers: referToHeaders('www-authenticate') },
  '429': { headers: referToHeaders('retry-after', 'ratelimit', 'ratelimit-policy') },
  '503': { headers: referToHeaders('retry-after') },
}

type FailureCode = ErrorCode | ImportErrorCode

const failureTexts: Readonly<Record<FailureCode, CatalogueEntry>> = { ...catalogue, ...importFailures }

/** Lists the codes of an endpoint by their status. `4XX`, which middlewares choose, has none. */
const listCodes = (name: EndpointName): readonly (readonly [status: string, codes: readonly FailureCode[]])[] => [
  ...Map.groupBy(endpointCodes[name], (code) => String(failureTexts[code].status ?? defaultStatus)),
  ...(name === 'download' ? [] : [['4XX', []] as const]),
]

/**
 * Endpoints that fail with the same one or two codes share the failure, which is called like these. Those of a download
 * are pages as well.
 */
function failureName(name: EndpointName, status: string, codes: readonly FailureCode[]): string {
  if (codes.length === 0) return 'refused'
  return codes.length <= 2 && name !== 'download' ? codes.join('.') : `${name}.${status}`
}

function failureSchema(name: EndpointName, status: string, codes: readonly FailureCode[]): JsonSchema {
  if (codes.length === 0) return { description: 'A middleware refuses', content: json(ref('Failure')) }
  // There an author may refuse with a code of his own.
  const isOpen = status === '422' ? endpointsOfActions.has(name) : codes.includes('forbidden')
  // A middleware may choose the status of any refusal.
  const middlewares = name !== 'download' && status.startsWith('4') ? (['forbidden'] as const) : []
  const known = { properties: { code: { type: 'string', enum: [...codes, ...middlewares] } } }
  return {
    description: codes.map((code) => `\`${code}\`: ${failureTexts[code].en}`).join('\n\n'),
    ...failureHeaders[status],
    content: {
      ...json(isOpen ? ref('Failure') : { allOf: [ref('Failure'), known] }),
      // A person who opens a dead link in a browser sees a page.
      ...(name === 'download' && { 'text/html': { schema: { type: 'string' } } }),
    },
  }
}

const any: readonly ErrorCode[] = ['invalid_body', 'body_too_large', 'internal_error', 'unavailable', 'timed_out']
const known: readonly ErrorCode[] = [...any, 'unauthenticated']
const caller: readonly ErrorCode[] = [...known, 'too_many_requests']
const table: readonly ErrorCode[] = [
  ...caller,
  'forbidden',
  'table_not_found',
  'validation_failed',
  'response_too_large',
]
const page: readonly ErrorCode[] = [...table, 'page_too_costly', 'view_not_found', 'view_changed']
const action: readonly ErrorCode[] = [
  ...table,
  'action_not_defined',
  'action_not_applicable',
  'action_failed',
  'row_busy',
  'view_not_found',
  'view_changed',
  'conflicting_data',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'outcome_unknown',
]

const plan: readonly ErrorCode[] = ['plan_not_found', 'plan_expired', 'plan_outdated', 'too_many_plans']

const undo: readonly ErrorCode[] = ['undo_not_found', 'undo_expired', 'already_undone', 'undo_conflict']

const importing: readonly FailureCode[] = [...table, 'import_refused']

/** The codes with which an endpoint may fail, apart from those of authors. */
const endpointCodes: Readonly<Record<EndpointName, readonly FailureCode[]>> = {
  loadTable: [...page, 'row_not_found'],
  // Its function has no connection to the database, which counts requests.
  listTables: [...known, 'forbidden'],
  openApi: [...caller, 'forbidden', 'response_too_large'],
  queryTableData: [...page, 'row_not_found'],
  rowRefetch: [...table, 'row_not_found'],
  rowHistory: [...table, 'row_not_found'],
  multiRowRefetch: table,
  rowTableAction: [...action, 'row_not_found', 'row_version_conflict', 'unexpected_count'],
  rowBulkTableAction: [...action, ...plan, 'row_not_found', 'row_version_conflict', 'unexpected_count'],
  undoChange: [...action, 'row_not_found', ...undo],
  bulkTableAction: [
    ...action,
    ...plan,
    'unexpected_count',
    'selection_too_large',
    'selection_mismatch',
    'selection_moved',
    'export_too_large',
    'recipient_not_allowed',
    'mail_off',
    'too_many_jobs',
  ],
  createImport: [...importing, 'too_many_imports', 'outcome_unknown'],
  showImport: [...importing, 'import_not_found', 'too_many_jobs', 'outcome_unknown'],
  applyImport: [...action, 'import_refused', 'import_not_found', 'import_not_planned', 'plan_not_found'],
  jobStatus: [...caller, 'forbidden', 'job_not_found', 'validation_failed'],
  cancelJob: [...caller, 'forbidden', 'job_not_found', 'outcome_unknown'],
  listNotifications: [...caller, 'forbidden', 'validation_failed'],
  readNotifications: [...caller, 'forbidden', 'validation_failed', 'outcome_unknown'],
  socketTicket: [...caller, 'forbidden', 'route_not_found', 'outcome_unknown'],
  download: [...any, 'download_not_found'],
  revokeDownload: [...caller, 'forbidden', 'download_not_found', 'outcome_unknown'],
  extendDownload: [
    ...caller,
    'forbidden',
    'validation_failed',
    'table_not_found',
    'action_not_defined',
    'download_not_found',
    'outcome_unknown',
  ],
  listDownloads: [...caller, 'forbidden', 'validation_failed'],
  listViews: table,
  saveView: [...table, 'too_many_views', 'outcome_unknown'],
  changeView: [...table, 'view_not_found', 'view_changed', 'outcome_unknown'],
  removeView: [...table, 'view_not_found', 'outcome_unknown'],
}

/** Endpoints whose actions may refuse with codes of their own (422). */
const endpointsOfActions: ReadonlySet<EndpointName> = new Set([
  'rowTableAction',
  'rowBulkTableAction',
  'undoChange',
  'bulkTableAction',
  'applyImport',
])

/** Made once, because the document of many tables has thousands of operations. */
const failureReferences: ReadonlyMap<EndpointName, JsonSchema> = new Map(
  routes.map(({ name }) => [
    name,
    Object.fromEntries(
      listCodes(name).map(([status, codes]) => [
        status,
        { $ref: `#/components/responses/${failureName(name, status, codes)}` },
      ]),
    ),
  ]),
)

const createHeaders = (hasFormerNames: boolean): ReadonlyMap<EndpointName, JsonSchema> =>
  new Map(
    routes.map(({ name }) => {
      const names = listHeaders(name, hasFormerNames)
      return [name, names.length === 0 ? {} : { headers: referToHeaders(...names) }]
    }),
  )

const headersOfAnyTable = createHeaders(true)
const headersOfPresentNames = createHeaders(false)
