import { planBulk, readTolerance } from '../actions/bulk-selection.ts'
import type { Database } from '../db/database.ts'
import { assertUnmoved, openSelectionToken } from '../query/selection-token.ts'
import { ownValue, type TableRequest } from './table-request.ts'

/**
 * Throws `selection_moved` if the request has a `selection_token` and other rows are selected now. Excluded rows count as well, because the
 * page has shown them. In the transaction of an action, call it after the rows are frozen.
 */
export async function assertSelectionUnmoved(request: TableRequest, read: Database['read']): Promise<void> {
  const { body, config } = request
  const token = ownValue(body, 'selection_token') ?? undefined
  if (token === undefined) return
  const { select_all: _, excluded_ids: __, ...whole } = body
  const plan = await planBulk(request, whole, config.SERVICE_SECRET)
  const opened = openSelectionToken(request, token, config.SERVICE_SECRET)
  await assertUnmoved({ read }, request, plan, opened, readTolerance(body))
}
