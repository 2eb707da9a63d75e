import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import type { Sql, TransactionSql } from 'postgres'
import { type MigrateOptions, withMigrationLock } from './migrate.ts'
import { MigrationError } from './migration-files.ts'
import { grantServiceRights, serviceRights } from './service-rights.ts'
import { quoteName } from './statement.ts'

/** The role by which the functions log in. */
export interface ServiceLogin {
  readonly user: string
  readonly password: string
}

/**
 * Creates the role of the functions if it is missing, so that migrations can name it; does not change an existing role.
 * Throws if the role owns tables, is a member of other roles, or has attributes such as SUPERUSER or BYPASSRLS.
 */
export async function createServiceRole(
  sql: Sql,
  { user, password }: ServiceLogin,
  options: Pick<MigrateOptions, 'expires'> = {},
): Promise<void> {
  await withMigrationLock(sql, options, async (transaction) => {
    const [owner] = await transaction`select current_user as name`
    if (owner?.['name'] === user)
      throw new MigrationError(
        `The functions may not log in as "${user}", which owns the tables; name another role in DATABASE_SERVICE_URL.`,
      )
    const [existing] = await transaction`select from pg_roles where rolname = ${user}`
    // Only a superuser may take these attributes from a role, so an existing role is checked for them instead.
    if (existing !== undefined) return refuseRights(transaction, user)
    const nothingElse = 'nosuperuser nocreatedb nocreaterole nobypassrls'
    await transaction.unsafe(
      `create role ${quoteName(user)} ${nothingElse} login password '${scramVerifier(password)}'`,
    )
  })
}

/**
 * Sets the password of the existing role of the functions, and the settings that it lacks. Grants it its rights on
 * what the caller owns, now and later. Call it after everything else that can fail: until then the deployed
 * functions log in with the former password.
 */
export async function admitServiceRole(
  sql: Sql,
  { user, password }: ServiceLogin,
  options: Pick<MigrateOptions, 'expires'> = {},
): Promise<void> {
  await withMigrationLock(sql, options, async (transaction) => {
    await refuseRights(transaction, user)
    await transaction.unsafe(`alter role ${quoteName(user)} login password '${scramVerifier(password)}'`)
    await giveSettings(transaction, user)
    await grantServiceRights(transaction, user)
    await refuseChanging(transaction, user)
  })
}

/** The settings that poolers refuse at log-in. */
const roleSettings = [
  // A search by a relation compares its keys with each row of the pages that it finds, unless this memory holds the
  // rows' places: 64 bytes a page.
  ['work_mem', '32MB'],
  // In a database with a stricter default, the second of two changes of a row fails instead of waiting for the first.
  ['default_transaction_isolation', 'read committed'],
] as const

async function giveSettings(sql: TransactionSql, user: string): Promise<void> {
  const own = await sql<{ name: string }[]>`
    select split_part(setting, '=', 1) as name from pg_roles, unnest(rolconfig) setting where rolname = ${user}`
  for (const [name, value] of roleSettings)
    if (!own.some((setting) => setting.name === name))
      await sql.unsafe(`alter role ${quoteName(user)} set ${name} = '${value}'`)
}

async function refuseRights(sql: TransactionSql, user: string): Promise<void> {
  const memberships = await sql<{ name: string }[]>`
    select granted.rolname as name from pg_auth_members
    join pg_roles granted on granted.oid = roleid join pg_roles holder on holder.oid = member
    where holder.rolname = ${user} order by 1`
  const [role] = await sql<Record<string, boolean>[]>`
    select rolsuper as superuser, rolcreatedb as createdb, rolcreaterole as createrole, rolbypassrls as bypassrls,
      rolreplication as replication,
      exists (select from pg_class join pg_namespace schema on schema.oid = relnamespace
        where relowner = pg_roles.oid and nspname in ${sql(serviceRights.schemas)}) as "tables of its own"
    from pg_roles where rolname = ${user}`
  const excess = Object.entries(role ?? {}).flatMap(([right, has]) => (has ? [right] : []))
  refuse(user, [...excess, ...memberships.map(({ name }) => `membership in "${name}"`)])
}

/** Rights of `public`, or granted by another role, cannot be revoked here. */
async function refuseChanging(sql: TransactionSql, user: string): Promise<void> {
  const changeable = await sql<{ name: string }[]>`
    select name from unnest(string_to_array(${serviceRights.appendOnly.join()}, ',')) name
    where has_table_privilege(${user}, to_regclass(name), 'update, delete, truncate')
      or has_any_column_privilege(${user}, to_regclass(name), 'update')`
  // Before Postgres 15, and in a database that was made there, everybody may create in public.
  const creatable = await sql<{ name: string }[]>`
    select nspname as name from pg_namespace
    where nspname in ${sql(serviceRights.schemas)} and has_schema_privilege(${user}, oid, 'create') order by 1`
  refuse(user, [
    ...changeable.map(({ name }) => `changing ${name}`),
    ...creatable.map(({ name }) => `creating in the schema ${name}`),
  ])
}

function refuse(user: string, excess: readonly string[]): void {
  if (excess.length === 0) return
  throw new MigrationError(
    `The role "${user}" of the functions has rights that are not allowed: ${excess.join(', ')}; revoke them.`,
  )
}

/** The same number as Postgres uses. */
const iterations = 4_096

/**
 * Returns the verifier that Postgres stores for a password (SCRAM-SHA-256). Sent in its place, it keeps the password
 * out of statements, logs and statistics of the server.
 */
function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const scramKey = (name: string) => createHmac('sha256', salted).update(name).digest()
  const stored = createHash('sha256').update(scramKey('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${scramKey('Server Key').toString('base64')}`
}
