import type { Sql, TransactionSql } from 'postgres'
import { quoteName } from './statement.ts'

/**
 * The rights of the functions. The next deployment applies a change to the database and revokes removed rights, except
 * those in a schema that is removed from this list.
 */
export const serviceRights = {
  schemas: ['public', 'table_control'],
  tables: 'select, insert, update, delete',
  sequences: 'usage, select',
  /** Tables whose rows the functions may add and read only. Old rows are removed by the `ownerFunctions`. */
  appendOnly: ['table_control.audit', 'table_control.cell_changes'],
  /** Functions that run with the rights of their owner. No other role may run them. */
  ownerFunctions: [
    'table_control.remove_old_audit(integer, integer)',
    'table_control.remove_old_cell_changes(integer, integer)',
  ],
} as const

/**
 * Gives an existing role what the functions need of what the caller owns in this database, and takes from it what else
 * it has there. Run it in a transaction, so that the role is never without its rights.
 */
export async function grantServiceRights(sql: Sql | TransactionSql, user: string): Promise<void> {
  const role = quoteName(user)
  const { schemas, tables, sequences, appendOnly, ownerFunctions } = serviceRights
  const present = await sql<
    { name: string }[]
  >`select nspname as name from pg_namespace where nspname in ${sql(schemas)}`
  for (const { name } of present) {
    const schema = quoteName(name)
    await replace(sql, 'usage', `schema ${schema}`, role)
    await replace(sql, tables, listNames('table', await listOwned(sql, name, ['r', 'p', 'v', 'm', 'f'])), role)
    await replace(sql, sequences, listNames('sequence', await listOwned(sql, name, ['S'])), role)
    const later = `alter default privileges in schema ${schema}`
    await replace(sql, tables, 'tables', role, later)
    await replace(sql, sequences, 'sequences', role, later)
  }
  for (const table of appendOnly) {
    const [found] = await sql`select from pg_class where oid = to_regclass(${table})`
    if (found !== undefined) await sql.unsafe(`revoke update, delete on ${table} from ${role}`)
  }
  for (const signature of ownerFunctions) {
    const [found] = await sql`select from pg_proc where oid = to_regprocedure(${signature})`
    if (found !== undefined) await sql.unsafe(`grant execute on function ${signature} to ${role}`)
  }
}

async function replace(
  sql: Sql | TransactionSql,
  rights: string,
  objects: string | undefined,
  role: string,
  which = '',
): Promise<void> {
  if (objects === undefined) return
  await sql.unsafe(`${which} revoke all on ${objects} from ${role}; ${which} grant ${rights} on ${objects} to ${role}`)
}

const listNames = (kind: string, objects: readonly string[]): string | undefined =>
  objects.length === 0 ? undefined : `${kind} ${objects.join(', ')}`

/** The others are not the caller's to give: an extension's tables, for example. */
async function listOwned(
  sql: Sql | TransactionSql,
  schema: string,
  kinds: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = ${schema} and relkind::text in ${sql(kinds)} and pg_has_role(relowner, 'usage')`
  return rows.map(({ name }) => name)
}
