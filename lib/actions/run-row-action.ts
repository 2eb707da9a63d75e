import type { Transaction } from '../db/transaction.ts'
import { refuse } from '../errors/request-error.ts'
import { keyText } from '../rows/key-text.ts'
import { toRowId } from '../rows/row-id.ts'
import type { Refusal } from '../table/action-definition.ts'
import type { AnyRowAction } from '../table/compiled-table.ts'
import type { AnyRow } from '../table/context.ts'
import { findObstacle } from '../table/find-obstacle.ts'
import { isObject } from '../table/unknown-body.ts'
import { type ActionTarget, actionRows, type KeepVersion, type RowsByKey } from './action-rows.ts'
import { keyCondition } from './key-condition.ts'
import { type RowFailure, type RowsOutcome, rowFailure, toRowFailure } from './row-outcome.ts'

/** Finds why an action does not apply to a row; `undefined` where it does. */
export function findRefusal(action: AnyRowAction, row: AnyRow, { context }: ActionTarget): RowFailure | undefined {
  const obstacle = findObstacle(action, row, context)
  if (obstacle === undefined) return undefined
  const refusal = rowFailure('action_not_applicable')
  return obstacle === 'hidden' ? refusal : { ...refusal, text: obstacle }
}

/**
 * Creates what an action's own code gets besides its rows: context, session, form input, and the ids and `where` of the
 * rows with these keys.
 */
export function createWork(
  { view: { table }, context, requestId }: ActionTarget,
  db: Session,
  input: unknown,
  keys: readonly string[],
) {
  return {
    ...context,
    db,
    input,
    requestId,
    ids: keys.map((key) => toRowId(table.key, key)),
    where: keyCondition(table, keys),
  }
}

/** A row with the text of its key. */
export interface KeyedRow {
  readonly key: string
  readonly row: AnyRow
}

/** Runs an action on one row that is locked and applies. A refusal is thrown on, so that it ends the transaction. */
export async function runOnRow(
  { drizzle }: Transaction,
  target: ActionTarget,
  { run, runAll }: AnyRowAction,
  { key, row }: KeyedRow,
  input: unknown,
): Promise<object> {
  const work = createWork(target, drizzle, input, [key])
  if (runAll === undefined) return toAuthorResponse(await run?.({ ...work, row }))
  const [refusal] = (await runAll({ ...work, rows: [row] })) ?? []
  if (refusal !== undefined) throw refuse(refusal.text, refusal.code)
  return {}
}

/** Returns what an author's code gives to the response: the rows of a statement are no part of it. */
const toAuthorResponse = (returned: unknown): object => (isObject(returned) ? returned : {})

/** Keeps the `undo` of a response. */
export function keepUndoData(kept: Map<string, unknown>, key: string, response: object): void {
  if ('undo' in response && response.undo !== undefined) kept.set(key, response.undo)
}

/** Which of the rows are there, inside the scope, and accept the action; the others with their reason. */
export async function findApplicableRows(
  session: Pick<Transaction, 'run'>,
  target: ActionTarget,
  action: AnyRowAction,
  keys: readonly string[],
  lock: 'lock' | 'look' = 'lock',
  keepVersion?: KeepVersion,
): Promise<{ readonly rows: RowsByKey; readonly failed: ReadonlyMap<string, RowFailure> }> {
  const found = await actionRows(session, target, keys, lock, keepVersion)
  const rows = new Map<string, AnyRow>()
  const failed = new Map<string, RowFailure>()
  for (const key of keys) {
    const row = found.get(key)
    const refusal = row === undefined ? rowFailure('row_not_found') : findRefusal(action, row, target)
    if (refusal !== undefined) failed.set(key, refusal)
    else if (row !== undefined) rows.set(key, row)
  }
  return { rows, failed }
}

/** Runs an action on several rows, each for itself: one that refuses leaves the others as they are. */
export async function runOnRows(
  transaction: Transaction,
  target: ActionTarget,
  action: AnyRowAction,
  rows: RowsByKey,
  input: unknown,
): Promise<RowsOutcome> {
  const kept = new Map<string, unknown>()
  const failed =
    action.runAll === undefined
      ? await runOneByOne(transaction, target, action, rows, input, kept)
      : await runAllAtOnce(transaction, target, action.runAll, rows, input)
  return { succeeded: [...rows.keys()].filter((key) => !failed.has(key)), failed, undo: kept }
}

async function runOneByOne(
  transaction: Transaction,
  target: ActionTarget,
  { run, undo }: AnyRowAction,
  rows: RowsByKey,
  input: unknown,
  kept: Map<string, unknown>,
): Promise<ReadonlyMap<string, RowFailure>> {
  const failed = new Map<string, RowFailure>()
  for (const [key, row] of rows) {
    const attempted = await attempt(transaction, async (db) => run?.({ ...createWork(target, db, input, [key]), row }))
    if ('failure' in attempted) failed.set(key, attempted.failure)
    else if (undo !== undefined) keepUndoData(kept, key, toAuthorResponse(attempted.result))
  }
  return failed
}

async function runAllAtOnce(
  transaction: Transaction,
  target: ActionTarget,
  runAll: NonNullable<AnyRowAction['runAll']>,
  rows: RowsByKey,
  input: unknown,
): Promise<ReadonlyMap<string, RowFailure>> {
  if (rows.size === 0) return new Map()
  const work = async (db: Session) =>
    runAll({ ...createWork(target, db, input, [...rows.keys()]), rows: [...rows.values()] })
  const attempted = await attempt(transaction, work)
  if ('result' in attempted) return groupRefusals(target, rows, attempted.result ?? [])
  return new Map([...rows.keys()].map((key) => [key, attempted.failure]))
}

/**
 * Returns refusals by the texts of keys. A value that drizzle has rounded refuses each row of the run that has it as
 * its key.
 */
export function groupRefusals(
  { view: { table } }: ActionTarget,
  rows: RowsByKey,
  refusals: readonly Refusal[],
): ReadonlyMap<string, RowFailure> {
  const byValue = Map.groupBy(refusals.length === 0 ? [] : rows, ([, row]) => row[table.definition.key])
  return new Map(
    refusals.flatMap(({ id, text, code = 'action_failed' }) => {
      const keys = byValue.get(id)?.map(([key]) => key) ?? [keyText(table.key, String(id)) ?? String(id)]
      return keys.map((key) => [key, { code, text }] as const)
    }),
  )
}

/** drizzle inside a transaction. */
export type Session = Transaction['drizzle']

/** The result of the work, or its failure. */
type Attempt<T> = { readonly result: T } | { readonly failure: RowFailure }

/** Runs work that may be refused: a refusal undoes what the work did and leaves the transaction as it was before. */
export async function attempt<T>({ drizzle }: Transaction, work: (db: Session) => Promise<T>): Promise<Attempt<T>> {
  try {
    return { result: await drizzle.transaction(work) }
  } catch (error) {
    return { failure: toRowFailure(error) }
  }
}
