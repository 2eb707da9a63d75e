import { is, SQL, sql } from 'drizzle-orm'
import type { Caller } from '../auth/authenticate-caller.ts'
import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest, Middleware } from '../auth/middleware.ts'
import type { Config } from '../config.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { parseWith } from '../errors/parse-with.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import type { Language } from '../i18n/language.ts'
import { type EndpointName, routes } from '../routes.ts'
import { log } from '../telemetry/log.ts'
import { failureFacts } from '../telemetry/log-failure.ts'
import type { CompiledTable } from './compiled-table.ts'
import type { ResponseContext } from './context.ts'
import { isEveryRow } from './define-table.ts'
import type { RegisteredTable, Registry, TableListing } from './registry.ts'
import { isObject } from './unknown-body.ts'
import { createView, type TableView } from './view.ts'

declare const admitted: unique symbol
declare const opened: unique symbol

/** A table whose middlewares admitted the caller. Only this module makes one. */
export interface AdmittedTable {
  readonly [admitted]: true
  readonly table: CompiledTable
  readonly identity: Identity
  readonly request: IncomingRequest
}

/** A table as one caller sees it. */
export interface ViewedTable {
  readonly view: TableView
  readonly context: ResponseContext
}

/**
 * One caller's part of one table: what every statement on the table is made of. Only `openTable` makes one, so that no
 * statement can be written without the scope.
 */
export interface OpenedTable extends ViewedTable {
  readonly [opened]: true
  readonly scope: SQL
}

/** The settings and choices of a request or a job on which its responses depend. */
interface Circumstances {
  readonly language: Language
  readonly guard: string
  readonly baseUrl: string
  readonly config: Pick<Config, 'TIME_ZONE' | 'ITEM_ACTIONS' | 'ADVANCED_FILTERS' | 'GUARDS' | 'MAIL'>
}

/** Loads a table and runs its own middlewares in order. Throws `table_not_found`, and what a middleware throws. */
export async function admitCaller(
  registry: Registry,
  { identity }: Caller,
  request: IncomingRequest,
): Promise<AdmittedTable> {
  const registered = registry.registered.get(request.tableName)
  if (registered === undefined) throw new RequestError('table_not_found', { table: request.tableName })
  const table = await registered.load()
  await runMiddlewares(table.definition.middlewares, identity, request)
  return { table, identity, request } as AdmittedTable
}

async function runMiddlewares(
  middlewares: readonly Middleware<Record<string, unknown>>[] = [],
  identity: Identity,
  request: IncomingRequest,
): Promise<void> {
  for (const middleware of middlewares) await middleware({ ...request, identity })
}

/** Runs the middlewares again, as if another endpoint of the table had been called. Throws what they throw. */
export async function assertAdmitted({ table, identity, request }: AdmittedTable, name: EndpointName): Promise<void> {
  await runMiddlewares(table.definition.middlewares, identity, requestTo(name, table.name, request))
}

/** Returns whether the middlewares admit the caller to an endpoint. A failure of ours is no refusal and is thrown. */
export async function isAdmitted(to: AdmittedTable, name: EndpointName): Promise<boolean> {
  return (await catchRefusal(() => assertAdmitted(to, name).then(() => true))) ?? false
}

/**
 * Returns the tables whose structure the caller may load, on the guard of the request. Few of them need to be loaded
 * for it.
 */
export async function listAdmitted(
  registry: Registry,
  { identity }: Caller,
  request: IncomingRequest,
): Promise<readonly TableListing[]> {
  const tables = [...registry.registered.values()].map(async (registered) => {
    const listing = await tryToLoad(registered, request, registered.describe)
    if (listing === undefined || listing.middlewares.length === 0) return listing
    const { name, middlewares } = listing
    return catchRefusal(async () => {
      await runMiddlewares(middlewares, identity, requestTo('loadTable', name, request))
      return listing
    })
  })
  return (await Promise.all(tables)).filter((table) => table !== undefined)
}

/** Loads the tables that `listAdmitted` returns. */
export async function loadAdmittedTables(
  registry: Registry,
  caller: Caller,
  request: IncomingRequest,
): Promise<readonly AdmittedTable[]> {
  const listings = await listAdmitted(registry, caller, request)
  const tables = listings.map(async ({ name }) => {
    const registered = registry.registered.get(name)
    const table = registered && (await tryToLoad(registered, request, registered.load))
    const { identity } = caller
    return table && ({ table, identity, request: requestTo('loadTable', name, request) } as AdmittedTable)
  })
  return (await Promise.all(tables)).filter((table) => table !== undefined)
}

/** Returns `undefined` for a table whose code cannot be loaded, so that the others are there. */
async function tryToLoad<T>(
  { name }: RegisteredTable,
  { endpoint }: IncomingRequest,
  load: () => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await load()
  } catch (error) {
    log('error', 'a table cannot be loaded and is left out', { table: name, route: endpoint, ...failureFacts(error) })
    return undefined
  }
}

function requestTo(name: EndpointName, tableName: string, request: IncomingRequest): IncomingRequest {
  const [service] = request.endpoint.split('.')
  const method = routes.find((route) => route.name === name)?.method ?? request.method
  return { ...request, tableName, endpoint: `${service}.${request.guard}.${name}`, method }
}

/**
 * Returns `undefined` for a refusal. A database that is away must not look like one, so failures of ours are thrown.
 */
export async function catchRefusal<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return undefined
    throw error
  }
}

/**
 * Returns what of a table the caller may know, without its rows. Throws `validation_failed` for `params` that do not
 * fit.
 */
export function viewTable(
  { table, identity }: AdmittedTable,
  { language, guard, baseUrl, config }: Circumstances,
  params: unknown,
  sentParams: ResponseContext['sentParams'] = {},
): ViewedTable {
  const context: ResponseContext = {
    identity,
    params: parseParams(table, params),
    sentParams,
    language,
    guard,
    timeZone: table.timeZone ?? config.TIME_ZONE,
    baseUrl,
    itemActions: table.definition.itemActions ?? config.ITEM_ACTIONS,
    advancedFilters: config.ADVANCED_FILTERS,
    hasWeb: config.GUARDS.includes('web'),
    hasMail: config.MAIL === 'on',
  }
  return { view: createView(table, context), context }
}

/** Returns the caller's part of a table: its view, and the scope that every statement keeps to. */
export function openTable(
  to: AdmittedTable,
  circumstances: Circumstances,
  params: unknown,
  sentParams?: ResponseContext['sentParams'],
): OpenedTable {
  const { view, context } = viewTable(to, circumstances, params, sentParams)
  return { view, context, scope: resolveScope(to.table, context) } as OpenedTable
}

function parseParams({ definition: { params: schema } }: CompiledTable, params: unknown): unknown {
  if (params !== undefined && params !== null && !isObject(params)) {
    throw validationFailed({ params: [fieldFault('not_an_object')] })
  }
  // One may be named like a member of every object, such as `constructor`.
  return schema === undefined ? undefined : parseWith(schema, Object.setPrototypeOf({ ...params }, null), ['params'])
}

/**
 * Resolves the scope of a caller. Wraps it in a new object, because rendered texts are cached by object; only
 * `everyRow` is shared. Throws if it is not SQL, so that a mistake never means "no restriction".
 */
function resolveScope(table: CompiledTable, context: ResponseContext): SQL {
  const scope: unknown = table.definition.scope(context)
  if (!is(scope, SQL)) throw new Error(`The scope of the table "${table.name}" did not return SQL`)
  return isEveryRow(scope) ? scope : sql`${scope}`
}
