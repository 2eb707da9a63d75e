import type { Transaction } from '../db/transaction.ts'
import type { ChunkResult } from '../table/action-definition.ts'
import type { AnyBulkAction } from '../table/compiled-table.ts'
import type { AnyRow } from '../table/context.ts'
import { type ActionTarget, actionRows } from './action-rows.ts'
import { type RowFailure, rowFailure } from './row-outcome.ts'
import { attempt, createWork, groupRefusals, type Session } from './run-row-action.ts'

/** A bulk action that does something of its own with the rows, and does not only write them to a file. */
export type BulkWork = Extract<AnyBulkAction, { readonly run: unknown }>

export const isWork = (definition: AnyBulkAction): definition is BulkWork => definition.export === undefined

/** The outcome of one chunk, by the text of each row's key. */
export interface ChunkOutcome {
  readonly succeeded: number
  readonly failed: readonly (readonly [key: string, failure: RowFailure])[]
  readonly data: unknown
}

export const defaultChunk = 500

/** Runs an action on one chunk of a frozen set. Skips and reports rows that are gone or out of scope by now. */
export async function runChunk(
  transaction: Transaction,
  target: ActionTarget,
  { run }: BulkWork,
  keys: readonly string[],
  input: unknown,
): Promise<ChunkOutcome> {
  const rows = await actionRows(transaction, target, keys)
  const failed = new Map<string, RowFailure>()
  // The frozen order, not that of the locks.
  const inOrder = new Map<string, AnyRow>()
  for (const key of keys) {
    const row = rows.get(key)
    if (row === undefined) failed.set(key, rowFailure('row_not_found'))
    else inOrder.set(key, row)
  }
  if (inOrder.size === 0) return { succeeded: 0, failed: [...failed], data: undefined }
  const work = async (db: Session) => {
    const given = createWork(target, db, input, [...inOrder.keys()])
    return toChunkResult(await run({ ...given, rows: [...inOrder.values()] }))
  }
  const attempted = await attempt(transaction, work)
  if ('failure' in attempted) for (const key of rows.keys()) failed.set(key, attempted.failure)
  else {
    const refused = groupRefusals(target, rows, attempted.result.refused ?? [])
    for (const [key, failure] of refused) if (rows.has(key)) failed.set(key, failure)
  }
  const data = 'result' in attempted ? attempted.result.data : undefined
  return { succeeded: keys.length - failed.size, failed: [...failed], data }
}

/** Returns the result of a chunk. Code that returns the rows of a statement has none. */
const toChunkResult = (returned: ChunkResult | readonly unknown[]): Exclude<ChunkResult, void> =>
  returned === undefined || 'length' in returned ? {} : returned
