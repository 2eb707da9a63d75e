import { findAction } from '../actions/find-action.ts'
import { actionKey } from '../table/action-key.ts'
import type { RowAction } from '../table/compiled-table.ts'
import { hasEditing, updateCellsKey } from '../table/has-editing.ts'
import type { TableRequest } from './table-request.ts'

/**
 * Finds the action of a path among those that are `offered`, or makes the one that edits cells. Throws `action_not_defined`, and
 * `validation_failed` for cells that the caller cannot edit.
 */
export async function findRowAction(request: TableRequest, offered: readonly RowAction[]): Promise<RowAction> {
  if (editsCells(request)) return (await import('./page-extensions.ts')).createUpdateAction(request)
  return findAction(offered, request.path['action'])
}

/** Whether a request is for the action that edits cells. */
export const editsCells = ({ path, view }: TableRequest): boolean =>
  actionKey(path['action'] ?? '') === updateCellsKey && hasEditing(view)
