import type { Payload, TableRequest } from './table-request.ts'
import { readViews } from './use-saved-views.ts'

/**
 * Lists the caller's views of a table and those that others share. A view of others that uses what the caller may not see is absent; an
 * own one comes without its query, so that it can be removed.
 */
export async function listSavedViews(request: TableRequest): Promise<Payload> {
  const { items, more, canShare } = await readViews(request)
  return { items, can_share: canShare, ...(more && { more }) }
}
