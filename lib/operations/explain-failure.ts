import { isServerError } from '../db/database-error.ts'
import { RequestError } from '../errors/request-error.ts'
import type { TableRequest } from './table-request.ts'

/**
 * Returns the error to answer with. It names the column whose value cannot be computed, or the token of the body whose
 * value its column cannot hold.
 */
export async function explainFailure(request: TableRequest, error: unknown): Promise<unknown> {
  if (!isServerError(error instanceof RequestError ? error.cause : error)) return error
  const { nameFailedColumn, nameStaleToken } = await import('./page-extensions.ts')
  return nameStaleToken(request.body, await nameFailedColumn(request, request, error))
}
