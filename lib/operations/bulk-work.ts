import { assertSelectionFits } from '../actions/assert-count.ts'
import type { BulkWork } from '../actions/run-chunk.ts'
import type { Transaction } from '../db/transaction.ts'
import { keysStatement } from '../query/keys-statement.ts'
import type { Plan } from '../query/plan.ts'
import type { PlannedRows } from '../storage/plans.ts'
import type { ActionConditions } from './action-conditions.ts'
import type { ReadEffects } from './plan-effects.ts'
import type { TableRequest } from './table-request.ts'

/** A bulk action with code of its own, under its key. */
export interface WorkAction {
  readonly key: string
  readonly definition: BulkWork
}

/** The rows, conditions and form fields of a run. */
export interface BulkRun {
  /** The request without the fields of the action's form. */
  readonly selecting: TableRequest
  readonly plan: Plan
  readonly conditions: ActionConditions
  readonly input: unknown
  readonly readEffects: ReadEffects
}

/**
 * Reads the keys of the selected rows in their order, and their versions by the same statement, so that both are of one
 * moment. Throws `selection_too_large`.
 */
export async function readSelected(
  request: TableRequest,
  { run }: Transaction,
  plan: Plan,
  maxRows: number,
  isVersioned: boolean,
): Promise<PlannedRows> {
  const { text, parameters } = keysStatement(request, plan, maxRows + 1, isVersioned)
  const rows = await run(text, parameters)
  assertSelectionFits(rows.length, maxRows)
  const keys = rows.map(([key]) => String(key))
  return isVersioned ? { keys, versions: rows.map(([, version]) => String(version)) } : { keys }
}
