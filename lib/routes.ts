/** The first part of every route behind the prefix of its guard. */
export const routePrefix = '/api-table/control-tables'

/** Creates an entry of `routes`. Written as calls, the list takes a quarter less of every function. */
const createRoute = <
  const Name extends string,
  const Function extends string,
  const Method extends Route['method'],
  const Paths extends readonly string[],
>(
  name: Name,
  functionName: Function,
  method: Method,
  paths: Paths,
) => ({ name, functionName, method, paths })

/**
 * The endpoints as data: the deployed API, the local gateway, action URLs and route names are all read from here.
 * `paths` are relative to the guard's base path; an endpoint with an optional parameter has two paths.
 */
export const routes = [
  createRoute('loadTable', 'load-table', 'GET', ['/load-table/{tableName}', '/load-table/{tableName}/{withData}']),
  createRoute('listTables', 'list-tables', 'GET', ['']),
  createRoute('openApi', 'openapi', 'GET', ['/openapi.json']),
  createRoute('queryTableData', 'query-table', 'POST', ['/query-table/{tableName}']),
  createRoute('rowRefetch', 'row-refetch', 'POST', ['/row-refetch/{tableName}/{rowId}']),
  createRoute('rowHistory', 'row-refetch', 'GET', ['/history/{tableName}/{id}']),
  createRoute('multiRowRefetch', 'multi-row-refetch', 'POST', ['/multi-row-refetch/{tableName}']),
  createRoute('rowTableAction', 'row-table-action', 'POST', ['/row-table-action/{tableName}/{action}/{id}']),
  createRoute('rowBulkTableAction', 'row-bulk-table-action', 'POST', ['/row-bulk-table-action/{tableName}/{action}']),
  createRoute('undoChange', 'row-bulk-table-action', 'POST', ['/undo/{tableName}/{change}']),
  createRoute('bulkTableAction', 'bulk-table-action', 'POST', ['/bulk-table-action/{tableName}/{action}']),
  createRoute('createImport', 'bulk-table-action', 'POST', ['/imports/{tableName}']),
  createRoute('showImport', 'bulk-table-action', 'GET', ['/imports/{tableName}/{id}']),
  createRoute('applyImport', 'bulk-table-action', 'POST', ['/imports/{tableName}/{id}']),
  createRoute('jobStatus', 'job-status', 'GET', ['/jobs/{jobId}']),
  createRoute('cancelJob', 'cancel-job', 'POST', ['/jobs/{jobId}/cancel']),
  createRoute('listNotifications', 'list-notifications', 'GET', ['/notifications']),
  createRoute('readNotifications', 'read-notifications', 'POST', ['/notifications/read']),
  createRoute('socketTicket', 'socket-ticket', 'POST', ['/socket-ticket']),
  { ...createRoute('download', 'download', 'GET', ['/downloads/{download}']), answersHead: true },
  createRoute('revokeDownload', 'revoke-download', 'POST', ['/downloads/{download}/revoke']),
  createRoute('extendDownload', 'extend-download', 'POST', ['/downloads/{download}/extend']),
  createRoute('listDownloads', 'list-downloads', 'GET', ['/downloads']),
  createRoute('listViews', 'views', 'GET', ['/views/{tableName}']),
  createRoute('saveView', 'views', 'POST', ['/views/{tableName}']),
  createRoute('changeView', 'views', 'PATCH', ['/views/{tableName}/{id}']),
  createRoute('removeView', 'views', 'DELETE', ['/views/{tableName}/{id}']),
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
    ping: 'socket-ping',
    $default: 'socket-message',
  },
  queue: 'report-worker',
  schedule: { everyMinute: 'sweep' },
  /** In a deployment, before all others change. */
  deployment: 'migrate',
} as const

export type EndpointName = (typeof routes)[number]['name']
export type PageName = (typeof pages)[number]['name']

/**
 * The function that answers what no route matches (API Gateway's `$default` route), so that 404 and 405 carry the
 * envelope.
 */
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
