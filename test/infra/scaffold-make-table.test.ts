import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import postgres, { type Sql } from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '../../lib/db/migrate.ts'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { contractChecks } from '../support/contract/contract-checks.ts'
import { type AnyTable, startContract } from '../support/contract/contract-subject.ts'
import { itSince } from '../support/database/it-since.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'
import { ordersDdl } from '../support/infra/orders-ddl.ts'
import { type ProjectCopy, projectCopy } from '../support/infra/project-copy.ts'

let database: TestDatabase
let copy: ProjectCopy

const makeOrders = (sql: Sql) => sql.unsafe(ordersDdl)

const migrateTables = (sql: Sql) =>
  migrate(sql, readMigrations(new URL('../../tables/migrations/', import.meta.url)).migrations)

beforeAll(async () => {
  database = await testDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await migrateTables(sql)
  await makeOrders(sql)
  await sql.end()
})

afterAll(() => database.drop())

beforeEach(async () => {
  copy = await projectCopy()
})

afterEach(() => copy.remove())

const make = (...args: readonly string[]) => copy.scaffold('make-table', args, { DATABASE_URL: database.url })
const read = (path: string) => readFile(join(copy.directory, path), 'utf8')
const exists = (path: string) =>
  stat(join(copy.directory, path)).then(
    () => true,
    () => false,
  )

async function madeTable(): Promise<AnyTable> {
  const { ordersTable } = await import(/* @vite-ignore */ pathToFileURL(join(copy.directory, 'tables/orders.ts')).href)
  return ordersTable
}

