import type { Transaction } from '../db/transaction.ts'
import { versionsStatement } from '../query/keys-statement.ts'
import type { PlannedRows } from '../storage/plans.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { type RowFailure, rowFailure } from './row-outcome.ts'

/**
 * Returns the planned rows that have changed since, or are not in the scope any more. Lock them first if they will be
 * changed.
 */
export async function findOutdatedRows(
  opened: OpenedTable,
  { run }: Pick<Transaction, 'run'>,
  { keys, versions }: PlannedRows,
): Promise<ReadonlyMap<string, RowFailure>> {
  const failures = new Map<string, RowFailure>()
  if (keys.length === 0) return failures
  const { text, parameters } = versionsStatement(opened, keys, versions !== undefined)
  const found = new Map((await run(text, parameters)).map(([key, version]) => [String(key), String(version)]))
  for (const [index, key] of keys.entries()) {
    const version = found.get(key)
    if (version === undefined) failures.set(key, rowFailure('row_not_found'))
    else if (versions !== undefined && version !== versions[index]) failures.set(key, rowFailure('plan_outdated'))
  }
  return failures
}
