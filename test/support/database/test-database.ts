import { randomUUID } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { inject } from 'vitest'
import { postgresMajor } from '../../../infra/local/database/postgres-binaries.ts'
import { grantServiceRights } from '../../../lib/db/service-rights.ts'
import { serviceLogin } from './service-login.ts'

/** The initial content of a database. It is built once per run and name, then copied in a tenth of a second. */
export interface DatabaseTemplate {
  /** Lower-case letters, digits and underscores; the same name always means the same content. */
  readonly name: string
  /** Fills an empty database. It must have closed its connections when its promise resolves. */
  readonly build: (url: string) => Promise<void>
}

export interface TestDatabase {
  /** As the owner of all that is in it, who may do anything. */
  readonly url: string
  /** As the functions log in: with a role that owns nothing and has its rights on what the template holds. */
  readonly serviceUrl: string
  /** Ends every connection to the database and removes it. */
  readonly drop: () => Promise<void>
}

/** Before Postgres 15, there is no other way to copy. */
const copying = postgresMajor() < 15 ? '' : 'strategy file_copy'

/** A database of its own on the run's Postgres: a copy of the template, or an empty one. Drop it in `afterAll`. */
export async function testDatabase(template?: DatabaseTemplate): Promise<TestDatabase> {
  const source = template === undefined ? 'template1' : await findTemplate(template)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const sql = ownerSession()
  await sql`create database ${sql(name)} template ${sql(source)} ${sql.unsafe(copying)}`
  return {
    url: databaseUrl(name),
    serviceUrl: toServiceUrl(name),
    drop: async () => {
      await sql`drop database if exists ${sql(name)} with (force)`
    },
  }
}

const built = new Map<string, Promise<string>>()

/** Returns the name of the template's database. This process asks for it once. */
function findTemplate(template: DatabaseTemplate): Promise<string> {
  const found = built.get(template.name) ?? builtTemplate(template)
  built.set(template.name, found)
  return found
}

async function builtTemplate({ name, build }: DatabaseTemplate): Promise<string> {
  const finished = `template_${name}`
  const unfinished = `unfinished_${name}`
  await withSession(inject('postgresUrl'), async (sql) => {
    // Test files run in parallel processes: the first one builds, the others wait for it.
    await sql`select pg_advisory_lock(hashtext(${finished}))`
    if ((await sql`select from pg_database where datname = ${finished}`).length > 0) return
    await sql`drop database if exists ${sql(unfinished)} with (force)`
    await sql`create database ${sql(unfinished)}`
    await build(databaseUrl(unfinished))
    await withSession(databaseUrl(unfinished), (owner) => grantServiceRights(owner, serviceLogin.user))
    await sql`alter database ${sql(unfinished)} rename to ${sql(finished)}`
  })
  return finished
}

let owner: Sql | undefined

/**
 * The session of this process that makes and removes databases: each costs a hundredth of a second of a processor to
 * open.
 */
function ownerSession(): Sql {
  owner ??= postgres(inject('postgresUrl'), { max: 1, onnotice: () => {}, fetch_types: false })
  return owner
}

/** One session for the whole task, so that its advisory lock ends with it. */
async function withSession(url: string, task: (sql: Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await task(sql)
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function databaseUrl(database: string): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${database}`
  return url.href
}

function toServiceUrl(database: string): string {
  const url = new URL(databaseUrl(database))
  url.username = serviceLogin.user
  url.password = serviceLogin.password
  return url.href
}
