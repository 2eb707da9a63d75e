import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import { RequestError } from '../errors/request-error.ts'
import { admitted } from '../table/admitted.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { Registry } from '../table/registry.ts'

/** The tables whose middlewares admit the caller, as if each had been asked for. */
export async function admittedTables(
  registry: Registry,
  request: IncomingRequest,
  identity: Identity,
): Promise<readonly CompiledTable[]> {
  const tables = [...registry.tables.values()]
  const open = await Promise.all(tables.map((table) => isAdmitted(table, request, identity)))
  return tables.filter((_, at) => open[at])
}

/** A refusal leaves the table out; a fault, such as a database that is away, must not look like one. */
async function isAdmitted(table: CompiledTable, request: IncomingRequest, identity: Identity): Promise<boolean> {
  try {
    await admitted(table, { ...request, tableName: table.name }, identity)
    return true
  } catch (error) {
    if (error instanceof RequestError && error.status < 500) return false
    throw error
  }
}
