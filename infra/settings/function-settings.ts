import type { fallbackFunctionName, pages, routes, triggers } from '../../lib/routes.ts'

/** Every function that a route or a trigger names. */
export type FunctionName =
  | (typeof routes)[number]['functionName']
  | (typeof pages)[number]['functionName']
  | (typeof triggers.sockets)[keyof typeof triggers.sockets]
  | typeof triggers.queue
  | typeof triggers.schedule.everyMinute
  | typeof fallbackFunctionName

/** The functions of routes and triggers, and the one that only a deployment calls. */
export type DeployedName = FunctionName | typeof triggers.deployment

/** A service that a function uses, from which its permissions and variables follow. */
export type Use =
  | 'sends jobs'
  | 'writes files'
  | 'reads files'
  | 'removes files'
  | 'extends links'
  | 'chooses recipients'
  | 'sends mails'
  | 'pushes'
  | 'closes sockets'
  | 'removes rows'
  | 'names the socket'
  | 'names the uploads'

export interface FunctionSettings {
  /** Share of the connections for requests, relative to all shares; 0 for a function without database. */
  readonly share: number
  /** Concurrency of a function without database, as of this share. Default: unlimited. */
  readonly runsLikeShare?: number
  readonly memoryMb: number
  readonly timeoutSeconds: number
  readonly uses: readonly Use[]
}

/** Above the deadline of requests (25 seconds), so that clients are always told, and below API Gateway's own 30. */
const request = { memoryMb: 1_024, timeoutSeconds: 29, uses: [] } as const
const light = { ...request, memoryMb: 512 } as const

/**
 * How large each function is and what it may do: a function that is not here, or a use that is not listed, does not
 * exist.
 */
export const functionSettings: Readonly<Record<FunctionName, FunctionSettings>> = {
  'load-table': { ...request, share: 4 },
  'list-tables': { ...light, share: 0, runsLikeShare: 2 },
  openapi: { ...light, share: 1 },
  'query-table': { ...request, share: 10 },
  'row-refetch': { ...request, share: 2 },
  'multi-row-refetch': { ...request, share: 2 },
  // Actions wake the worker that tells the watchers of their rows.
  'row-table-action': { ...request, share: 2, uses: ['sends jobs'] },
  'row-bulk-table-action': { ...request, share: 1, uses: ['sends jobs'] },
  'bulk-table-action': {
    ...request,
    // Writes whole workbooks while the caller waits.
    memoryMb: 1_769,
    share: 2,
    // It signs uploads of imports, and looks whether they are there.
    uses: ['sends jobs', 'writes files', 'reads files', 'removes files', 'chooses recipients', 'pushes'],
  },
  'job-status': { ...light, share: 1 },
  'cancel-job': { ...light, share: 1, uses: ['pushes'] },
  'list-notifications': { ...light, share: 1 },
  'read-notifications': { ...light, share: 1 },
  'socket-ticket': { ...light, share: 1, uses: ['names the socket'] },
  // It uploads a file that could not be uploaded when it was made.
  download: { ...light, share: 1, uses: ['writes files', 'reads files', 'removes files'] },
  'revoke-download': { ...light, share: 1 },
  'extend-download': { ...light, share: 1, uses: ['extends links'] },
  'list-downloads': { ...light, share: 1 },
  // One function for four routes: a caller who lists views also saves them, and few do.
  views: { ...light, share: 1 },
  explorer: { ...light, memoryMb: 256, share: 0, uses: ['names the socket', 'names the uploads'] },
  'route-not-found': { ...light, memoryMb: 256, share: 0 },
  'socket-connect': { ...light, share: 2 },
  'socket-disconnect': { ...light, share: 1 },
  'socket-ping': { ...light, share: 0, uses: ['pushes'] },
  'socket-message': { ...light, share: 1, uses: ['pushes', 'sends jobs'] },
  'report-worker': {
    share: 0,
    memoryMb: 1_769,
    timeoutSeconds: 900,
    uses: ['sends jobs', 'writes files', 'reads files', 'removes files', 'sends mails', 'pushes'],
  },
  sweep: {
    share: 0,
    memoryMb: 512,
    timeoutSeconds: 55,
    uses: ['sends jobs', 'removes files', 'pushes', 'closes sockets', 'removes rows'],
  },
}

/** As long as a function may take at all: a migration that takes longer must be split. */
const migrationSettings: FunctionSettings = { share: 0, memoryMb: 512, timeoutSeconds: 900, uses: [] }

/** Returns the settings of any function that is deployed. */
export const settingsOfFunction = (name: DeployedName): FunctionSettings =>
  name === 'migrate' ? migrationSettings : functionSettings[name]

/** Each worker has one connection for its job's rows beside the one for the job itself. */
const connectionsPerReport = 2
/** One sweep may still run when the next begins. */
const sweepsAtOnce = 2
/** Used beside all others during a deployment. */
const migrationsAtOnce = 1

interface Limits {
  readonly connections: number
  readonly maxConcurrentReports: number
}

const shares = Object.values(functionSettings).reduce((sum, { share }) => sum + share, 0)

/** Returns the connections that remain for requests after workers, sweep and migrations. */
const connectionsForRequests = ({ connections, maxConcurrentReports }: Limits): number =>
  connections - maxConcurrentReports * connectionsPerReport - sweepsAtOnce - migrationsAtOnce

/** How many connections a stage needs at least, so that every function can run. */
export const minConnections = (maxConcurrentReports: number): number =>
  shares - connectionsForRequests({ connections: 0, maxConcurrentReports })

/**
 * How many of a function run at once, so that all together stay below the database's limit; `undefined`: as many as
 * come.
 */
export function reservedConcurrency(name: DeployedName, limits: Limits): number | undefined {
  if (name === 'report-worker') return limits.maxConcurrentReports
  if (name === 'sweep') return sweepsAtOnce
  if (name === 'migrate') return migrationsAtOnce
  const { share, runsLikeShare = 0 } = functionSettings[name]
  const part = share || runsLikeShare
  return part === 0 ? undefined : Math.floor((connectionsForRequests(limits) * part) / shares)
}

/** The concurrent executions of an account that Lambda keeps unreserved. It refuses reservations that leave fewer. */
export const unreservedConcurrency = 100

/** How much concurrency all functions of a stage reserve together. */
export const totalReservedConcurrency = (limits: Limits): number =>
  ([...Object.keys(functionSettings), 'migrate'] as DeployedName[]).reduce(
    (sum, name) => sum + (reservedConcurrency(name, limits) ?? 0),
    0,
  )

/**
 * How many connections functions can open where nothing is reserved: one for each execution, and one more for each
 * worker.
 */
export const maxConnections = (limits: {
  readonly accountConcurrency: number
  readonly maxConcurrentReports: number
}): number =>
  limits.accountConcurrency +
  Math.min(limits.maxConcurrentReports, limits.accountConcurrency) * (connectionsPerReport - 1)

/** Whether a function logs in to the database. */
export const opensConnections = (name: string): boolean =>
  name === 'migrate' || (Object.hasOwn(functionSettings, name) && connectionsPerFunction(name as DeployedName) > 0)

/** How many connections one running function may hold; 0 for one that needs no database. */
export function connectionsPerFunction(name: DeployedName): number {
  if (name === 'report-worker') return connectionsPerReport
  return name === 'sweep' || name === 'migrate' || functionSettings[name].share > 0 ? 1 : 0
}
