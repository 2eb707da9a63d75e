import { eq } from 'drizzle-orm'
import { integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Finding } from '../../infra/scaffold/lint/finding.ts'
import { lintSearch } from '../../infra/scaffold/lint/lint-search.ts'
import { lintSorts } from '../../infra/scaffold/lint/lint-sorts.ts'
import { migrate } from '../../lib/db/migrate.ts'
import { readMigrations } from '../../lib/db/migration-files.ts'
import { createRegistry, tableDefiner } from '../../lib/index.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'

const suppliers = pgTable('suppliers', { id: integer().primaryKey(), name: text() })
const parts = pgTable('parts', {
  id: integer().primaryKey(),
  owner: uuid().notNull(),
  weight: integer().notNull(),
  supplier_id: integer(),
})
const claims = z.object({ company: z.string() })
const definition = tableDefiner<z.output<typeof claims>>()({
  name: 'parts',
  from: parts,
  key: 'id',
  relations: { supplier: { table: suppliers, on: { supplier_id: 'id' } } },
  scope: ({ identity }) => eq(parts.owner, identity.claims.company),
  columns: { id: { label: 'ID' }, weight: { label: 'Weight' }, supplier__name: { label: 'Supplier', search: true } },
  sortables: ['weight'],
})

let database: TestDatabase
let sql: Sql

beforeAll(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  await migrate(sql, readMigrations(new URL('../../tables/migrations/', import.meta.url)).migrations)
  await sql`create table suppliers (id integer primary key, name text)`
  await sql`create table parts (id integer primary key, owner uuid not null, weight integer not null, supplier_id integer)`
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

const compile = async () => {
  const compiled = await createRegistry([definition], { claims }).registered.get('parts')?.load()
  if (compiled === undefined) throw new Error('the table is not registered')
  return compiled
}

const summarise = (findings: readonly Finding[], rule: Finding['rule']) =>
  findings.filter((one) => one.rule === rule).map(({ level, about, text, fix }) => `${level} ${about}: ${text}; ${fix}`)

describe('table:lint', () => {
  it('finds an index on a sort that does not begin with the column of the scope, and is content with one that does', async () => {
    const lint = async () => summarise(await lintSorts(sql, await compile()), 'sort-index')
    const fix = 'index().on(t.owner, t.weight, t.id) in its schema file'
    expect(await lint()).toEqual([
      `error weight: sorting by weight asc and desc sorts all rows for each page: no index has that order; ${fix}`,
    ])
    await sql`create index on parts (weight, id)`
    expect(await lint()).toEqual([
      `warning weight: sorting by weight reads rows of all scopes: no index with that order begins with owner; ${fix}`,
    ])
    await sql`create index on parts (owner, weight, id)`
    expect(await lint()).toEqual([])
  })

  it('warns of a search index that has no statistics since rows exist', async () => {
    const lint = async () => summarise(await lintSearch(sql, await compile()), 'search-index')
    await sql`create index suppliers_search on suppliers using gin (table_control.fold_text(name) gin_trgm_ops)`
    await sql`create index on parts (supplier_id)`
    expect(await lint()).toEqual([])
    await sql`insert into suppliers values (1, 'acme')`
    expect(await lint()).toEqual([
      'warning "suppliers": Postgres cannot tell how many rows a search finds: suppliers_search has no statistics yet; analyze "suppliers"',
    ])
    await sql`analyze suppliers`
    expect(await lint()).toEqual([])
  })
})
