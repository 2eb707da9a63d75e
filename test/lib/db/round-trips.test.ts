import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import type { TcpProxy } from '../../support/network/tcp-proxy.ts'
import { openDatabase } from './open-database.ts'
import { openProxy } from './open-proxy.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

async function countTrips(proxy: TcpProxy, work: () => Promise<unknown>): Promise<number> {
  const before = proxy.roundTrips()
  await work()
  return proxy.roundTrips() - before
}

it('connects to nothing before the first statement', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(proxy.connections()).toBe(0)
  await database.read('select 1', [])
  expect(proxy.connections()).toBe(1)
})

it('takes one round trip for a statement, even the first time it is seen', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  await database.read('select 1', [])
  const read = () => database.read('select $1::int + $2::int', [1, 2])
  expect(await countTrips(proxy, read)).toBe(1)
  expect(await countTrips(proxy, read)).toBe(1)
})

it('takes one round trip for all statements of one tick on one connection', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  await database.read('select 1', [])
  const session = await database.session()
  const page = () =>
    Promise.all([
      database.read('select generate_series($1::int, $2::int)', [1, 20]),
      database.read('select count(*) from generate_series(1, $1::int)', [20]),
      session.execute(sql`select ${1}::int as one`),
    ])
  expect(await countTrips(proxy, page)).toBe(1)
  expect(await countTrips(proxy, page)).toBe(1)
  expect(proxy.connections()).toBe(1)
})

it('logs in with no statement of its own', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  // Start-up, the two messages of a SCRAM log-in, and the statement.
  expect(await countTrips(proxy, () => database.read('select $1::int', [1]))).toBeLessThanOrEqual(4)
})

it('returns to each statement its own response when many are under way', async () => {
  const database = openDatabase(target.url, { DATABASE_CONNECTIONS: 3 })
  const numbers = Array.from({ length: 2_000 }, (_, index) => index)
  const responses = await Promise.all(numbers.map((number) => database.read('select $1::int', [number])))
  expect(responses.map(([row]) => row?.[0])).toEqual(numbers)
})

it('never opens more connections than it may', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url(), { DATABASE_CONNECTIONS: 3 })
  await Promise.all(Array.from({ length: 20 }, () => database.read('select pg_sleep(0.01)', [])))
  expect(proxy.connections()).toBe(3)
})
