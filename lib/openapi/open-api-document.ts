import type { Config } from '../config.ts'
import type { Language } from '../i18n/language.ts'
import { routePurposes } from '../route-purposes.ts'
import { type EndpointName, guardPrefix, type Route, routePrefix, routes } from '../routes.ts'
import type { LoadedRegistry } from '../table/registry.ts'
import { type TableView, wholeView } from '../table/view.ts'
import type { ExampleResponses } from './collect-example-responses.ts'
import { endpointBodies } from './endpoint-bodies.ts'
import { endpointParameters, sharedParameters } from './endpoint-parameters.ts'
import { listRowActions } from './form-schemas.ts'
import { type JsonSchema, listReferences, pickSchemas, ref, type Schemas } from './json-schema.ts'
import { type NamedTable, nameTable } from './named-table.ts'
import { describeResponses, failureResponses, sharedHeaders } from './responses.ts'
import { tableSchemas } from './table-schemas.ts'
import { wireSchemas } from './wire-schemas.ts'

/** The subject of a document. */
export interface DocumentSubject {
  readonly service: Pick<Config, 'SERVICE_NAME' | 'GUARDS' | 'ITEM_ACTIONS'>
  /** The guard whose tables, actions and route names are described. */
  readonly guard: string
  /** Scheme and host without a final slash, or nothing. */
  readonly baseUrl: string
  readonly language: Language
  /** The tables that may be known on the guard, each as it may be known. */
  readonly tables: readonly TableView[]
  /** Real responses about the first table. */
  readonly examples?: ExampleResponses
}

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, JsonSchema>>
  readonly components: { readonly schemas: Schemas; readonly [kind: string]: JsonSchema }
  readonly [key: string]: unknown
}

/** The document without its paths and the schemas of its components. */
export type DocumentFrame = Omit<OpenApiDocument, 'paths' | 'components'> & { readonly components: JsonSchema }

/** The paths of one table, or those of any, and the names of the schemas to which they refer. */
export interface DescribedPaths<Paths> {
  readonly paths: Paths
  readonly references: ReadonlySet<string>
}

/** The paths and schemas of one table, or those of any. */
interface DocumentPart<Paths> {
  readonly paths?: Paths
  readonly schemas: Schemas
}

