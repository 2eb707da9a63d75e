import type { Sql } from 'postgres'
import { migrate } from '../../../lib/db/migrate.ts'
import { readMigrations } from '../../../lib/db/migration-files.ts'
import { admitServiceRole, createServiceRole } from '../../../lib/db/service-role.ts'
import { migrationsFolder } from '../../bundle/migrations-plugin.ts'
import { adviseOnLiveTables } from '../../scaffold/lint/advise-on-live-tables.ts'
import { localeFault } from './database-locale.ts'
import { databaseTls } from './database-tls.ts'
import { openConnection } from './open-connection.ts'
import { adviseOnDrift } from './schema-drift.ts'
import { type SeedOptions, seedDatabase } from './seed.ts'

export interface DatabaseOptions extends SeedOptions {
  /** URL of the login that owns the tables. */
  readonly url: string
  /**
   * How the functions log in; left out or the same: by that login, too. Else the role is created and given its rights.
   */
  readonly serviceUrl?: string
}

/** Creates the database when the server has none of this name. `url` is one of another database of that server. */
export async function createDatabase(url: string, name: string): Promise<void> {
  await withConnection(url, async (sql) => {
    const [existing] = await sql`select 1 from pg_database where datname = ${name}`
    if (existing === undefined) await sql`create database ${sql(name)}`
  })
}

/**
 * Brings a database to what the functions expect, as a deployment does: applies the migrations that are missing and
 * lets the functions' role in. Then fills the tables once.
 */
export async function prepareDatabase({ url, serviceUrl = url, ...seeding }: DatabaseOptions): Promise<void> {
  await withConnection(url, async (sql) => {
    seeding.report('applying migrations')
    const login = serviceUrl === url ? undefined : readLogin(serviceUrl)
    if (login) await createServiceRole(sql, login)
    await migrate(sql, readMigrations(migrationsFolder).migrations)
    if (login) await admitServiceRole(sql, login)
    await reportDrift(sql, seeding.report)
    await reportLocale(sql, seeding.report)
    await seedDatabase(sql, seeding)
  })
}

async function reportDrift(sql: Sql, report: SeedOptions['report']): Promise<void> {
  const advice = await adviseOnDrift(sql)
  if (advice !== undefined) report(advice)
}

/** Says what to do where tables/schema has changed since the last migration. */
export function readDriftAdvice(url: string): Promise<string | undefined> {
  return withConnection(url, adviseOnDrift)
}

/** Says of each live table what keeps its watchers from hearing of the writes of other programs. */
export function readLiveAdvice(url: string): Promise<readonly string[]> {
  return withConnection(url, adviseOnLiveTables)
}

/** A cluster keeps the locale that it was created with, and the data in it are the developer's. */
async function reportLocale(sql: Sql, report: SeedOptions['report']): Promise<void> {
  const fault = await localeFault(sql)
  if (fault !== undefined)
    report(`${fault}; to create the local database anew, stop the service and delete .local/postgres`)
}

function readLogin(url: string) {
  const { username, password } = new URL(url)
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
}

async function withConnection<Result>(url: string, use: (sql: Sql) => Promise<Result>): Promise<Result> {
  const { sql, ready, end } = openConnection(url, { ssl: databaseTls(url) })
  try {
    await ready()
    return await use(sql)
  } finally {
    await end()
  }
}
