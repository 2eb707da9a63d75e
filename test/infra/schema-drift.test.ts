import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, it } from 'vitest'
import { schemaDrift } from '../../infra/local/schema-drift.ts'
import * as service from '../../lib/db/service-tables.ts'
import * as schema from '../../tables/schema/index.ts'

it('the migrations make the tables of the schema; where they do not, run "npm run db:generate"', async () => {
  expect(await schemaDrift()).toEqual([])
})

it('a changed, a new and a removed table is named', async () => {
  const { flights: _, ...others } = schema
  const airports = pgTable('airports', { iata: text().primaryKey(), runways: integer() })
  const gates = pgTable('gates', { id: integer().primaryKey() })
  expect([...(await schemaDrift({ ...service, ...others, airports, gates }))].sort()).toEqual([
    'public.airports',
    'public.flights',
    'public.gates',
  ])
})
