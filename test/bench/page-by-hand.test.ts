import { mkdir } from 'node:fs/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { IdentityProvider } from '../../infra/local/identity/identity-provider.ts'
import { migratedTables } from '../support/contract/contract-subject.ts'
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts'
import { indexedQuery } from './flights-request.ts'
import { benchDirectory, startKeys } from './installation.ts'
import { openLimit, openProduct, type Product } from './opponents.ts'

let database: TestDatabase
let keys: IdentityProvider
let product: Product
let limit: ReturnType<typeof openLimit>

beforeAll(async () => {
  // The keys of the benchmark are kept there.
  await mkdir(benchDirectory, { recursive: true })
  const prepared = await Promise.all([testDatabase(migratedTables), startKeys()])
  database = prepared[0]
  keys = prepared[1]
  const sql = postgres(database.url, { max: 1 })
  await sql`insert into airports (iata, name, city, state, country, latitude, longitude) values
    ('SFO', 'San Francisco', 'San Francisco', 'CA', 'USA', 37.6, -122.4), ('DEN', 'Denver', null, 'CO', 'USA', 39.9, -104.7)`
  await sql`insert into flights (date, delay, distance, origin, destination)
    select timestamp '2001-01-01 08:30' + n / 2 * interval '1 hour', n - 5, 967, 'SFO', case n % 10 when 0 then 'SFO' else 'DEN' end
    from generate_series(1, 50) n`
  await sql.end()
  product = openProduct({ databaseUrl: database.url, jwksUrl: keys.jwksUrl }, 1)
  limit = openLimit(database.url, 1)
})

afterAll(async () => {
  await Promise.all([product.close(), limit.close(), keys.stop()])
  await database.drop()
})

it.each([
  ['with its actions', indexedQuery],
  ['with the keys of its actions', { ...indexedQuery, row_actions: 'keys' }],
])('the page by hand of the benchmarks has the bytes of the page of the service %s', async (_, query) => {
  const served = await product.call(query)
  expect(JSON.parse(served).pagination).toMatchObject({ total: 45, to: 20, next_cursor: expect.any(String) })
  expect(await limit.call(query)).toBe(served)
})
