import { toRowId } from '../rows/row-id.ts'
import type { AnyBulkAction, AnyRowAction } from '../table/compiled-table.ts'
import { log } from '../telemetry/log.ts'
import { failureFacts } from '../telemetry/log-failure.ts'
import type { ActionTarget } from './action-rows.ts'

/**
 * Runs an action's `afterCommit` for the rows that it has changed. Never rejects: the change is committed, so a failure
 * is only logged.
 */
export async function runAfterCommit(
  definition: AnyRowAction | AnyBulkAction,
  { view, context, requestId }: ActionTarget,
  action: string,
  keys: readonly string[],
  input: unknown,
): Promise<void> {
  const afterCommit = 'afterCommit' in definition ? definition.afterCommit : undefined
  if (afterCommit === undefined || keys.length === 0) return
  const ids = keys.map((key) => toRowId(view.table.key, key))
  try {
    await afterCommit({ ...context, ids, input, requestId })
  } catch (error) {
    const facts = { table: view.table.name, action, request_id: requestId }
    log('error', 'afterCommit of an action failed; its changes are saved', { ...facts, ...failureFacts(error) })
  }
}
