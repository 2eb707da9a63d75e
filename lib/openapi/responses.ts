import { type CatalogueEntry, catalogue, defaultStatus, type ErrorCode } from '../errors/catalogue.ts'
import { type ImportErrorCode, importFailures } from '../errors/import-error.ts'
import { type EndpointName, routes } from '../routes.ts'
import type { ExampleResponse } from './collect-example-responses.ts'
import { endpointBodies, fileTypes } from './endpoint-bodies.ts'
import { type JsonSchema, ref } from './json-schema.ts'
import type { NamedTable } from './named-table.ts'

const json = (schema: JsonSchema, example?: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { examples: { real: { value: example } } }) },
})

const tagged: ReadonlySet<EndpointName> = new Set(['loadTable', 'listTables', 'openApi'])

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

/** The failures of every endpoint, by endpoint and status: the same in every document. */
export function failureResponses(): JsonSchema {
  everyFailure ??= Object.assign({}, ...routes.map(({ name }) => failures(name))) as JsonSchema
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
  const files = name === 'bulkTableAction' ? Object.fromEntries(fileTypes.map((type) => [type, {}])) : {}
  return {
    '200': { description: 'Success', ...headers(name), content: { ...content, ...files } },
    ...(tagged.has(name) && { '304': { description: 'The response that you hold is still current' } }),
  }
}

const header = (description: string) => ({ description, schema: { type: 'string' } })

/** The headers that responses refer to, because each is the same in the operations of all tables. */
export const sharedHeaders = {
  deprecation: header('Of a request with a former name: since when it is deprecated (RFC 9745)'),
  sunset: header('Of a request with a former name: when it may be gone (RFC 8594)'),
  etag: header('For `if-none-match`'),
  'idempotency-replayed': header('`true`: this is the response to the first request with its key'),
} as const

const referToHeaders = (...names: readonly (keyof typeof sharedHeaders)[]): JsonSchema => ({
  headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
})

const former = ['deprecation', 'sunset'] as const
const headersOfTagged = referToHeaders('etag')
const headersOfStructure = referToHeaders(...former, 'etag')
const headersOfPage = referToHeaders(...former)
const headersOfAction = referToHeaders(...former, 'idempotency-replayed')

function headers(name: EndpointName): JsonSchema {
  if (name === 'loadTable') return headersOfStructure
  if (tagged.has(name)) return headersOfTagged
  if (endpointsOfActions.has(name)) return headersOfAction
  return name === 'queryTableData' ? headersOfPage : {}
}

type FailureCode = ErrorCode | ImportErrorCode

const failureTexts: Readonly<Record<FailureCode, CatalogueEntry>> = { ...catalogue, ...importFailures }

/** Lists the codes of an endpoint by their status. `4XX`, which middlewares choose, has none. */
const listCodes = (name: EndpointName): readonly (readonly [status: string, codes: readonly FailureCode[]])[] => [
  ...Map.groupBy(endpointCodes[name], (code) => String(failureTexts[code].status ?? defaultStatus)),
  ...(name === 'download' ? [] : [['4XX', []] as const]),
]

const failures = (name: EndpointName): JsonSchema =>
  Object.fromEntries(
    listCodes(name).map(([status, codes]) => [`${name}.${status}`, failureSchema(name, status, codes)]),
  )

function failureSchema(name: EndpointName, status: string, codes: readonly FailureCode[]): JsonSchema {
  if (codes.length === 0) return { description: 'A middleware refuses', content: json(ref('Failure')) }
  // There an author may refuse with a code of his own.
  const isOpen = status === '422' ? endpointsOfActions.has(name) : codes.includes('forbidden')
  const known = { properties: { code: { enum: codes } } }
  const retry = { 'retry-after': header('Seconds') }
  const limit = { ratelimit: header('What is left, and when there is more'), 'ratelimit-policy': header('The limit') }
  return {
    description: codes.map((code) => `\`${code}\`: ${failureTexts[code].en}`).join('\n\n'),
    ...(status === '503' && { headers: retry }),
    ...(status === '429' && { headers: { ...retry, ...limit } }),
    content: {
      ...json(isOpen ? ref('Failure') : { allOf: [ref('Failure'), known] }),
      // A person who opens a dead link in a browser sees a page.
      ...(name === 'download' && { 'text/html': {} }),
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
      listCodes(name).map(([status]) => [status, { $ref: `#/components/responses/${name}.${status}` }]),
    ),
  ]),
)
