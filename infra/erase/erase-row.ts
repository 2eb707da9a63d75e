import type { Sql } from 'postgres'
import { filterHash } from '../../lib/actions/audit.ts'
import { auditErasure, countUnfinishedJobs, filePlaces, type Place, places } from './statements.ts'

/** Removes objects of the bucket; one that does not exist is no error. */
export type RemoveObjects = (keys: readonly string[]) => Promise<void>

interface ErasedRow {
  readonly table: string
  /** The key of the row, as a text of Postgres. */
  readonly key: string
  /** `false`: everything is counted and nothing changed. */
  readonly apply: boolean
}

/** The number of removed or emptied entries of each place. */
export interface Erased {
  readonly counts: readonly (readonly [place: string, count: number])[]
  /** Jobs of the table that have not ended: what they store is erased by the next call. */
  readonly unfinishedJobs: number
}

/**
 * Erases what the service keeps of a row, some rows in a transaction, so that callers do not wait for it. Files are
 * removed first, and before the commit that removes the rows which name them: if one cannot be removed, no other place
 * is erased. The next call erases the rest.
 */
export async function eraseRow(
  sql: Sql,
  removeObjects: RemoveObjects,
  { table, key, apply }: ErasedRow,
): Promise<Erased> {
  const [unfinished] = await sql.unsafe<{ count: number }[]>(countUnfinishedJobs, [table])
  const objects = new Set<string>()
  const counts: [string, number][] = []
  for (const place of [...filePlaces, ...places]) {
    const parameters = { row: [table, key], table: [table], nothing: [] }[place.takes]
    const count = apply ? erasePlace : countPlace
    counts.push([place.name, await count({ sql, removeObjects, objects, place, parameters })])
  }
  if (apply)
    await sql.begin('read write', (transaction) =>
      transaction.unsafe(auditErasure, [table, filterHash({ selected_ids: [key] }) ?? null]),
    )
  return { counts: [['files in the bucket', objects.size], ...counts], unfinishedJobs: unfinished?.count ?? 0 }
}

interface Erasing {
  readonly sql: Sql
  readonly removeObjects: RemoveObjects
  /** The files of the rows that were found. */
  readonly objects: Set<string>
  readonly place: Place
  readonly parameters: readonly string[]
}

/** A day of a busy service leaves millions of rows, and this many fit into little memory. */
const maxFound = 10_000

async function findRows({ sql, objects, place, parameters }: Erasing): Promise<readonly string[]> {
  const rows = await sql.unsafe<{ ctid: string; object_key?: string }[]>(
    `select ctid::text${filePlaces.includes(place) ? ', object_key' : ''} from table_control.${place.from} where ${place.where} limit ${maxFound}`,
    [...parameters],
  )
  for (const { object_key: object } of rows) if (object !== undefined) objects.add(object)
  return rows.map(({ ctid }) => ctid)
}

async function countPlace({ sql, objects, place, parameters }: Erasing): Promise<number> {
  const keys = filePlaces.includes(place) ? 'array_agg(distinct object_key)' : 'null'
  const [row] = await sql.unsafe<{ count: number; keys: readonly string[] | null }[]>(
    `select count(*)::int as count, ${keys} as keys from table_control.${place.from} where ${place.where}`,
    [...parameters],
  )
  for (const key of row?.keys ?? []) objects.add(key)
  return row?.count ?? 0
}

/**
 * Erases what is found, and again while there may be more: a row that another transaction has changed meanwhile is
 * elsewhere in its table.
 */
async function erasePlace(erasing: Erasing): Promise<number> {
  let count = 0
  for (let mayHaveMore = true; mayHaveMore; ) {
    const found = await findRows(erasing)
    let erased = 0
    for (let start = 0; start < found.length; start += erasing.place.rowsAtOnce)
      erased += await eraseSome(erasing, found.slice(start, start + erasing.place.rowsAtOnce))
    mayHaveMore = erased < found.length || found.length === maxFound
    count += erased
  }
  return count
}

function eraseSome({ sql, removeObjects, place, parameters }: Erasing, found: readonly string[]): Promise<number> {
  const { from, where, set } = place
  const namesFiles = filePlaces.includes(place)
  const change = set === undefined ? `delete from table_control.${from}` : `update table_control.${from} set ${set}`
  const text = `${change} where ctid = any($${parameters.length + 1}::tid[]) and ${where} ${namesFiles ? 'returning object_key' : ''}`
  return sql.begin('read write', async (transaction) => {
    await transaction`set local lock_timeout = '10s'`
    const erased = await transaction.unsafe<{ object_key: string }[]>(text, [...parameters, [...found]])
    if (namesFiles) await removeObjects([...new Set(erased.map(({ object_key: object }) => object))])
    return erased.count
  })
}
