import { isServerError } from '../db/database-error.ts'
import { RequestError } from '../errors/request-error.ts'
import type { TableRequest } from './table-request.ts'

/**
 * Returns the error to answer with: for a value that cannot be computed, one that names its column; for one that a
 * token of the body has kept and that its column cannot hold, one that names the token.
 */
export async function explainFailure(request: TableRequest, error: unknown): Promise<unknown> {
  if (!isServerError(error instanceof RequestError ? error.cause : error)) return error
  const { nameFailedColumn, nameStaleToken } = await import('./page-extensions.ts')
  return nameStaleToken(request.body, await nameFailedColumn(request, request, error))
}
