import { readFileSync } from 'node:fs'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../lib/config.ts'
import { serviceSchema } from '../support/database/service-schema.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'

const page = readFileSync(new URL('../../infra/PRIVACY.md', import.meta.url), 'utf8')

/** The statements of a section. */
const readStatements = (section: string): readonly string[] =>
  [...(page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/```sql\n(.*?)```/gs)].map(
    ([, text = '']) => text.replaceAll('<sub>', 'leaver').replaceAll('<address>', 'leaver@example.com'),
  )

const [listKept = ''] = readStatements('What is kept of a caller')
const [erase = '', rename = ''] = readStatements('Erase a caller')

/** The rows of the page's first table: what it says of each table of the service. */
const described = new Map(
  [...page.matchAll(/^\| `(\w+)` +\|(.*)$/gm)].map(([, table = '', cells = '']) => [table, cells]),
)

interface Column {
  readonly table: string
  readonly column: string
  readonly type: string
  readonly required: boolean
}

let database: TestDatabase
let sql: Sql
let columns: readonly Column[]
let tables: readonly string[]

beforeAll(async () => {
  database = await testDatabase(serviceSchema)
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  columns = await sql<Column[]>`select table_name as table, column_name as column, data_type as type,
      is_nullable = 'NO' and column_default is null and is_identity = 'NO' as required
    from information_schema.columns where table_schema = 'table_control' order by 1, ordinal_position`
  // Tables that others refer to come first.
  const first = ['jobs', 'imports', 'sockets']
  tables = [...first, ...new Set(columns.map(({ table }) => table).filter((table) => !first.includes(table)))]
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** Texts that the service chooses: words, names of tables, actions and columns, and addresses of the service. */
const technical = new Set([
  ...['action', 'base_url', 'code', 'connection_id', 'content_type', 'event', 'field', 'guard', 'id', 'kind'],
  ...['language', 'level', 'message_id', 'object_key', 'outcome', 'place', 'request_id', 'response', 'state'],
  ...['table_name', 'visibility'],
])

describe('the page about personal data', () => {
  it('has every table of the service, and no other', () => {
    expect([...described.keys()].sort()).toEqual([...tables].sort())
  })

  it('has the times that are the defaults of the settings', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      SERVICE_SECRET: 'a secret of more than thirty-two characters',
      COGNITO_USER_POOL_ID: 'pool',
      COGNITO_CLIENT_ID: 'client',
    })
    const times = [...page.matchAll(/(\d+) (?:days|minutes) \(`([A-Z_]+)`\)/g)].map(([, time, name]) => [
      name,
      Number(time),
    ])
    expect(times.length).toBeGreaterThan(4)
    expect(times).toEqual(times.map(([name]) => [name, Reflect.get(config, `${name}`)]))
  })

  it('names every column that may hold a text of a caller or of a row', () => {
    const free = columns.filter(
      ({ column, type }) => ['bytea', 'json', 'jsonb', 'text'].includes(type) && !technical.has(column),
    )
    const missing = free.filter(({ table, column }) => !described.get(table)?.includes(`\`${column}\``))
    expect(missing.map(({ table, column }) => `${table}.${column}`)).toEqual([])
  })
})

const samples: Readonly<Record<string, string>> = {
  boolean: 'false',
  bigint: '1',
  integer: '1',
  json: `'{}'`,
  jsonb: `'{}'`,
  text: `'text'`,
  'timestamp with time zone': `now() + interval '1 day'`,
}

