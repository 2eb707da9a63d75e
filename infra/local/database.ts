import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import postgres, { type Sql } from 'postgres'
import { type SeedOptions, seedDatabase } from './seed.ts'

const migrationsFolder = fileURLToPath(new URL('../../tables/migrations', import.meta.url))

export interface DatabaseOptions extends SeedOptions {
  readonly url: string
  /** False for plain text; an object is handed to node:tls. */
  readonly tls: false | { readonly ca?: string }
}

/** Creates the database when the server has none of this name. `url` is one of another database of that server. */
export async function createDatabase(url: string, name: string): Promise<void> {
  await withConnection(url, false, async (sql) => {
    const [existing] = await sql`select 1 from pg_database where datname = ${name}`
    if (existing === undefined) await sql`create database ${sql(name)}`
  })
}

/** Brings a database to what the functions expect: applies the migrations that are missing, then fills the tables once. */
export async function prepareDatabase({ url, tls, ...seeding }: DatabaseOptions): Promise<void> {
  await withConnection(url, tls, async (sql) => {
    seeding.report('applying migrations')
    await migrate(drizzle(sql), { migrationsFolder })
    await seedDatabase(sql, seeding)
  })
}

async function withConnection(
  url: string,
  tls: DatabaseOptions['tls'],
  use: (sql: Sql) => Promise<void>,
): Promise<void> {
  const sql = postgres(url, { max: 1, ssl: tls, onnotice: () => undefined, connect_timeout: 10 })
  try {
    await use(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
