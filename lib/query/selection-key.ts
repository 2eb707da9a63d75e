import { callerRights, plainValue } from '../auth/identity.ts'
import type { Config } from '../config.ts'
import { isEveryRow } from '../table/define-table.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { countStatement, type Query } from './page-statement.ts'
import type { Plan } from './plan.ts'

/** The rows that a request selects: the statement that counts them, and a key for them. */
export interface SelectionKeys {
  readonly count: Query
  /**
   * Equal only for the same statement with the same parameters, sent with the same claims. With row-level security the
   * subject belongs to it, because policies may read that.
   */
  readonly key: string
  /** The key of remembered totals. With row-level security it includes every claim, because policies may read each. */
  readonly memoryKey: string
  /** Equal for the same statement with any parameters; with a scope or row-level security only for the same caller. */
  readonly fitKey: string
}

/** Describes the selected rows of a plan. */
export function describeSelection(
  opened: OpenedTable,
  plan: Plan,
  config: Pick<Config, 'DATABASE_ROW_SECURITY'>,
): SelectionKeys {
  const { view, context } = opened
  const { identity } = context
  const count = countStatement(opened, plan)
  const isSecured = config.DATABASE_ROW_SECURITY === 'on'
  const caller = [...(isSecured ? [identity.subject] : []), callerRights(identity)]
  const key = JSON.stringify([view.table.name, caller, count.text, count.parameters], plainValue)
  const memoryKey = isSecured ? JSON.stringify([key, Object.entries(identity.claims)], plainValue) : key
  const fitKey =
    isEveryRow(opened.scope) && !isSecured
      ? count.text
      : JSON.stringify([identity.subject, caller, count.text], plainValue)
  return { count, key, memoryKey, fitKey }
}
