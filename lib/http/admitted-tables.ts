import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import { RequestError } from '../errors/request-error.ts'
import { type EndpointName, routes } from '../routes.ts'
import { admitted } from '../table/admitted.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { Registry } from '../table/registry.ts'

/** The tables whose structure the caller may load, on the guard of the request. */
export async function admittedTables(
  registry: Registry,
  request: IncomingRequest,
  identity: Identity,
): Promise<readonly CompiledTable[]> {
  const tables = [...registry.tables.values()]
  const open = await Promise.all(tables.map((table) => isAdmitted(table, 'loadTable', request, identity)))
  return tables.filter((_, at) => open[at])
}

/** Asks a table's middlewares as if an endpoint had been called. Throws what they throw. */
export function assertAdmitted(
  table: CompiledTable,
  name: EndpointName,
  request: IncomingRequest,
  identity: Identity,
): Promise<void> {
  const [service] = request.endpoint.split('.')
  const method = routes.find((route) => route.name === name)?.method ?? request.method
  const endpoint = `${service}.${request.guard}.${name}`
  return admitted(table, { ...request, tableName: table.name, endpoint, method }, identity)
}

/**
 * Whether a table's middlewares admit the caller to an endpoint; they are asked as if it had been called. A fault, such as a
 * database that is away, must not look like a refusal, and is thrown.
 */
export async function isAdmitted(
  table: CompiledTable,
  name: EndpointName,
  request: IncomingRequest,
  identity: Identity,
): Promise<boolean> {
  try {
    await assertAdmitted(table, name, request, identity)
    return true
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return false
    throw error
  }
}