describe('npm run make:table', () => {
  it('writes a table that compiles, is registered, and keeps its contract', async () => {
    const env = { DATABASE_URL: database.url }
    const made = await copy.scaffoldAlone('make-table', ['orders', '--everyone'], env)
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(await copy.compile()).toEqual([])
    expect(await read('tables/index.ts')).toMatch(/createRegistry\(\s*\[[^\]]*, ordersTable,?\s*\]/)
    expect(await read('test/tables/orders.test.ts')).toContain('tableContract(ordersTable)')
    expect((await madeTable()).definition).toMatchObject({ count: 'auto', pageBudgetMs: 2_000 })
    const subject = await startContract(await madeTable(), { fill: makeOrders })
    try {
      expect([...subject.table.sortables]).toEqual(['id', 'number', 'customer_id', 'placed_at', 'due'])
      expect([...subject.table.sources.keys()]).toContain('customer__full_name')
      for (const check of Object.values(contractChecks)) await check(subject)
    } finally {
      await subject.stop()
    }
  })

  it('proposes what can be searched, operators that an index serves, and decimals for totals', async () => {
    const { out } = await make('orders', '--everyone')
    const { definition } = await madeTable()
    const { columns, filters = {} } = definition
    const searched = Object.entries(columns).flatMap(([key, { search }]) => (search ? key : []))
    // Neither whose rows they are nor a list, an enum or JSON.
    expect(searched).toEqual(['number', 'note', 'odd name'])
    expect(columns['amount']).toMatchObject({ type: 'number', decimals: 2 })
    expect(Object.fromEntries(Object.entries(filters).map(([key, { operators }]) => [key, operators]))).toMatchObject({
      placed_at: ['>=', 'within'],
      customer_id: ['=', 'in'],
      number: ['=', 'in'],
      note: ['like', 'starts with', 'ends with'],
    })
    expect(await read('tables/schema/orders.ts')).toMatch(
      /searchIndex\(['"]orders_search['"], row\.number, row\.note, row\[['"]odd name['"]\]\)/,
    )
    expect(out).toContain('take its CREATE INDEX "orders_search" out of the block and write "if not exists"')
  })

  it('declares no search index for columns that the database has one for, and says nothing of it', async () => {
    const sql = postgres(database.url, { max: 1, onnotice: () => {} })
    await sql`create index own_search on orders using gin (
      table_control.fold_text(number) gin_trgm_ops, table_control.fold_text(note) gin_trgm_ops, table_control.fold_text("odd name") gin_trgm_ops)`
    try {
      const { out } = await make('orders', '--everyone')
      const schema = await read('tables/schema/orders.ts')
      expect(schema).not.toContain('searchIndex')
      expect(schema).toContain('table_control.fold_text(note) gin_trgm_ops')
      expect(await read('tables/orders.ts')).toContain('search: true')
      expect(out).not.toContain('out of the block')
    } finally {
      await sql`drop index own_search`
      await sql.end()
    }
  })

  it('labels the column of a relation otherwise than the column that refers to it', async () => {
    const sql = postgres(database.url, { max: 1, onnotice: () => {} })
    await sql`create table hangars (id int primary key, iata text references airports (iata))`
    try {
      const { out } = await make('hangars', '--dry-run')
      expect(out).toContain(`iata: { label: { en: 'Iata',`)
      expect(out).toContain(`iata__name: { label: { en: 'Iata: name',`)
    } finally {
      await sql`drop table hangars`
      await sql.end()
    }
  })

  it('takes a key of character varying, and none of fractions or padded text', async () => {
    const sql = postgres(database.url, { max: 1, onnotice: () => {} })
    await sql`create table depots (code varchar(20) primary key, name text)`
    await sql`create table gauges (level double precision primary key, code character(3) unique not null, name text)`
    try {
      expect((await make('depots', '--dry-run')).out).toContain("key: 'code',")
      expect((await make('gauges', '--dry-run')).err).toContain(
        'The table "gauges" has the primary key (level); a row is',
      )
    } finally {
      await sql`drop table depots, gauges`
      await sql.end()
    }
  })

  itSince(18)('declares no column as never null if the database has not looked at its older rows', async () => {
    const sql = postgres(database.url, { max: 1, onnotice: () => {} })
    await sql`create table ramps (id integer primary key, name text not null, width integer)`
    await sql`alter table ramps add constraint wide not null width not valid`
    try {
      const { out } = await make('ramps', '--dry-run')
      expect(out).toContain('name: text().notNull(),')
      expect(out).toContain('width: integer(),')
    } finally {
      await sql`drop table ramps`
      await sql.end()
    }
  })

  it('shows no caller a row until its scope is written, and says so', async () => {
    const { out } = await make('orders')
    expect(out).toContain('write the scope in tables/orders.ts')
    expect(await read('tables/orders.ts')).toContain('eq(orders.tenant_id, claims.tenant_id)')
    const subject = await startContract(await madeTable(), { fill: makeOrders })
    try {
      const { json } = await subject.api.post('query-table/orders', {}, { as: { sub: 'anybody' } })
      expect(json).toMatchObject({ success: true, items: [], pagination: { total: 0 } })
      await expect(Object.values(contractChecks)[0]?.(subject)).rejects.toThrow('Every caller is to see every row')
    } finally {
      await subject.stop()
    }
  })

  it('declares for drizzle what the database has, so that a migration makes the same where it is missing', async () => {
    await make('orders', '--everyone')
    const files = ['orders', 'customers', 'regions'].map((file) =>
      pathToFileURL(join(copy.directory, `tables/schema/${file}.ts`)),
    )
    const modules = await Promise.all(files.map(({ href }) => import(/* @vite-ignore */ href)))
    const schema = Object.assign({}, ...modules)
    const { generateDrizzleJson, generateMigration } = await import('drizzle-kit/api')
    const empty = generateDrizzleJson({}, undefined, ['public'])
    const statements = await generateMigration(empty, generateDrizzleJson(schema, undefined, ['public']))
    const fresh = await testDatabase()
    const sql = postgres(fresh.url, { max: 1, onnotice: () => {} })
    const given = postgres(database.url, { max: 1, onnotice: () => {} })
    try {
      await migrateTables(sql)
      const isSearch = (statement: string) => statement.includes('"orders_search"')
      const [search = ''] = statements.filter(isSearch)
      // The block of tables/README.md, which passes over a database that has the table already.
      const block = `do $$ begin
        if to_regclass('public.orders') is not null then return; end if;
        create extension if not exists pg_trgm;
        ${statements.filter((statement) => !isSearch(statement)).join('\n')}
      end $$;
      ${search.replace('CREATE INDEX', 'CREATE INDEX IF NOT EXISTS')}`
      const before = await describeTable(given)
      await Promise.all([sql.unsafe(block), given.unsafe(block)])
      const [columns, keys, indexes = []] = await describeTable(given)
      expect(await describeTable(sql)).toEqual([columns, keys, indexes])
      const isNew = ([name]: readonly unknown[]) => name === 'orders_search'
      expect(indexes.filter(isNew)).toHaveLength(1)
      expect([columns, keys, indexes.filter((index) => !isNew(index as readonly unknown[]))]).toEqual(before)
    } finally {
      await given`drop index if exists orders_search`
      await Promise.all([sql.end(), given.end()])
      await fresh.drop()
    }
  })

  it('prints what it would write with --dry-run, and writes nothing', async () => {
    const before = await read('tables/index.ts')
    const { code, out } = await make('orders', '--dry-run')
    expect(code).toBe(0)
    for (const path of ['tables/orders.ts', 'tables/schema/orders.ts', 'tables/index.ts', 'test/tables/orders.test.ts'])
      expect(out).toContain(`--- ${path}\n`)
    expect(await read('tables/index.ts')).toBe(before)
    expect(await exists('tables/orders.ts')).toBe(false)
  })

  it('overwrites no file, and then writes none at all', async () => {
    await writeFile(join(copy.directory, 'tables/orders.ts'), '// mine\n')
    expect(await make('orders')).toMatchObject({
      code: 1,
      err: expect.stringContaining('tables/orders.ts is there already'),
    })
    expect(await read('tables/orders.ts')).toBe('// mine\n')
    expect(await exists('tables/schema/orders.ts')).toBe(false)
  })

  it('writes no file where one of them cannot be written, so that a second try can write all', async () => {
    const before = await read('tables/index.ts')
    await rename(join(copy.directory, 'test'), join(copy.directory, 'moved'))
    await writeFile(join(copy.directory, 'test'), 'no folder')
    expect(await make('orders')).toMatchObject({ code: 1, out: '', err: expect.stringContaining('/test') })
    expect(await read('tables/index.ts')).toBe(before)
    expect(await readdir(join(copy.directory, 'tables'))).not.toContainEqual(expect.stringContaining('orders'))
    await rm(join(copy.directory, 'test'))
    await rename(join(copy.directory, 'moved'), join(copy.directory, 'test'))
    expect(await make('orders')).toMatchObject({ code: 0 })
  })

  it.each([
    ['a table that is not there', ['ordrs'], 'has no table "ordrs" in its schema public; did you mean orders?'],
    ['a view', ['open_orders'], '"open_orders" is a view: views are not supported'],
    ['a table without a key', ['keyless'], 'The table "keyless" has no primary key'],
    ['a key of two columns', ['pairs'], 'The table "pairs" has the primary key (a, b)'],
    ['a name that is registered', ['flights'], 'A table "flights" is registered in tables/index.ts already'],
    ['no name', [], 'Name one table.'],
    ['an option that is none', ['orders', '--force'], "Unknown option '--force'"],
    ['a URL that is none', ['orders', '--database', 'localhost'], 'The database is named like postgres://'],
    [
      'no database there',
      ['orders', '--database', 'postgres://u:hidden@127.0.0.1:1/d'],
      'No database answers at 127.0.0.1:1/d',
    ],
  ])('refuses %s in words, with exit code 1', async (_, args, message) => {
    const { code, out, err } = await make(...args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(message)
    expect(err).not.toMatch(/^ {4}at |hidden/m)
  })

  it('refuses what npm would take for itself, so that --dry-run never writes', async () => {
    const { code, err } = await copy.scaffold('make-table', ['orders'], { npm_config_dry_run: 'true' })
    expect({ code, err }).toEqual({ code: 1, err: 'npm took --dry-run for itself; write "--" before it.\n' })
  })

  it('refuses to go on where there is no database at all', async () => {
    expect(await copy.scaffold('make-table', ['orders'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('start one with "npm start", or name one with --database <url>'),
    })
  })
})

const made = ['orders', 'customers', 'regions']

/** Columns, keys and indexes of what is made from the schema files. */
const describeTable = async (sql: Sql) => [
  await sql`
    select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, pg_get_expr(d.adbin, d.adrelid)
    from pg_attribute a join pg_class c on c.oid = a.attrelid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relname in ${sql(made)} and a.attnum > 0 order by 1, 2`.values(),
  await sql`
    select conname, pg_get_constraintdef(k.oid) from pg_constraint k join pg_class c on c.oid = k.conrelid
    where c.relname in ${sql(made)} order by 1`.values(),
  await sql`select indexname, indexdef from pg_indexes where tablename in ${sql(made)} order by 1`.values(),
]
