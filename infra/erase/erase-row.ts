import type { Sql, TransactionSql } from 'postgres'
import { filterHash } from '../../lib/actions/audit.ts'
import { auditErasure, countUnfinishedJobs, fileStatements, type Statement, statements } from './statements.ts'

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
 * Erases what the service keeps of a row, in one transaction. Files are removed before the commit, while rows still name them: if one
 * cannot be removed, nothing else is erased, and the next call tries again.
 */
export async function eraseRow(
  sql: Sql,
  removeObjects: RemoveObjects,
  { table, key, apply }: ErasedRow,
): Promise<Erased> {
  let erased: Erased | undefined
  const work = async (transaction: TransactionSql): Promise<void> => {
    await transaction`set local lock_timeout = '10s'`
    erased = await eraseAll(transaction, apply ? removeObjects : keepObjects, table, key)
    if (!apply) throw new Rollback()
  }
  await sql.begin('read write', work).catch((error: unknown) => {
    if (!(error instanceof Rollback)) throw error
  })
  if (erased === undefined) throw new Error('The transaction ended without a result')
  return erased
}

const keepObjects: RemoveObjects = () => Promise.resolve()

/** Ends a transaction that must change nothing. */
class Rollback extends Error {}

async function eraseAll(
  sql: TransactionSql,
  removeObjects: RemoveObjects,
  table: string,
  key: string,
): Promise<Erased> {
  const run = ({ text, takes }: Statement) =>
    sql.unsafe<{ object_key?: string }[]>(text, { row: [table, key], table: [table], nothing: [] }[takes])
  const [unfinished] = await sql.unsafe<{ count: number }[]>(countUnfinishedJobs, [table])
  const counts: [string, number][] = []
  const objects = new Set<string>()
  for (const statement of fileStatements) {
    const removed = await run(statement)
    for (const { object_key: object } of removed) if (object !== undefined) objects.add(object)
    counts.push([statement.place, removed.count])
  }
  await removeObjects([...objects])
  for (const statement of statements) counts.push([statement.place, (await run(statement)).count])
  await sql.unsafe(auditErasure, [table, filterHash({ selected_ids: [key] }) ?? null])
  return { counts: [['files in the bucket', objects.size], ...counts], unfinishedJobs: unfinished?.count ?? 0 }
}
