import { ConnectionError } from '../db/database-error.ts'
import { RequestError } from '../errors/request-error.ts'

/**
 * Whether a part of a page took too long: the server stopped its statement, or it waited behind others for as long as the database may be
 * silent. Says nothing of the page, which was read before it.
 */
export function isOverdue(error: unknown): boolean {
  if (!(error instanceof RequestError)) return false
  const { code, cause } = error
  if (code === 'timed_out') return true
  return cause instanceof ConnectionError && (cause.code === 'DEADLINE' || cause.code === 'NONE_FREE')
}
