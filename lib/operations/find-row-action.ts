import { findAction } from '../actions/find-action.ts'
import { actionKey } from '../table/action-key.ts'
import type { RowAction } from '../table/compiled-table.ts'
import { hasEditing, updateCellsKey } from '../table/has-editing.ts'
import { auditFailure } from './action-transaction.ts'
import type { TableRequest } from './table-request.ts'

/**
 * Finds the action of a path among those that are `offered`, or makes the one that edits cells. Throws
 * `action_not_defined`, and `validation_failed` for cells that the caller cannot edit.
 */
export async function findRowAction(
  request: TableRequest,
  offered: readonly RowAction[],
  kind: 'row' | 'row_bulk',
): Promise<RowAction> {
  if (!editsCells(request)) return findAction(offered, request.path['action'])
  const { createUpdateAction } = await import('./page-extensions.ts')
  return auditFailure(request, updateCellsKey, kind, async () => createUpdateAction(request))
}

/** Whether a request is for the action that edits cells. */
export const editsCells = ({ path, view }: TableRequest): boolean =>
  actionKey(path['action'] ?? '') === updateCellsKey && hasEditing(view)
