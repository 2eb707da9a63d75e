import type { Run } from '../db/transaction.ts'
import type { KeptChange } from '../storage/undos.ts'
import type { RowAction } from '../table/compiled-table.ts'
import type { UndoData } from './offer-undo.ts'
import type { Payload, TableRequest } from './table-request.ts'

/** Returns the `undo` of a response; nothing for an action that cannot be undone, or that has changed nothing. */
export async function findUndoOffer(
  request: TableRequest,
  run: Run,
  action: RowAction,
  kind: KeptChange['kind'],
  data: UndoData,
): Promise<Payload> {
  if (action.definition.takeChange === undefined && data.size === 0) return {}
  return (await import('./page-extensions.ts')).offerActionUndo(request, run, action, kind, data)
}
