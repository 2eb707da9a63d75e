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
  },
  {
    name: 'listTables',
    functionName: 'list-tables',
    method: 'GET',
    paths: [''],
  },
  {
    name: 'openApi',
    functionName: 'openapi',
    method: 'GET',
    paths: ['/openapi.json'],
  },
  {
    name: 'queryTableData',
    functionName: 'query-table',
    method: 'POST',
    paths: ['/query-table/{tableName}'],
  },
  {
    name: 'rowRefetch',
    functionName: 'row-refetch',
    method: 'POST',
    paths: ['/row-refetch/{tableName}/{rowId}'],
  },
  {
    name: 'rowHistory',
    functionName: 'row-refetch',
    method: 'GET',
    paths: ['/history/{tableName}/{id}'],
  },
  {
    name: 'multiRowRefetch',
    functionName: 'multi-row-refetch',
    method: 'POST',
    paths: ['/multi-row-refetch/{tableName}'],
  },
  {
    name: 'rowTableAction',
    functionName: 'row-table-action',
    method: 'POST',
    paths: ['/row-table-action/{tableName}/{action}/{id}'],
  },
  {
    name: 'rowBulkTableAction',
    functionName: 'row-bulk-table-action',
    method: 'POST',
    paths: ['/row-bulk-table-action/{tableName}/{action}'],
  },
  {
    name: 'undoChange',
    functionName: 'row-bulk-table-action',
    method: 'POST',
    paths: ['/undo/{tableName}/{change}'],
  },
  {
    name: 'bulkTableAction',
    functionName: 'bulk-table-action',
    method: 'POST',
    paths: ['/bulk-table-action/{tableName}/{action}'],
  },
  {
    name: 'jobStatus',
    functionName: 'job-status',
    method: 'GET',
    paths: ['/jobs/{jobId}'],
  },
  {
    name: 'cancelJob',
    functionName: 'cancel-job',
    method: 'POST',
    paths: ['/jobs/{jobId}/cancel'],
  },
  {
    name: 'listNotifications',
    functionName: 'list-notifications',
    method: 'GET',
    paths: ['/notifications'],
  },
  {
    name: 'readNotifications',
    functionName: 'read-notifications',
    method: 'POST',
    paths: ['/notifications/read'],
  },
  {
    name: 'socketTicket',
    functionName: 'socket-ticket',
    method: 'POST',
    paths: ['/socket-ticket'],
  },
  {
    name: 'download',
    functionName: 'download',
    method: 'GET',
    answersHead: true,
    paths: ['/downloads/{download}'],
  },
  {
    name: 'revokeDownload',
    functionName: 'revoke-download',
    method: 'POST',
    paths: ['/downloads/{download}/revoke'],
  },
  {
    name: 'extendDownload',
    functionName: 'extend-download',
    method: 'POST',
    paths: ['/downloads/{download}/extend'],
  },
  {
    name: 'listDownloads',
    functionName: 'list-downloads',
    method: 'GET',
    paths: ['/downloads'],
  },
  {
    name: 'listViews',
    functionName: 'views',
    method: 'GET',
    paths: ['/views/{tableName}'],
  },
  {
    name: 'saveView',
    functionName: 'views',
    method: 'POST',
    paths: ['/views/{tableName}'],
  },
  {
    name: 'changeView',
    functionName: 'views',
    method: 'PATCH',
    paths: ['/views/{tableName}/{id}'],
  },
  {
    name: 'removeView',
    functionName: 'views',
    method: 'DELETE',
    paths: ['/views/{tableName}/{id}'],
  },
] as const satisfies readonly Route[]

export interface Route {
  readonly name: string
  readonly functionName: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** True where HEAD answers like GET, without a body. */
  readonly answersHead?: boolean
  readonly paths: readonly string[]
}

/** Pages, which stand outside of every guard and hold no data: what they show, they ask the endpoints for. */
export const pages = [
  {
    name: 'explorer',
    functionName: 'explorer',
    method: 'GET',
    paths: ['/explorer', '/explorer/{file}'],
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

/** The path that undoes a change, before the names of its table and of the change. */
export const undoPath = '/undo'

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
