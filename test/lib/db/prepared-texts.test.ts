import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { startTcpProxy } from '../../support/network/tcp-proxy.ts'
import { openDatabase } from './open-database.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

const countPrepared = 'select count(*)::int from pg_prepared_statements'

it('prepares what it runs, through read and through drizzle', async () => {
  const database = openDatabase(target.url)
  for (let round = 0; round < 3; round += 1) {
    await database.read('select $1::int', [round])
    await (await database.session()).execute(sql`select ${round}::bigint`)
  }
  expect(await database.read(countPrepared, [])).toEqual([[3]])
})

it('does not fill the server with texts that differ, and still takes one round trip for each', async () => {
  const proxy = await startTcpProxy({ target: target.url })
  onTestFinished(proxy.close)
  const database = openDatabase(proxy.url())
  await database.read(countPrepared, [])
  for (let n = 0; n < 700; n += 1) await database.read(`select $1::int + ${n}`, [n])
  const [[count] = []] = await database.read(countPrepared, [])
  expect(count).toBeLessThanOrEqual(500)
  const before = proxy.roundTrips()
  expect(await database.read('select $1::int - 1', [1])).toEqual([[0]])
  expect(proxy.roundTrips() - before).toBe(1)
})

it('bounds what texts weigh, not only how many there are', async () => {
  const database = openDatabase(target.url)
  await database.read(countPrepared, [])
  const pad = (n: number, length: number) => `select $1::int + ${n} /*${'x'.repeat(length)}*/`
  expect(await database.read(pad(0, 9_000), [1])).toEqual([[1]])
  expect(await database.read(countPrepared, [])).toEqual([[1]])
  for (let n = 1; n <= 100; n += 1) expect(await database.read(pad(n, 7_000), [1])).toEqual([[n + 1]])
  const [[characters] = []] = await database.read('select sum(length(statement))::int from pg_prepared_statements', [])
  expect(characters).toBeGreaterThan(400_000)
  expect(characters).toBeLessThanOrEqual(500_000)
})

it('follows a table whose columns change', async () => {
  const database = openDatabase(target.url)
  await (await database.session()).execute(sql`create table changing as select 1 as a`)
  expect(await database.read('select * from changing', [])).toEqual([[1]])
  await (await database.session()).execute(sql`alter table changing add column b text default 'new'`)
  expect(await database.read('select * from changing', [])).toEqual([[1, 'new']])
})
