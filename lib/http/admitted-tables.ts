import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import { RequestError } from '../errors/request-error.ts'
import type { EndpointName } from '../routes.ts'
import { admitted } from '../table/admitted.ts'
import type { CompiledTable } from '../table/compiled-table.ts'
import type { Registry } from '../table/registry.ts'

/** The tables whose structure the caller may load: their middlewares are asked as if it had been, on the request's guard. */
export async function admittedTables(
  registry: Registry,
  request: IncomingRequest,
  identity: Identity,
): Promise<readonly CompiledTable[]> {
  const tables = [...registry.tables.values()]
  const [service] = request.endpoint.split('.')
  const asked = { ...request, endpoint: `${service}.${request.guard}.${structure.name}`, method: structure.method }
  const open = await Promise.all(tables.map((table) => isAdmitted(table, asked, identity)))
  return tables.filter((_, at) => open[at])
}

const structure = { name: 'loadTable', method: 'GET' } as const satisfies {
  readonly name: EndpointName
  readonly method: string
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
