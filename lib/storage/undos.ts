import { isoMoment } from '../db/iso-moment.ts'
import type { Run } from '../db/transaction.ts'
import type { RequestPlace } from './request-place.ts'

/**
 * The part of a changed row that is kept: its place among the changed rows, its version after the change, and a sealed
 * text.
 */
export interface KeptRow {
  readonly place?: number
  readonly version?: string
  readonly sealed?: string
}

/** A change that can be undone. */
export interface KeptChange {
  /** The id of the change. */
  readonly id: string
  readonly action: string
  /** The endpoint that has run the action. */
  readonly kind: 'row' | 'row_bulk'
  /** The kept parts of rows, by their keys. */
  readonly rows: Readonly<Record<string, KeptRow>>
}

const minutes = 60

const insertion = `insert into table_control.undos (id, subject, guard, table_name, params, action, kind, rows, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, ($8::text)::jsonb, now() + interval '${minutes} minutes')
  returning ${isoMoment('expires_at')}`

/** Stores a change in the transaction that makes it. Returns when it expires, as ISO 8601 in UTC. */
export async function insertUndo(
  run: Run,
  place: RequestPlace,
  { id, action, kind, rows }: KeptChange,
): Promise<string> {
  const { subject, guard, tableName, params } = place
  const [row] = await run(insertion, [id, subject, guard, tableName, params, action, kind, JSON.stringify(rows)])
  return String(row?.[0])
}

const selection = `select action, kind, rows::text from table_control.undos
  where id = $1 and subject = $2 and guard = $3 and table_name = $4 and params = $5`

/** Returns the change of this id and place; `undefined` for one of another caller, table or guard. */
export async function findUndo(run: Run, place: RequestPlace, id: string): Promise<KeptChange | undefined> {
  const { subject, guard, tableName, params } = place
  const [row] = await run(selection, [id, subject, guard, tableName, params])
  if (row === undefined) return undefined
  const [action, kind, rows] = row.map(String)
  return { id, action: action ?? '', kind: kind === 'row' ? 'row' : 'row_bulk', rows: JSON.parse(rows ?? '{}') }
}

/** Locks a change until the end of the transaction, so that of two calls at once one finds that it is undone. */
export async function lockUndo(
  run: Run,
  id: string,
): Promise<{ readonly isExpired: boolean; readonly isUndone: boolean } | undefined> {
  const text = 'select expires_at <= now(), undone_at is not null from table_control.undos where id = $1 for update'
  const [row] = await run(text, [id])
  return row && { isExpired: row[0] === true, isUndone: row[1] === true }
}

/** Marks a change as undone and removes the data that was kept for its undo. */
export async function completeUndo(run: Run, id: string): Promise<void> {
  await run("update table_control.undos set undone_at = now(), rows = '{}' where id = $1", [id])
}

/** Lists the keys of kept rows in the order in which the action ran on them: neither an object nor jsonb keeps it. */
export const listKeptKeys = ({ rows }: KeptChange): readonly string[] =>
  Object.entries(rows)
    .toSorted(([, left], [, right]) => (left.place ?? 0) - (right.place ?? 0))
    .map(([key]) => key)