/** Describes what the tables have in common, beside paths and schemas. */
export function describeFrame(described: DocumentSubject): DocumentFrame {
  const { service, guard } = described
  return {
    openapi: '3.1.1',
    info: {
      title: service.SERVICE_NAME,
      version: '1.0.0',
      description: `Server-driven data tables. Success is 200 with \`success: true\`; every failure has the schema \`Failure\`, but 400, 413, 429, 431, 500 and 503 of a gateway, which have a \`message\` alone. Described as on the guard \`${guard}\`; the document of another guard is at its own \`openapi.json\`.`,
    },
    servers: describeServers(described),
    security: [{ accessToken: [] }],
    tags: [
      { name: 'service', description: 'Operations on any table, jobs, notifications and downloads' },
      ...described.tables.map(nameTable).map(({ name }) => ({ name, description: `Operations on the table ${name}` })),
    ],
    components: {
      responses: failureResponses(),
      parameters: sharedParameters(),
      headers: sharedHeaders,
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}

/**
 * Describes the operations of any table, then those of one table after the other, then the schemas that these share. A
 * caller can drop each part before the next: those of 500 tables are a million objects.
 */
export function* describeParts<Paths>(
  { service, language, tables }: DocumentSubject,
  describe: (table: NamedTable | undefined) => DescribedPaths<Paths>,
): Generator<DocumentPart<Paths>, void, undefined> {
  const { paths, references } = describe(undefined)
  const shared = new Set([...references, ...listReferences({}, [failureResponses()])])
  yield { paths, schemas: {} }
  for (const table of tables.map(nameTable)) {
    const own = describe(table)
    const itemActions = table.view.table.definition.itemActions ?? service.ITEM_ACTIONS
    const schemas = tableSchemas(table, { itemActions, language })
    const kept = schemasOfTypes.map((suffix) => `${table.name}.${suffix}`)
    const found = listReferences(schemas, [...own.references, ...kept].map(ref))
    for (const name of found) if (!Object.hasOwn(schemas, name)) shared.add(name)
    yield { paths: own.paths, schemas: pickSchemas(schemas, found) }
  }
  yield { schemas: pickSchemas(wireSchemas(), listReferences(wireSchemas(), [...shared].map(ref))) }
}

/**
 * The OpenAPI document of one guard: an operation for each route, one more for each table of it, and the schemas of
 * each table.
 */
function openApiDocument(described: DocumentSubject): OpenApiDocument {
  const parts = [...describeParts(described, (table) => describePaths(table, described))]
  const { components, ...frame } = describeFrame(described)
  const schemas: Schemas = Object.assign({}, ...parts.map((part) => part.schemas))
  return {
    ...frame,
    openapi: '3.1.1',
    paths: Object.assign({}, ...parts.map((part) => part.paths)),
    components: { schemas, ...components },
  }
}

/** The schemas of a table that no operation names, but by which typed clients are typed. */
const schemasOfTypes = ['Item', 'Filter', 'Sort', 'RowActions', 'BulkActions'] as const

/** One server for each guard, the described one first: the same paths and tokens work on all of them. */
function describeServers({ service, guard, baseUrl }: DocumentSubject): readonly JsonSchema[] {
  const guards = [guard, ...service.GUARDS.filter((other) => other !== guard)]
  return guards.map((one) => ({
    url: baseUrl + guardPrefix(one) || '/',
    description:
      one === 'web'
        ? 'The guard `web`, for browsers: it does not know actions with `showInWeb: false`'
        : `The guard \`${one}\``,
  }))
}

/** Describes the paths of one table or, without one, those of any. */
export function describePaths(
  table: NamedTable | undefined,
  described: DocumentSubject,
): DescribedPaths<OpenApiDocument['paths']> {
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes as readonly (typeof routes)[number][]) {
    if (table !== undefined && !canAnswer(route.name, table.view)) continue
    for (const template of route.paths) {
      if (table !== undefined && !template.includes('{tableName}')) continue
      const [path, operation] = describeOperation(route, template, table, described)
      // Routes of one path and several methods share an entry.
      paths[path] = { ...paths[path], ...operation }
    }
  }
  return { paths, references: listReferences({}, [paths]) }
}

/** Whether an endpoint can do anything for a table: one without actions of a kind has no operation that runs them. */
function canAnswer(name: EndpointName, view: TableView): boolean {
  if (name === 'bulkTableAction') return view.bulkActions.length > 0
  if (name === 'rowTableAction') return listRowActions(view).length > 0
  return name !== 'rowBulkTableAction' || listRowActions(view).some(({ definition }) => definition.bulk !== undefined)
}

/** The operation of a route, for one table or, without one, for any. */
function describeOperation(
  route: (typeof routes)[number],
  path: string,
  table: NamedTable | undefined,
  { service, guard, tables, examples }: DocumentSubject,
): readonly [path: string, operation: JsonSchema] {
  const example = table?.view === tables[0] ? examples?.[route.name] : undefined
  const own = table === undefined ? path : path.replace('{tableName}', encodeURIComponent(table.view.table.name))
  const operation = {
    operationId: operationId(`${service.SERVICE_NAME}.${guard}`, route, path, table),
    summary: routePurposes[route.name],
    description: endpointDescriptions[route.name],
    tags: [table?.name ?? 'service'],
    ...(route.name === 'download' && { security: [] }),
    parameters: endpointParameters(route.name, own, table, tables),
    ...describeRequest(route.name, table, example?.body),
    responses: describeResponses(route.name, table, example),
  }
  const head = {
    ...operation,
    operationId: `${operation.operationId}.head`,
    summary: `${routePurposes[route.name]}: its headers`,
  }
  const answersHead = 'answersHead' in route && route.answersHead
  return [routePrefix + own, { [route.method.toLowerCase()]: operation, ...(answersHead && { head }) }]
}

/** `service.guard.route`, then the table, then the parameter that tells the second path of a route from its first. */
function operationId(prefix: string, { name, paths }: Route, path: string, table: NamedTable | undefined): string {
  const second = path === paths[0] ? undefined : /\{(\w+)\}$/.exec(path)?.[1]
  return [prefix, name, table?.name, second].filter((part) => part !== undefined).join('.')
}

function describeRequest(name: EndpointName, table: NamedTable | undefined, example: unknown): JsonSchema {
  const { request, needsBody } = endpointBodies[name]
  if (request === undefined) return {}
  const examples = example === undefined ? {} : { examples: { real: { value: example } } }
  const content = { 'application/json': { schema: request(table), ...examples } }
  return { requestBody: { ...(needsBody && { required: true }), content } }
}

/**
 * Writes the document of everything that a registry has on a guard, without regard to a caller and without examples.
 */
export const wholeDocument = (
  { tables }: LoadedRegistry,
  about: Pick<DocumentSubject, 'service' | 'guard' | 'baseUrl' | 'language'>,
): OpenApiDocument =>
  openApiDocument({ ...about, tables: [...tables.values()].map((table) => wholeView(table, about.guard)) })

/** Descriptions of the endpoints, beside their summaries. */
const endpointDescriptions: Readonly<Record<EndpointName, string>> = {
  loadTable: 'Columns, filters, actions with their URLs, and sorts, as this caller may see them.',
  listTables: 'Tables that refuse the caller are absent.',
  openApi: 'The document describes what this caller may know on this guard, and nothing else.',
  queryTableData:
    'Filters are joined by AND. A page beyond the end has no items. Send `next_cursor` as `cursor` to read on.',
  rowRefetch: 'A row outside the scope of the caller is answered like one that does not exist.',
  rowHistory:
    'Only changes of columns that the caller sees. A row outside the scope is answered like one that does not exist.',
  multiRowRefetch: 'Items come in the order of `row_ids`; `missing` lists ids that are gone or out of scope.',
  rowTableAction:
    'The body holds the fields of the form of the action, if it has one. `onSuccess` says what to do next.',
  rowBulkTableAction: 'Runs a row action that allows several rows, with a result for each row.',
  undoChange: 'Rows that have changed since stay as they are. Only changes of the caller exist here.',
  bulkTableAction:
    'Without `selected_ids` the action works on every row that the filters select. The response depends on `action_response`.',
  createImport:
    'Send the file to `upload.url` afterwards, with exactly `bytes` bytes. Only workbooks of `round_trip` can be sent back.',
  showImport: 'Ask until `state` is `planned` or `failed`. The first request after the upload starts reading.',
  applyImport: 'Cells in conflict and refused ones stay as they are. A repeated request gets the first response.',
  jobStatus: 'Only jobs of the caller exist here.',
  cancelJob: 'A job that has ended stays as it is.',
  listNotifications: 'Sent with `after`, only newer notifications come.',
  readNotifications: 'Without `ids` all notifications are marked as read.',
  socketTicket: 'The ticket works once, within a minute.',
  download: 'Needs no token: anyone with the link can download the file until the link expires.',
  revokeDownload: 'Only the requester of a file can revoke its links. Takes the id of a link, or the token of its URL.',
  extendDownload: 'Only the requester of a file can extend its links. A dead link cannot be extended.',
  listViews: 'A view of others that uses what the caller may not see is absent.',
  saveView:
    'A view may use what the caller may use, and nothing else. Views are private unless the table lets callers share them.',
  changeView: 'Only its owner can change a view. A changed `query` has the next `revision`.',
  removeView: 'Only its owner can remove a view.',
  listDownloads:
    'Each recipient of a mail has a link of their own. Expired links are absent; revoked ones have no URL.',
}
