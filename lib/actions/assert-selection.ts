import type { Config } from '../config.ts'
import type { Run } from '../db/transaction.ts'
import { assertUnmoved, openSelectionToken, type SelectedTable } from '../query/selection-token.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { ownValue, type UnknownBody } from '../table/unknown-body.ts'
import { planBulk, readTolerance } from './bulk-selection.ts'

type SelectionRequest = OpenedTable &
  SelectedTable & { readonly body: UnknownBody; readonly config: Pick<Config, 'SERVICE_SECRET'> }

/**
 * Throws `selection_moved` if the request has a `selection_token` and other rows are selected now. Excluded rows count
 * as well, because the page has shown them. In the transaction of an action, call it after the rows are frozen. Periods
 * such as `today` are those of `now`.
 */
export async function assertSelectionUnmoved(request: SelectionRequest, read: Run, now?: number): Promise<void> {
  const { body, config } = request
  const token = ownValue(body, 'selection_token') ?? undefined
  if (token === undefined) return
  const { select_all: _, excluded_ids: __, ...whole } = body
  const plan = await planBulk(request, whole, config.SERVICE_SECRET, now)
  const opened = openSelectionToken(request, token, config.SERVICE_SECRET)
  await assertUnmoved({ read }, request, plan, opened, readTolerance(body))
}
