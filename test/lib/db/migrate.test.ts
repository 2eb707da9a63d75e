import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { drizzle } from 'drizzle-orm/postgres-js'
import { migrate as migrateByDrizzle } from 'drizzle-orm/postgres-js/migrator'
import postgres, { type Sql } from 'postgres'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type MigrateOptions, migrate } from '../../../lib/db/migrate.ts'
import { readMigrations } from '../../../lib/db/migration-files.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { migrationFolder } from './migration-folder.ts'

const ours = new URL('../../../tables/migrations/', import.meta.url)
const breakpoint = '--> statement-breakpoint\n'

let database: TestDatabase
let sql: Sql

beforeEach(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
})
afterEach(async () => {
  await sql.end({ timeout: 5 })
  await database.drop()
})

const listApplied = (files: Readonly<Record<string, string>>, options?: MigrateOptions) =>
  migrate(sql, readMigrations(migrationFolder(files)).migrations, options)

const tables = async () => {
  const rows = await sql`select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`
  return rows.map(({ relname }) => String(relname)).sort()
}

const failure = (attempt: Promise<unknown>): Promise<Error> =>
  attempt.then(
    () => Promise.reject(new Error('it did not fail')),
    (error) => error,
  )

describe('migrations', () => {
  it('are applied in order, each once', async () => {
    const files = { '0000_one.sql': 'create table one (id int)', '0001_two.sql': 'alter table one rename to two' }
    expect(await listApplied(files)).toEqual(['0000_one.sql', '0001_two.sql'])
    expect(await listApplied({ ...files, '0002_three.sql': 'create table three ()' })).toEqual(['0002_three.sql'])
    expect(await tables()).toEqual(['three', 'two'])
    expect(await listApplied(files)).toEqual([])
  })

  it('go on where drizzle itself left off, and it goes on where we did', async () => {
    await migrateByDrizzle(drizzle(sql), { migrationsFolder: fileURLToPath(ours) })
    const { migrations } = readMigrations(ours)
    expect(await migrate(sql, migrations)).toEqual([])
    const other = await testDatabase()
    const otherSql = postgres(other.url, { max: 1, onnotice: () => {} })
    await migrate(otherSql, migrations)
    await migrateByDrizzle(drizzle(otherSql), { migrationsFolder: fileURLToPath(ours) })
    const rows = await otherSql`select from drizzle.__drizzle_migrations`
    expect(rows.length).toBe(migrations.length)
    await otherSql.end()
    await other.drop()
  })

  it('make tables where everybody finds them, and not in a schema that has the name of the owner', async () => {
    const connection = { search_path: '"$user", public' }
    const owner = postgres(database.url, { max: 1, onnotice: () => {}, connection })
    const files = { '0000_one.sql': 'create schema table_control', '0001_two.sql': 'create table two ()' }
    await migrate(owner, readMigrations(migrationFolder(files)).migrations)
    await owner.end()
    expect(await tables()).toEqual(['two'])
  })

  it('are applied if they came from a branch with an earlier date', async () => {
    const files = { '0000_one.sql': 'create table one ()', '0001_two.sql': 'create table two ()' }
    const { migrations } = readMigrations(migrationFolder(files))
    await migrate(sql, migrations.slice(1))
    expect(await migrate(sql, migrations)).toEqual(['0000_one.sql'])
  })

  it('are left alone if they are of a later version', async () => {
    await listApplied({ '0000_one.sql': 'create table one ()', '0001_two.sql': 'create table two ()' })
    expect(await listApplied({ '0000_one.sql': 'create table one ()' })).toEqual([])
  })

  it('are applied once by two runs at once', async () => {
    const files = { '0000_one.sql': 'create table one (); select pg_sleep(0.3)', '0001_two.sql': 'create table two ()' }
    const { migrations } = readMigrations(migrationFolder(files))
    const others = [1, 2].map(() => postgres(database.url, { max: 1, onnotice: () => {} }))
    const runs = await Promise.all([sql, ...others].map((one) => migrate(one, migrations)))
    expect(runs.flat().sort()).toEqual(['0000_one.sql', '0001_two.sql'])
    await Promise.all(others.map((one) => one.end()))
  })
})

