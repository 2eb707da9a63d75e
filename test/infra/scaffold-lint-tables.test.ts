import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getTableColumns } from 'drizzle-orm'
import postgres, { type Sql } from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Finding } from '../../infra/scaffold/lint/finding.ts'
import { migrate } from '../../lib/db/migrate.ts'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { birdStrikes } from '../../tables/schema/bird-strikes.ts'
import { itSince } from '../support/database/it-since.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'
import { ordersDdl } from '../support/infra/orders-ddl.ts'
import { type ProjectCopy, projectCopy } from '../support/infra/project-copy.ts'

let database: TestDatabase
let sql: Sql
let copy: ProjectCopy

beforeAll(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await migrate(sql, readMigrations(new URL('../../tables/migrations/', import.meta.url)).migrations)
  await sql.unsafe(ordersDdl)
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

beforeEach(async () => {
  copy = await projectCopy()
})

afterEach(() => copy.remove())

const lint = (...args: readonly string[]) => copy.scaffold('lint-tables', ['--database', database.url, ...args])

async function findings(table: string): Promise<readonly Finding[]> {
  const { out, err } = await lint(table, '--json')
  expect(err).toBe('')
  return JSON.parse(out)
}

/** Returns the findings while another relation, made by a statement that reads `other_<table>`, has a table's name. */
async function findingsWith(table: string, statement: string): Promise<readonly Finding[]> {
  const [, kind = ''] = new RegExp(`^create ([a-z ]+) ${table} `).exec(statement) ?? []
  await sql.unsafe(`alter table ${table} rename to other_${table}; ${statement}`)
  try {
    return await findings(table)
  } finally {
    await sql.unsafe(`drop ${kind} ${table} cascade; alter table other_${table} rename to ${table}`)
  }
}

const findByRule = (all: readonly Finding[], rule: Finding['rule']) =>
  all.filter((finding) => finding.rule === rule).map(({ about, level }) => `${level} ${about}`)

async function makeOrders(...args: readonly string[]): Promise<void> {
  expect(await copy.scaffold('make-table', ['orders', '--database', database.url, ...args])).toMatchObject({
    err: '',
    code: 0,
  })
}

async function change(path: string, from: string | RegExp, to: string): Promise<void> {
  const file = join(copy.directory, path)
  const text = await readFile(file, 'utf8')
  expect(text).toMatch(from)
  await writeFile(file, text.replace(from, to))
}

const strikesWithMadeNote = Object.keys(getTableColumns(birdStrikes))
  .map((name) => (name === 'note' ? 'upper(note) as note' : name))
  .join(', ')

describe('npm run table:lint', () => {
  itSince(15)('warns of a database whose locale knows the cases of ASCII letters only', async () => {
    const name = 'locale_of_ascii'
    await sql.unsafe(`drop database if exists ${name}`)
    await sql.unsafe(`create database ${name} template template0 locale_provider libc locale 'C'`)
    const url = new URL(database.url)
    url.pathname = name
    const ascii = postgres(url.href, { max: 1, onnotice: () => {} })
    try {
      await migrate(ascii, readMigrations(new URL('../../tables/migrations/', import.meta.url)).migrations)
      const { out } = await copy.scaffold('lint-tables', ['--database', url.href, 'airports', '--json'])
      const [finding, trigrams] = (JSON.parse(out) as readonly Finding[]).filter(({ rule }) => rule === 'locale')
      expect(finding).toMatchObject({ level: 'warning', about: 'like', text: expect.stringContaining('É and é') })
      expect(finding?.fix).toContain('C.UTF-8')
      const text = 'an index of trigrams finds no word of Arabic: LC_CTYPE does not know its letters'
      expect(trigrams).toMatchObject({ level: 'warning', about: 'search', text })
    } finally {
      await ascii.end()
      await sql.unsafe(`drop database ${name}`)
    }
  })

  it('finds nothing in the tables of the example but what they accept with a reason', async () => {
    const args = ['--database', database.url, 'flights', 'airports', 'bird_strikes']
    expect(await copy.scaffoldAlone('lint-tables', args)).toEqual({
      code: 0,
      out: 'tables: 3, errors: 0, warnings: 0\n',
      err: '',
    })
  })

  it('finds in a table fresh from make:table its Arabic and its scope, and nothing that its indexes do not serve', async () => {
    await makeOrders()
    const all = await findings('orders')
    expect(new Set(all.filter(({ level }) => level === 'error').map(({ rule }) => rule))).toEqual(
      new Set(['arabic-label', 'scope', 'sort-index', 'search-index']),
    )
    expect(all.find(({ rule }) => rule === 'scope')?.text).toBe('it is not written yet: no caller sees a row')
    const [labels, ...others] = all.filter(({ rule }) => rule === 'arabic-label')
    expect(others).toEqual([])
    expect(labels?.text).toMatch(
      /^Arabic is missing in \d+ of them \(the placeholder of make:table is still there: label, /,
    )
    expect(labels?.text).toContain('columns.customer__full_name.label')
    expect(labels?.text).toContain('columns.status.values.open')
    expect(labels?.text).not.toMatch(/actions|filters/)
    expect(findByRule(all, 'filter-index')).toEqual([])
    // The migration of the table makes that index.
    expect(findByRule(all, 'search-index')).toEqual(['error number', 'error note', 'error odd name'])
    // Its index has NULLs last, which serves one direction of the two.
    expect(findByRule(all, 'sort-index')).toContain('error due')
    // A unique column has no ties; customer_id has.
    expect(findByRule(all, 'sort-index').filter((one) => one.startsWith('warning'))).toEqual(['warning customer_id'])
  })

  it('finds every row for everybody where a column says whose a row is', async () => {
    await makeOrders('--everyone')
    const scope = (await findings('orders')).find(({ rule }) => rule === 'scope')
    expect(scope).toMatchObject({
      level: 'error',
      text: expect.stringContaining('tenant_id'),
      fix: expect.stringContaining('claims'),
    })
  })

  it('finds sorts and filters without an index that serves them, and says which would', async () => {
    await makeOrders('--everyone')
    const sorts = "sortables: ['amount', 'note', 'customer__full_name'], defaultSort: ['amount', 'asc']"
    await change(
      'tables/orders.ts',
      /defaultSort: \["placed_at", ?"desc"\]|defaultSort: \['placed_at', 'desc'\]/,
      sorts,
    )
    await change('tables/orders.ts', 'filters: {', "filters: { 'odd name': {}, amount: {},")
    const all = await findings('orders')
    expect(findByRule(all, 'default-sort-index')).toEqual(['error amount'])
    expect(findByRule(all, 'sort-index')).toEqual(
      expect.arrayContaining(['error amount', 'error note', 'error customer__full_name']),
    )
    expect(findByRule(all, 'filter-index')).toEqual(['error odd name', 'error amount'])
    const fixes = Object.fromEntries(all.map(({ rule, about, fix }) => [`${rule} ${about}`, fix]))
    expect(fixes['default-sort-index amount']).toContain('index().on(t.amount, t.id)')
    expect(fixes['filter-index odd name']).toContain('gin_trgm_ops')
    expect(fixes['sort-index customer__full_name']).toContain('no index can have it')
  })

  it('finds nothing more once the fix is there', async () => {
    await makeOrders('--everyone')
    await change('tables/orders.ts', /, sortable: true/g, '')
    await change('tables/orders.ts', 'defaultSort:', "sortables: ['amount', 'due'], defaultSort:")
    expect(findByRule(await findings('orders'), 'sort-index')).toEqual(['error amount', 'error due'])
    await sql`create index cure_amount on orders (amount, id)`
    await sql`create index cure_due on orders (due, id)`
    await sql`create index cure_due_desc on orders (due desc nulls last, id desc nulls first)`
    try {
      expect(findByRule(await findings('orders'), 'sort-index')).toEqual([])
    } finally {
      await sql`drop index cure_amount, cure_due, cure_due_desc`
    }
  })

  it('finds a filter with fold without the index of searches, and none once it is there', async () => {
    await makeOrders('--everyone')
    await change('tables/orders.ts', 'filters: {', "filters: { 'odd name': { fold: true },")
    const finding = (await findings('orders')).find(({ rule }) => rule === 'filter-index')
    expect(finding).toMatchObject({ about: 'odd name', text: expect.stringContaining('"=", "like"') })
    expect(finding?.fix).toContain("searchIndex('…', t.odd name)")
    await sql`create index cure_name on orders using gin (table_control.fold_text("odd name") gin_trgm_ops)`
    try {
      expect(findByRule(await findings('orders'), 'filter-index')).toEqual([])
    } finally {
      await sql`drop index cure_name`
    }
  })

  it('warns of a former name whose sunset has passed', async () => {
    const formerly = "formerly: { name: 'region', since: '2020-01-01', sunset: '2021-01-01' },"
    await change('tables/airports.ts', /(state: \{ label: \{[^}]*\},)/, `$1 ${formerly}`)
    const all = await findings('airports')
    expect(findByRule(all, 'sunset')).toEqual(['warning state'])
    expect(all.find(({ rule }) => rule === 'sunset')?.text).toContain('the former name region was 2021-01-01')
  })

  it('finds a search that no index serves', async () => {
    await change('tables/airports.ts', /(state: \{ label: \{[^}]*\},)/, '$1 search: true,')
    const all = await findings('airports')
    expect(findByRule(all, 'search-index')).toEqual(['error state'])
    expect(all.find(({ rule }) => rule === 'search-index')?.fix).toContain('searchIndex(')
  })

  it('writes the trigger that a live table lacks, and finds one that is disabled', async () => {
    await change('tables/airports.ts', /(name: 'airports',)/, '$1 live: true,')
    const find = async () => (await findings('airports')).filter(({ rule }) => rule === 'live-trigger')
    const [missing] = await find()
    expect(missing).toMatchObject({ level: 'error', about: 'live' })
    expect(missing?.text).toBe('live: true shows no writes of other programs: no trigger reports all its changes')
    const statement = missing?.fix.replace(/^.*?: /, '') ?? ''
    expect(statement).toMatch(
      /^create trigger "live_airports" after insert or update or delete or truncate on "airports" /,
    )
    try {
      await sql.unsafe(statement.replace(' or truncate', ''))
      expect(await find()).toEqual([missing])
      await sql`drop trigger live_airports on airports`
      await sql.unsafe(statement)
      expect(await find()).toEqual([])
      await sql`alter table airports disable trigger live_airports`
      const [disabled] = await find()
      expect(disabled?.text).toContain('its trigger is disabled')
      expect(disabled?.fix).toBe('as its owner: alter table "airports" enable trigger "live_airports"')
    } finally {
      await sql`drop trigger live_airports on airports`
    }
  })

  it.each([
    ['a view', 'create view airports as select * from other_airports'],
    ['a partitioned table', 'create table airports (like other_airports) partition by list (iata)'],
    [
      'a table with INHERITS',
      'create table airports (like other_airports); create table more_airports () inherits (airports)',
    ],
    ['a table with INHERITS', 'create table airports () inherits (other_airports)'],
  ])('finds a live table that is %s', async (kind, statement) => {
    await change('tables/airports.ts', /(name: 'airports',)/, '$1 live: true,')
    const all = await findingsWith('airports', statement)
    const [found] = all.filter(({ rule }) => rule === 'live-trigger')
    expect(found?.text).toBe(
      `live: true needs an ordinary table, and "airports" is ${kind}: no trigger reports all its changes`,
    )
    expect(found?.fix).toBe('remove live: true; actions of this service are shown without it')
  })

  it('warns of a field of a form that hides a key of requests', async () => {
    await change(
      'tables/bird-strikes.ts',
      'assignee: z.string()',
      'search: z.optional(z.string()), assignee: z.string()',
    )
    const fields = (await findings('bird_strikes')).filter(({ rule }) => rule === 'form-field')
    expect(fields).toMatchObject([{ level: 'warning', about: 'rowActions.assign.form.search' }])
    expect(fields[0]?.text).toBe(
      'the field "search" of this form hides the key "search" of requests, which this action cannot read then',
    )
  })

  it('finds a relation whose other side the database does not keep unique, even if the schema says so', async () => {
    await makeOrders('--everyone')
    await sql.begin(async (transaction) => {
      await transaction`alter table orders drop constraint orders_customer_id_fkey`
      await transaction`alter table customers drop constraint customers_pkey`
    })
    try {
      expect(findByRule(await findings('orders'), 'relation')).toEqual(['error customer'])
    } finally {
      await sql`alter table customers add primary key (id)`
      await sql`alter table orders add constraint orders_customer_id_fkey foreign key (customer_id) references customers on delete cascade`
    }
  })

  it('finds what the database lacks, and then asks it nothing more', async () => {
    await change('tables/schema/airports.ts', 'city: text(),', 'city: text(), runways: text(),')
    expect(findByRule(await findings('airports'), 'in-database')).toEqual(['error from'])
  })

  it('finds columns whose type in the database is another, but takes text for varchar and a domain for its type', async () => {
    await change('tables/schema/airports.ts', 'city: text(),', 'city: varchar({ length: 9 }),')
    await change('tables/schema/airports.ts', 'import {', "import { varchar } from 'drizzle-orm/pg-core'\nimport {")
    await sql`create domain place as text`
    await sql`alter table airports alter column latitude type text, alter column state type place`
    try {
      const found = (await findings('flights')).filter(({ rule }) => rule === 'in-database')
      expect(found.map(({ about }) => about)).toEqual(['origin__latitude', 'destination__latitude'])
      const [own, ...more] = (await findings('airports')).filter(({ rule }) => rule === 'in-database')
      expect(own?.text).toBe('the schema file says that latitude is double precision, and the database has text')
      expect(more).toEqual([])
    } finally {
      await sql`alter table airports alter column latitude type double precision using latitude::float8, alter column state type text`
      await sql`drop domain place`
    }
  })

  itSince(18)('finds columns that are declared not null and that the database does not keep so', async () => {
    const find = async () => findByRule(await findings('airports'), 'not-null')
    expect(await find()).toEqual([])
    await sql`alter table airports alter column name drop not null`
    try {
      expect(await find()).toEqual(['error name'])
      await sql`alter table airports add constraint named not null name not valid`
      expect(await find()).toEqual(['error name'])
      await sql`alter table airports validate constraint named`
      expect(await find()).toEqual([])
    } finally {
      await sql`alter table airports alter column name set not null`
    }
  })

  it('finds the columns of a view that are declared not null, other than its key', async () => {
    const all = await findingsWith('airports', 'create view airports as select * from other_airports')
    expect(findByRule(all, 'not-null')).toEqual(
      ['name', 'country', 'latitude', 'longitude'].map((key) => `error ${key}`),
    )
    const [key] = all.filter(({ about }) => about === 'iata')
    expect(key?.fix).toContain('if its query keeps the key of this view unique')
    expect(all.find(({ rule }) => rule === 'not-null')?.fix).toContain('a column of a view may always be null')
  })

  it.each([
    ['a materialized view', 'materialized view', 'select *', '', ['error from']],
    ['a view with GROUP BY', 'view', 'select *', 'group by id', ['error from']],
    ['a view that makes a column', 'view', `select ${strikesWithMadeNote}`, '', ['error note']],
    ['a view of one table', 'view', 'select *', '', []],
  ])('finds actions and edits that cannot work on %s', async (_, kind, select, rest, found) => {
    const statement = `create ${kind} bird_strikes as ${select} from other_bird_strikes ${rest}`
    expect(findByRule(await findingsWith('bird_strikes', statement), 'lock')).toEqual(found)
  })

  it('reports no unused acceptance of a table that differs from the database', async () => {
    await change('tables/schema/airports.ts', 'city: text(),', 'city: text(), nickname: text(),')
    const { out } = await lint('--json')
    const all: readonly Finding[] = JSON.parse(out)
    // Flights have relations to airports.
    expect(findByRule(all, 'in-database')).toEqual(expect.arrayContaining(['error from', 'error origin']))
    expect(findByRule(all, 'unused-ignore')).toEqual([])
  })

  it('reports all labels without Arabic in one finding: English, empty, or one text for both', async () => {
    await change('tables/airports.ts', "ar: 'المطارات'", "ar: 'Airports'")
    await change('tables/airports.ts', "label: { en: 'Code', ar: 'الرمز' }", "label: 'Code'")
    await change('tables/airports.ts', "ar: 'المدينة'", "ar: ''")
    const labels = (await findings('airports')).filter(({ rule }) => rule === 'arabic-label')
    expect(labels).toMatchObject([{ level: 'error', about: 'labels' }])
    expect(labels[0]?.text).toBe(
      'Arabic is missing in 3 of them (the text has no Arabic letter: label, columns.iata.label; the Arabic is empty: columns.city.label)',
    )
  })

  it('accepts a label without Arabic by its place, and still finds the others', async () => {
    await change('tables/airports.ts', "label: { en: 'Code', ar: 'الرمز' }", "label: 'IATA'")
    await change('tables/airports.ts', "ar: 'المدينة'", "ar: 'City'")
    const entry = "{ rule: 'arabic-label', about: ['columns.iata.label'], because: 'The name of an association.' },"
    await change('tables/lint-ignored.ts', 'airports: [', `airports: [${entry}`)
    const labels = (await findings('airports')).filter(({ rule }) => rule === 'arabic-label')
    expect(labels.map(({ text }) => text)).toEqual([
      'Arabic is missing in 1 of them (the text has no Arabic letter: columns.city.label)',
    ])
  })

  it('reports what is accepted and no longer found', async () => {
    await change(
      'tables/lint-ignored.ts',
      "about: ['origin', 'destination']",
      "about: ['origin', 'destination', 'date']",
    )
    const { code, out } = await lint('flights')
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringContaining('accepts sort-index of date, which is not found'),
    })
  })

  it.each([
    [
      'a table that is not registered',
      ['flihgts'],
      'No table "flihgts" is registered in tables/index.ts; did you mean flights?',
    ],
    ['an option that is none', ['--fix'], "Unknown option '--fix'"],
  ])('refuses %s in one line, with exit code 1', async (_, args, message) => {
    const { code, out, err } = await lint(...args)
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(message)
  })

  it('refuses a reason that is none', async () => {
    await appendFile(join(copy.directory, 'tables/lint-ignored.ts'), "lintIgnored.airports[0]!.because = 'no'\n")
    expect(await lint('airports')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('a reason of a sentence'),
    })
  })
})
