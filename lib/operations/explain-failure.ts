import { findComputeError } from '../db/database-error.ts'
import type { TableRequest } from './table-request.ts'

/** Returns the error to answer with: for a value that cannot be computed, one that names its column. */
export async function explainFailure(request: TableRequest, error: unknown): Promise<unknown> {
  if (findComputeError(error) === undefined) return error
  const { nameFailedColumn } = await import('./page-extensions.ts')
  return nameFailedColumn(request, request, error)
}
