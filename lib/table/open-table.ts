import { is, SQL, sql } from 'drizzle-orm'
import type { Caller } from '../auth/authenticate-caller.ts'
import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import type { Config } from '../config.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { RequestError, validationFailed } from '../errors/request-error.ts'
import { parseWith } from '../errors/schema-faults.ts'
import type { Language } from '../i18n/language.ts'
import { type EndpointName, routes } from '../routes.ts'
import type { CompiledTable } from './compiled-table.ts'
import type { ResponseContext } from './context.ts'
import { isEveryRow } from './define-table.ts'
import type { Registry } from './registry.ts'
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

/** Runs the table's own middlewares in order. Throws `table_not_found`, and what a middleware throws. */
export async function admitCaller(
  registry: Registry,
  { identity }: Caller,
  request: IncomingRequest,
): Promise<AdmittedTable> {
  const table = registry.tables.get(request.tableName)
  if (table === undefined) throw new RequestError('table_not_found', { table: request.tableName })
  return runMiddlewares(table, identity, request)
}

async function runMiddlewares(
  table: CompiledTable,
  identity: Identity,
  request: IncomingRequest,
): Promise<AdmittedTable> {
  for (const middleware of table.definition.middlewares ?? []) await middleware({ ...request, identity })
  return { table, identity, request } as AdmittedTable
}

/** Runs the middlewares again, as if another endpoint of the table had been called. Throws what they throw. */
export async function assertAdmitted({ table, identity, request }: AdmittedTable, name: EndpointName): Promise<void> {
  await runMiddlewares(table, identity, requestTo(name, table, request))
}

/** Returns whether the middlewares admit the caller to an endpoint. A failure of ours is no refusal and is thrown. */
export async function isAdmitted(to: AdmittedTable, name: EndpointName): Promise<boolean> {
  return (await unlessRefused(() => assertAdmitted(to, name).then(() => true))) ?? false
}

/** Returns the tables whose structure the caller may load, on the guard of the request. */
export async function admittedTables(
  registry: Registry,
  { identity }: Caller,
  request: IncomingRequest,
): Promise<readonly AdmittedTable[]> {
  const tables = [...registry.tables.values()].map((table) =>
    unlessRefused(() => runMiddlewares(table, identity, requestTo('loadTable', table, request))),
  )
  return (await Promise.all(tables)).filter((table) => table !== undefined)
}

function requestTo(name: EndpointName, { name: tableName }: CompiledTable, request: IncomingRequest): IncomingRequest {
  const [service] = request.endpoint.split('.')
  const method = routes.find((route) => route.name === name)?.method ?? request.method
  return { ...request, tableName, endpoint: `${service}.${request.guard}.${name}`, method }
}

/** Returns `undefined` for a refusal. A database that is away must not look like one, so failures of ours are thrown. */
export async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return undefined
    throw error
  }
}

/** Returns what of a table the caller may know, without its rows. Throws `validation_failed` for `params` that do not fit. */
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
    itemActions: config.ITEM_ACTIONS,
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
  if (params !== undefined && params !== null && (typeof params !== 'object' || Array.isArray(params))) {
    throw validationFailed({ params: [fieldFault('not_an_object')] })
  }
  return schema === undefined ? undefined : parseWith(schema, { ...params }, ['params'])
}

/**
 * Returns an object of its own for each request, because texts are remembered by it. A scope that is not SQL is an author's
 * mistake and must never mean that there is no restriction.
 */
function resolveScope(table: CompiledTable, context: ResponseContext): SQL {
  const scope: unknown = table.definition.scope(context)
  if (!is(scope, SQL)) throw new Error(`The scope of the table "${table.name}" did not return SQL`)
  return isEveryRow(scope) ? scope : sql`${scope}`
}