describe('a migration that fails', () => {
  it('leaves nothing of itself behind, and those before it in place', async () => {
    const files = { '0000_one.sql': 'create table one ()', '0001_two.sql': `create table two ();${breakpoint}boom` }
    await expect(listApplied(files)).rejects.toThrow('0001_two.sql')
    expect(await tables()).toEqual(['one'])
    expect(await listApplied({ ...files, '0001_two.sql': 'create table two ()' })).toEqual(['0001_two.sql'])
  })

  it.each([
    ['a misspelt word', 'creat table two ()', '0000_bad.sql, line 5: syntax error at or near "creat" (42601)'],
    ['a missing table', '\nalter table two add id int', '0000_bad.sql, line 6: relation "two" does not exist (42P01)'],
    [
      'several statements',
      'select 1;\nselect 2;\nselect three',
      '0000_bad.sql, line 7: column "three" does not exist (42703)',
    ],
  ])('names its file and the place of %s', async (_what, statement, message) => {
    const text = `create table one (\n  id int\n);\n${breakpoint}${statement}`
    expect((await failure(listApplied({ '0000_bad.sql': text }))).message).toBe(message)
  })

  it.each([
    ['a value', "insert into one values ('secret')", 'a value does not fit (22P02)'],
    [
      'a double key',
      'insert into one values (4711), (4711)',
      'rows break a constraint, schema "public", table "one", constraint "one_pkey" (23505)',
    ],
    [
      'a deferred key',
      'insert into two values (4711)',
      'rows break a constraint, schema "public", table "two", constraint "two_id_fkey" (23503)',
    ],
    [
      'what it raises itself',
      "do $$ begin raise exception 'secret %', 4711 using table = 'secret'; end $$",
      ': the file raised an exception (P0001)',
    ],
  ])('tells nothing of rows that have %s in its way', async (_what, statement, reason) => {
    await sql`create table one (id int primary key)`
    await sql`create table two (id int references one deferrable initially deferred)`
    const error = await failure(listApplied({ '0000_bad.sql': statement }))
    expect(error.message).toMatch(/^0000_bad\.sql, (line 1|at its end): /)
    expect(error.message).toContain(reason)
    expect(`${error.stack} ${JSON.stringify(error)}`).not.toMatch(/secret|4711/)
  })

  it('is tried again for a lock, and then reported', async () => {
    await sql`create table one (id int)`
    const reader = postgres(database.url, { max: 1 })
    const files = { '0000_wait.sql': 'alter table one add note text' }
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = reader.begin(async (transaction) => {
      await transaction`select * from one`
      held.resolve()
      await release.promise
    })
    await held.promise
    const error = await failure(listApplied(files, { lockTimeoutMs: 50, attempts: 2 }))
    expect(error.message).toBe('0000_wait.sql, line 1: canceling statement due to lock timeout (55P03)')
    const patient = listApplied(files, { lockTimeoutMs: 50, attempts: 20 })
    release.resolve()
    await holding
    expect(await patient).toEqual(['0000_wait.sql'])
    await reader.end()
  })

  it('says that another migration did not end in time', async () => {
    const other = postgres(database.url, { max: 1 })
    const release = Promise.withResolvers<void>()
    let holding: Promise<unknown> | undefined
    const isLockAsked = `exists (select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database()))`
    const error = await failure(
      listApplied(
        {
          '0000_one.sql': `do $$ begin while not ${isLockAsked} loop perform pg_sleep(0.01); end loop; end $$`,
          '0001_two.sql': 'create table two ()',
        },
        {
          // Read for each file: the first one has all the time that it needs.
          get expires() {
            return holding === undefined ? Number.POSITIVE_INFINITY : performance.now() + 1_000
          },
          report: () => {
            holding = other.begin(async (transaction) => {
              await transaction`select pg_advisory_xact_lock(hashtext('table_control.migrations'))`
              await release.promise
            })
          },
        },
      ),
    )
    release.resolve()
    await holding
    await other.end()
    expect(error.message).toBe('another migration of this database did not end in time; try again when it has ended')
    expect(await tables()).toEqual([])
  })

  it('leaves nothing behind if its time is over', async () => {
    let expires = Number.POSITIVE_INFINITY
    const limited = {
      get expires() {
        return expires
      },
      // From here on, only the statements of the file can be late.
      report: () => {
        expires = performance.now() + 100
      },
    }
    const error = await failure(listApplied({ '0000_slow.sql': 'create table one (); select pg_sleep(60)' }, limited))
    expect(error.message).toBe('0000_slow.sql, line 1: canceling statement due to statement timeout (57014)')
    expect(await tables()).toEqual([])
  })
})

describe('a folder of migrations', () => {
  it('a file that was changed after it was applied is refused by its name, before anything is done', async () => {
    await listApplied({ '0000_one.sql': 'create table one ()' })
    const changed = listApplied({ '0000_one.sql': 'create table uno ()', '0001_two.sql': 'create table two ()' })
    await expect(changed).rejects.toThrow('0000_one.sql was changed after it had been applied to this database.')
    expect(await tables()).toEqual(['one'])
  })

  it('says which file its journal names and it does not hold, and the other way round', () => {
    const folder = migrationFolder({ '0000_one.sql': '', '0001_two.sql': '' })
    rmSync(new URL('0001_two.sql', folder))
    expect(() => readMigrations(folder)).toThrow('0001_two.sql is missing')
    writeFileSync(new URL('0001_two.sql', folder), '')
    writeFileSync(new URL('by_hand.sql', folder), '')
    expect(() => readMigrations(folder)).toThrow('does not name by_hand.sql')
  })

  it.each([
    ['the same moment as', [1_000, 1_001, 1_001]],
    ['an earlier moment than', [1_000, 1_002, 1_001]],
  ])('is refused where a file is of %s the one in front of it', (_which, made) => {
    const folder = migrationFolder({ '0000_one.sql': '', '0001_two.sql': '', '0002_three.sql': '' }, made)
    expect(() => readMigrations(folder)).toThrow('0002_three.sql must be newer than 0001_two.sql')
  })

  it('has a hash that changes with any file, its name and their order, and with nothing else', () => {
    const readHash = (files: Readonly<Record<string, string>>) => readMigrations(migrationFolder(files)).hash
    const hashes = [
      { '0.sql': 'a', '1.sql': 'b' },
      { '0.sql': 'a', '1.sql': 'c' },
      { '1.sql': 'b', '0.sql': 'a' },
      { '0.sql': 'a', '2.sql': 'b' },
      { '0.sql': 'a' },
    ].map(readHash)
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(readHash({ '0.sql': 'a', '1.sql': 'b' })).toBe(hashes[0])
  })
})
