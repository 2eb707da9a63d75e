import type { Run, Transaction } from '../db/transaction.ts'
import { actionRowsStatement, lockStatement } from '../query/keys-statement.ts'
import type { Query } from '../query/page-statement.ts'
import { authorRow } from '../rows/author-row.ts'
import type { AnyRow } from '../table/context.ts'
import type { OpenedTable } from '../table/open-table.ts'

/** The part of one table that an action of one caller works on. */
export interface ActionTarget extends OpenedTable {
  readonly requestId: string
}

/** Rows as the author's functions see them, by the text of their keys. */
export type RowsByKey = ReadonlyMap<string, AnyRow>

/** Takes the version of a row, as it was read together with the row. */
export type KeepVersion = (key: string, version: string) => void

/**
 * The rows with these keys that are inside the scope at this moment; the others are absent. Locked rows stay as they
 * are until the transaction's end, and waiting for the lock of another transaction ends in `row_busy` after two
 * seconds.
 */
export async function actionRows(
  { run }: Pick<Transaction, 'run'>,
  target: ActionTarget,
  keys: readonly string[],
  lock: 'lock' | 'look' = 'lock',
  keepVersion?: KeepVersion,
): Promise<RowsByKey> {
  if (keys.length === 0) return new Map()
  const { rowSelection } = target.view
  const query = actionRowsStatement(target, keys, lock === 'lock', keepVersion !== undefined)
  const rows = await (lock === 'lock' ? lockAndRead(run, target, keys, query) : run(query.text, query.parameters))
  for (const values of rows) keepVersion?.(String(values[rowSelection.key]), String(values[rowSelection.fields.length]))
  return new Map(rows.map((values) => [String(values[rowSelection.key]), authorRow(rowSelection, values)]))
}

/**
 * Locks rows and then reads them, in one round trip. A statement that waits for a row sees that row as it is by then,
 * but other tables as they were before. Reads again if the second statement has locked more rows than the first.
 */
async function lockAndRead(run: Run, target: ActionTarget, keys: readonly string[], query: Query): ReturnType<Run> {
  const locking = lockRows({ run }, target, keys)
  const reading = run(query.text, query.parameters)
  // In this order: if the first statement fails, the error of the second says only that there was one.
  const lockedCount = await locking
  const rows = await reading
  return rows.length > lockedCount ? lockAndRead(run, target, keys, query) : rows
}

/**
 * Locks rows that will be worked on in several chunks of one transaction, all at once and in the order of their keys:
 * chunks follow the order that the client asked for, and two runs in opposite orders would wait for each other. Returns
 * their number.
 */
export async function lockRows(
  { run }: Pick<Transaction, 'run'>,
  target: ActionTarget,
  keys: readonly string[],
): Promise<number> {
  const { text, parameters } = lockStatement(target, keys)
  const [row] = await run(text, parameters)
  return Number(row?.[0])
}
