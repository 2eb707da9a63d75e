import postgres, { type Sql } from 'postgres'
import type { CompiledTable } from '../../../lib/table/compiled-table.ts'
import { listColumns } from '../../../lib/table/source.ts'
import { createFinding, type Finding } from './finding.ts'

/** Postgres' codes for rows that nobody can lock, as those of a materialized view or a view with GROUP BY. */
const unlockable: ReadonlySet<string> = new Set(['42809', '0A000'])

/**
 * Finds actions and editable columns whose every request would fail, because Postgres cannot lock or change the rows.
 */
export async function lintLocks(sql: Sql, table: CompiledTable): Promise<readonly Finding[]> {
  const edited = table.columns.filter(({ definition }) => 'editable' in definition && definition.editable !== undefined)
  const actions = [
    ...table.rowActions.filter(({ definition: { run, runAll } }) => run !== undefined || runAll !== undefined),
    ...table.bulkActions.filter(({ definition }) => 'run' in definition),
  ]
  const keys = [...actions, ...edited].map(({ key }) => key)
  if (keys.length === 0) return []
  const fix = 'a table, or a view that Postgres can update, as `from`; or no actions with a run and no editable columns'
  const reason = await findLockError(sql, table)
  if (reason !== undefined) {
    const text = `${keys.join(', ')} would always fail: Postgres cannot lock the rows of ${table.text} (${reason})`
    return [createFinding(table, 'lock', 'from', { text, fix })]
  }
  const attributes = listColumns(table.definition.from)
  const fixed = await sql<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = to_regclass(${table.text}) and attnum > 0 and not pg_column_is_updatable(attrelid, attnum, true)
      and not exists (select from pg_trigger where tgrelid = attrelid and not tgisinternal and tgtype & 64 > 0 and tgtype & 16 > 0)`
  const names = new Set(fixed.map(({ name }) => name))
  return edited
    .filter(({ key }) => names.has(attributes[key]?.name ?? ''))
    .map(({ key }) => {
      const text = `every edit of ${key} would fail: Postgres cannot update this column of ${table.text}`
      return createFinding(table, 'lock', key, { text, fix: 'remove editable, or a trigger instead of updates' })
    })
}

/** The planner refuses such a lock, so that no row is locked. */
async function findLockError(sql: Sql, { text, lockName }: CompiledTable): Promise<string | undefined> {
  try {
    await sql.unsafe(`explain select from ${text} for update of ${lockName}`)
    return undefined
  } catch (error) {
    // This user of the database may lack the right to lock, which the service has.
    return error instanceof postgres.PostgresError && unlockable.has(error.code) ? error.message : undefined
  }
}
