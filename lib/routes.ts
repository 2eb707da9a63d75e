/** The first part of every route behind the prefix of its guard. */
export const routePrefix = '/api-table/control-tables'

/**
 * The endpoints as data: the deployed API, the local gateway, action URLs and route names are all read from here.
 * `path` is relative to the guard's base path; an endpoint with an optional parameter has two paths.
 */
export const routes = [
  {
    name: 'loadTable',
    functionName: 'load-table',
    method: 'GET',
    paths: ['/load-table/{tableName}', '/load-table/{tableName}/{withData}'],
    purpose: 'The structure of a table, with the first page of rows when withData is true',
  },
  {
    name: 'listTables',
    functionName: 'list-tables',
    method: 'GET',
    paths: [''],
    purpose: 'The tables that the caller may load',
  },
  {
    name: 'openApi',
    functionName: 'openapi',
    method: 'GET',
    paths: ['/openapi.json'],
    purpose: 'What the caller may ask of which table, as an OpenAPI document',
  },
  {
    name: 'queryTableData',
    functionName: 'query-table',
    method: 'POST',
    paths: ['/query-table/{tableName}'],
    purpose: 'One page of rows, filtered, sorted and formatted',
  },
  {
    name: 'rowRefetch',
    functionName: 'row-refetch',
    method: 'POST',
    paths: ['/row-refetch/{tableName}/{rowId}'],
    purpose: 'Fresh data for one row',
  },
  {
    name: 'multiRowRefetch',
    functionName: 'multi-row-refetch',
    method: 'POST',
    paths: ['/multi-row-refetch/{tableName}'],
    purpose: 'Fresh data for several rows',
  },
  {
    name: 'rowTableAction',
    functionName: 'row-table-action',
    method: 'POST',
    paths: ['/row-table-action/{tableName}/{action}/{id}'],
    purpose: 'An action on one row',
  },
  {
    name: 'rowBulkTableAction',
    functionName: 'row-bulk-table-action',
    method: 'POST',
    paths: ['/row-bulk-table-action/{tableName}/{action}'],
    purpose: 'The same row action on several rows',
  },
  {
    name: 'bulkTableAction',
    functionName: 'bulk-table-action',
    method: 'POST',
    paths: ['/bulk-table-action/{tableName}/{action}'],
    purpose: 'An action of the toolbar: on selected rows, or on all that the filters select',
  },
  {
    name: 'jobStatus',
    functionName: 'job-status',
    method: 'GET',
    paths: ['/jobs/{jobId}'],
    purpose: 'How far a job of the caller is, and its result',
  },
  {
    name: 'cancelJob',
    functionName: 'cancel-job',
    method: 'POST',
    paths: ['/jobs/{jobId}/cancel'],
    purpose: 'Stops a job of the caller',
  },
  {
    name: 'listNotifications',
    functionName: 'list-notifications',
    method: 'GET',
    paths: ['/notifications'],
    purpose: "The caller's notifications, the newest first",
  },
  {
    name: 'readNotifications',
    functionName: 'read-notifications',
    method: 'POST',
    paths: ['/notifications/read'],
    purpose: 'Marks notifications of the caller as read',
  },
  {
    name: 'socketTicket',
    functionName: 'socket-ticket',
    method: 'POST',
    paths: ['/socket-ticket'],
    purpose: 'A ticket that opens one WebSocket',
  },
  {
    name: 'download',
    functionName: 'download',
    method: 'GET',
    answersHead: true,
    paths: ['/downloads/{download}'],
    purpose: 'The file behind a signed link, for whoever holds the link',
  },
  {
    name: 'revokeDownload',
    functionName: 'revoke-download',
    method: 'POST',
    paths: ['/downloads/{download}/revoke'],
    purpose: 'Ends a link that the caller requested',
  },
  {
    name: 'extendDownload',
    functionName: 'extend-download',
    method: 'POST',
    paths: ['/downloads/{download}/extend'],
    purpose: 'Lets a link that the caller requested work for longer',
  },
  {
    name: 'listDownloads',
    functionName: 'list-downloads',
    method: 'GET',
    paths: ['/downloads'],
    purpose: 'The links to files that the caller requested, newest first',
  },
] as const satisfies readonly Route[]

export interface Route {
  readonly name: string
  readonly functionName: string
  readonly method: 'GET' | 'POST'
  /** True where HEAD answers like GET, without a body. */
  readonly answersHead?: boolean
  readonly paths: readonly string[]
  readonly purpose: string
}

/** Pages, which stand outside of every guard and hold no data: what they show, they ask the endpoints for. */
export const pages = [
  {
    name: 'explorer',
    functionName: 'explorer',
    method: 'GET',
    paths: ['/explorer', '/explorer/{file}'],
    purpose: 'A page that draws every table from its structure, for people',
  },
] as const satisfies readonly Route[]

/** The functions that other events invoke: WebSocket routes, the queue, the schedule and deployments. */
export const triggers = {
  /** A message goes to the route that its `event` names, else to `$default`. */
  sockets: {
    $connect: 'socket-connect',
    $disconnect: 'socket-disconnect',
    $default: 'socket-message',
    count: 'socket-count',
  },
  queue: 'report-worker',
  schedule: { everyMinute: 'sweep' },
  /** In a deployment, before all others change. */
  deployment: 'migrate',
} as const

export type EndpointName = (typeof routes)[number]['name']
export type PageName = (typeof pages)[number]['name']

/** The function that answers what no route matches (API Gateway's `$default` route), so that 404 and 405 carry the envelope. */
export const fallbackFunctionName = 'route-not-found'

/** The first segment of every path of a guard; `web` has none. */
export const guardPrefix = (guard: string): string => (guard === 'web' ? '' : `/${guard}`)

/** The path in front of every endpoint of a guard. */
export const guardBasePath = (guard: string): string => guardPrefix(guard) + routePrefix

/** The paths of the endpoints that run actions; the structure embeds them as URLs. */
export const actionPaths = {
  row: '/row-table-action',
  rowBulk: '/row-bulk-table-action',
  bulk: '/bulk-table-action',
} as const

export interface MountedRoute {
  readonly route: (typeof routes)[number] | (typeof pages)[number]
  /** `undefined`: a page. */
  readonly guard: string | undefined
  /** API Gateway's route key, such as `POST /api/api-table/control-tables/query-table/{tableName}`. */
  readonly routeKey: string
}

/** Every route of every guard and every page, as API Gateway must be given them. */
export const mountRoutes = (guards: readonly string[]): readonly MountedRoute[] => [
  ...pages.flatMap((route) => routeKeys(route, '').map((routeKey) => ({ route, guard: undefined, routeKey }))),
  ...guards.flatMap((guard) =>
    routes.flatMap((route) => routeKeys(route, guardBasePath(guard)).map((routeKey) => ({ route, guard, routeKey }))),
  ),
]

/** Returns a route's keys below a base path: one for each path and method. */
const routeKeys = ({ method, answersHead, paths }: Route, basePath: string): readonly string[] =>
  (answersHead === true ? [method, 'HEAD'] : [method]).flatMap((one) =>
    paths.map((path) => `${one} ${basePath}${path}`),
  )
