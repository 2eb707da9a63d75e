import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import { describe, expect, it, onTestFinished } from 'vitest'
import { adviseOnDrift, findSchemaDrift } from '../../infra/local/database/schema-drift.ts'
import * as service from '../../lib/db/service-tables.ts'
import * as schema from '../../tables/schema/index.ts'
import { testDatabase } from '../support/database/test-database.ts'

const gates = pgTable('gates', { id: integer().primaryKey() })

async function connect() {
  const database = await testDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  onTestFinished(async () => {
    await sql.end()
    await database.drop()
  })
  return sql
}

describe('the schema', () => {
  it('is what the migrations make; where it is not, run "npm run db:generate"', async () => {
    expect(await findSchemaDrift()).toEqual({ names: [], newTables: [] })
  })

  it('drifts from the migrations by a changed, a new and a removed table', async () => {
    const { flights: _, ...others } = schema
    const airports = pgTable('airports', { iata: text().primaryKey(), runways: integer() })
    const { names, newTables } = await findSchemaDrift({ ...service, ...others, airports, gates })
    expect([...names].sort()).toEqual(['public.airports', 'public.flights', 'public.gates'])
    expect(newTables).toEqual(['public.gates'])
  })
})

describe('the advice on a drift', () => {
  it('is missing where the migrations make the schema', async () => {
    expect(await adviseOnDrift(await connect(), { ...service, ...schema })).toBeUndefined()
  })

  it('is to generate a migration for a table that the database lacks', async () => {
    expect(await adviseOnDrift(await connect(), { ...service, ...schema, gates })).toBe(
      'no migration creates public.gates as tables/schema defines it: npm run db:generate, then start again, which applies it',
    )
  })

  it('is to pass over a table that the database has already, as after make:table', async () => {
    const sql = await connect()
    await sql`create table gates (id integer primary key)`
    expect(await adviseOnDrift(sql, { ...service, ...schema, gates })).toMatch(
      /: npm run db:generate; this database has public\.gates already, .* into the block of tables\/README\.md/,
    )
  })
})
