import { readFileSync } from 'node:fs'
import postgres, { type Sql } from 'postgres'
import { expect, it, onTestFinished } from 'vitest'
import { migrationsFolder } from '../../infra/bundle/migrations-plugin.ts'
import { migrate } from '../../lib/db/migrate.ts'
import { type Migration, readMigrations } from '../../lib/db/migration-files.ts'
import { testDatabase } from '../support/database/test-database.ts'

const changelog = readFileSync(new URL('../../infra/CHANGELOG.md', import.meta.url), 'utf8')
const [since = ''] = changelog.split('\n## 2026-11-21\n')
const statements = [...since.matchAll(/^ *```sql\n(.*?)```/gms)].flatMap(([, text = '']) =>
  text.split('\n').flatMap((line) => line.trim() || []),
)
const { migrations } = readMigrations(migrationsFolder)

/** A database of its own to which these migrations are applied. */
async function migrateDatabase(applied: readonly Migration[]): Promise<Sql> {
  const database = await testDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  await migrate(sql, applied)
  return sql
}

const listIndexes = (sql: Sql) => sql`
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition, indisvalid as is_valid
  from pg_index join pg_class on pg_class.oid = indrelid where relnamespace = 'table_control'::regnamespace order by 1`

it.each([
  ['2026-11-21', '0002', ['imports_by_job', 'jobs_with_message', 'jobs_held']],
  ['the first version that can build them all', '0021', []],
])(
  'the statements of CHANGELOG.md build indexes of the migrations in a database of %s, but for those that it names',
  async (_version, next, expected) => {
    const plain = await migrateDatabase(migrations)
    const sql = await migrateDatabase(migrations.filter(({ file }) => file < next))
    const failed: string[] = []
    for (const statement of statements) {
      // One by one, because an index that is built concurrently can be in no transaction.
      const isDone = await sql.unsafe(statement).then(
        () => true,
        () => false,
      )
      if (!isDone) failed.push(/exists (\w+)/.exec(statement)?.[1] ?? statement)
    }
    expect(failed).toEqual(expected)
    await migrate(sql, migrations)
    expect(await listIndexes(sql)).toEqual(await listIndexes(plain))
  },
)
