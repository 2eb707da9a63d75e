import type { Sql, TransactionSql } from 'postgres'
import { alone, type MigrateOptions } from './migrate.ts'
import { MigrationError } from './migration-error.ts'
import { scramVerifier } from './scram-verifier.ts'
import { quoted } from './statement.ts'

/** By which the functions log in. */
export interface ServiceLogin {
  readonly user: string
  readonly password: string
}

/** What the functions may do: a change of it is given to a database by the next deployment. */
export const serviceRights = {
  schemas: ['public', 'table_control'],
  tables: 'select, insert, update, delete',
  sequences: 'usage, select',
  /** Tables of which nothing is ever changed or taken away. */
  appendOnly: ['table_control.audit'],
} as const

/**
 * Creates the role of the functions where it is missing, so that migrations can name it, and changes nothing of one that is
 * there. Refused where that is the owner of the tables or may do what row-level security is to prevent.
 */
export async function createServiceRole(
  sql: Sql,
  { user, password }: ServiceLogin,
  options: Pick<MigrateOptions, 'expires'> = {},
): Promise<void> {
  await alone(sql, options, async (transaction) => {
    const [owner] = await transaction`select current_user as name`
    if (owner?.['name'] === user)
      throw new MigrationError(`The functions may not log in as "${user}", which owns the tables.`)
    const [existing] = await transaction`select from pg_roles where rolname = ${user}`
    // What an existing role is not to be, only a superuser may say in an "alter role": it is looked at instead.
    if (existing !== undefined) return refuseRights(transaction, user)
    const nothingElse = 'nosuperuser nocreatedb nocreaterole nobypassrls'
    await transaction.unsafe(`create role ${quoted(user)} ${nothingElse} login password '${scramVerifier(password)}'`)
  })
}

/**
 * Gives the role of the functions, which is there, its password and its rights on what the caller owns, now and later. It
 * comes last of all that can fail: until then the functions that are deployed log in by the former password.
 */
export async function admitServiceRole(
  sql: Sql,
  { user, password }: ServiceLogin,
  options: Pick<MigrateOptions, 'expires'> = {},
): Promise<void> {
  await alone(sql, options, async (transaction) => {
    await refuseRights(transaction, user)
    await transaction.unsafe(`alter role ${quoted(user)} login password '${scramVerifier(password)}'`)
    await grantServiceRights(transaction, user)
  })
}

async function refuseRights(sql: TransactionSql, user: string): Promise<void> {
  const [role] = await sql<Record<string, boolean>[]>`
    select rolsuper as superuser, rolcreatedb as createdb, rolcreaterole as createrole, rolbypassrls as bypassrls,
      rolreplication as replication,
      not rolsuper and pg_has_role(oid, current_user, 'member') as "membership in the owner's role",
      exists (select from pg_class join pg_namespace schema on schema.oid = relnamespace
        where relowner = pg_roles.oid and nspname in ${sql(serviceRights.schemas)}) as "tables of its own"
    from pg_roles where rolname = ${user}`
  const excess = Object.entries(role ?? {}).flatMap(([right, has]) => (has ? [right] : []))
  if (excess.length === 0) return
  throw new MigrationError(`The role "${user}" of the functions has more than they may have: ${excess.join(', ')}.`)
}

/** Gives an existing role what the functions need of what the caller owns in this database, and nothing more. */
export async function grantServiceRights(sql: Sql | TransactionSql, user: string): Promise<void> {
  const role = quoted(user)
  const { schemas, tables, sequences, appendOnly } = serviceRights
  const present = await sql<
    { name: string }[]
  >`select nspname as name from pg_namespace where nspname in ${sql(schemas)}`
  for (const { name } of present) {
    await sql.unsafe(`grant usage on schema ${quoted(name)} to ${role}`)
    await grant(sql, tables, await ownedIn(sql, name, ['r', 'p', 'v', 'm', 'f']), role)
    await grant(sql, `${sequences} on sequence`, await ownedIn(sql, name, ['S']), role)
    const later = `alter default privileges in schema ${quoted(name)} grant`
    await sql.unsafe(`${later} ${tables} on tables to ${role}; ${later} ${sequences} on sequences to ${role}`)
  }
  for (const table of appendOnly) {
    const [found] = await sql`select from pg_class where oid = to_regclass(${table})`
    if (found !== undefined) await sql.unsafe(`revoke update, delete on ${table} from ${role}`)
  }
}

async function grant(
  sql: Sql | TransactionSql,
  rights: string,
  objects: readonly string[],
  role: string,
): Promise<void> {
  const kind = rights.includes(' on ') ? rights : `${rights} on`
  if (objects.length > 0) await sql.unsafe(`grant ${kind} ${objects.join(', ')} to ${role}`)
}

/** The others are not the caller's to give: an extension's tables, for example. */
async function ownedIn(
  sql: Sql | TransactionSql,
  schema: string,
  kinds: readonly string[],
): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = ${schema} and relkind::text in ${sql(kinds)} and pg_has_role(relowner, 'usage')`
  return rows.map(({ name }) => name)
}
