import type { Identity } from '../auth/identity.ts'
import type { IncomingRequest } from '../auth/middleware.ts'
import type { CompiledTable } from './compiled-table.ts'

/** The second half of access control: the table's own middlewares in order; the first that throws rejects the request. */
export async function admitted(table: CompiledTable, request: IncomingRequest, identity: Identity): Promise<void> {
  for (const middleware of table.definition.middlewares ?? []) await middleware({ ...request, identity })
}