/** Adds a row of a caller to every table, by the columns that are required and those that name callers. */
async function fillTables(subject: string, id: string): Promise<void> {
  const own: Readonly<Record<string, string>> = {
    subject: `'${subject}'`,
    identity: `'{"subject": "${subject}", "claims": {}}'`,
    ...Object.fromEntries(['address', 'recipient'].map((name) => [name, `'${subject}@example.com'`])),
    ...Object.fromEntries(['id', 'job_id', 'import_id', 'change'].map((name) => [name, `'${id}'`])),
    ...Object.fromEntries(['connection_id', 'key', 'hash', 'name'].map((name) => [name, `'of ${subject}'`])),
  }
  for (const table of tables.filter((name) => !name.startsWith('row_'))) {
    const filled = columns.filter(
      ({ table: of, column, type, required }) =>
        of === table && (required || (column in own && (column !== 'id' || type === 'uuid'))),
    )
    const values = filled.map(
      ({ column, type }) =>
        (type === 'text' || type.startsWith('json') || type === 'uuid' ? own[column] : undefined) ?? samples[type],
    )
    const names = filled.map(({ column }) => column).join()
    await sql.unsafe(`insert into table_control.${table} (${names}) values (${values.join()})`)
  }
}

/** The tables with a row that names a caller, or belongs to a row that does. */
async function findTables(id: string, subject: string): Promise<readonly string[]> {
  const found = await Promise.all(
    tables.map((table) =>
      sql.unsafe(
        `select from table_control.${table} one where one::text like '%${subject}%' or one::text like '%${id}%'`,
      ),
    ),
  )
  return tables.filter((_, index) => found[index]?.length !== 0).toSorted()
}

const ids = { leaver: '11111111-1111-4111-8111-111111111111', stayer: '22222222-2222-4222-8222-222222222222' }

beforeEach(async () => {
  for (const table of tables.toReversed()) await sql.unsafe(`delete from table_control.${table}`)
  for (const [subject, id] of Object.entries(ids)) await fillTables(subject, id)
})

describe('the SQL about a caller', () => {
  it('lists what every table keeps of the caller, and nothing of another one', async () => {
    const kept = await sql.unsafe<{ place: string; kept: object }[]>(listKept)
    expect(kept.map(({ place }) => place).toSorted()).toEqual(await findTables(ids.leaver, 'leaver'))
    expect(JSON.stringify(kept)).not.toMatch(/stayer|2222/)
  })

  it('lists what was sent to the caller by others', async () => {
    await sql`update table_control.job_recipients set address = 'leaver@example.com' where job_id = ${ids.stayer}`
    await sql`update table_control.downloads set recipient = 'leaver@example.com' where subject = 'stayer'`
    const kept = await sql.unsafe<{ place: string; kept: object }[]>(listKept)
    const ofOthers = kept.filter((one) => JSON.stringify(one).includes('2222'))
    expect(ofOthers.map(({ place }) => place).toSorted()).toEqual(['downloads', 'job_recipients'])
  })

  it('erases the caller from every table but those that tell who did what, and nothing of another one', async () => {
    const others = await findTables(ids.stayer, 'stayer')
    await sql.unsafe(`update table_control.jobs set state = 'succeeded'`)
    await sql.unsafe(erase)
    const [link] = await sql`select expires_at <= now() as expired, revoked_at is not null as revoked
      from table_control.downloads where subject = 'leaver'`
    expect(link).toEqual({ expired: true, revoked: true })
    // As the sweep does, together with the file.
    await sql`delete from table_control.downloads where expires_at <= now()`
    expect(await findTables(ids.leaver, 'leaver')).toEqual(['audit', 'cell_changes'])
    await sql.unsafe(rename)
    expect((await sql.unsafe(listKept)).length).toBe(0)
    const names = await sql`select subject from table_control.audit where subject <> 'stayer'
      union all select subject from table_control.cell_changes where subject <> 'stayer'`
    expect([names.length, new Set(names.map(({ subject }) => subject)).size]).toEqual([2, 1])
    expect(await findTables(ids.stayer, 'stayer')).toEqual(others)
  })

  it('cancels a job that has not ended, and leaves it to the next run', async () => {
    await sql.unsafe(erase)
    const jobs = await sql`select subject, cancel_requested from table_control.jobs order by subject`
    expect(jobs.map(({ cancel_requested }) => cancel_requested)).toEqual([true, false])
  })
})
