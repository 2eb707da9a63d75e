import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'
import { openProxy } from './open-proxy.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

const countPrepared = 'select count(*)::int from pg_prepared_statements'

it('prepares what it runs a second time, through read and through drizzle', async () => {
  const database = openDatabase(target.url)
  for (let round = 0; round < 3; round += 1) {
    await database.read('select $1::int', [round])
    await (await database.session()).execute(sql`select ${round}::bigint`)
  }
  expect(await database.read(countPrepared, [])).toEqual([[2]])
})

it('prepares no text that is run once, and takes one round trip for each', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  await database.read(countPrepared, [])
  const before = proxy.roundTrips()
  for (let n = 0; n < 300; n += 1) await database.read(`select $1::int + ${n}`, [n])
  expect(proxy.roundTrips() - before).toBe(300)
  expect(await database.read('select count(*)::int from pg_prepared_statements', [])).toEqual([[0]])
})

it('keeps the texts that are in use, and answers right with those that were evicted', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  const usual = () => database.read('select $1::int * 2', [4])
  const round = async () => {
    for (let n = 0; n < 100; n += 1) {
      for (let time = 0; time < 2; time += 1)
        expect(await database.read(`select $1::int + ${n}`, [1])).toEqual([[n + 1]])
      expect(await usual()).toEqual([[8]])
    }
  }
  await usual()
  const before = proxy.roundTrips()
  await round()
  await round()
  expect(proxy.roundTrips() - before).toBe(600)
  const rows = await database.read('select statement from pg_prepared_statements', [])
  expect(rows.length).toBeLessThanOrEqual(33)
  expect(rows.filter(([text]) => text === 'select $1::int * 2')).toHaveLength(1)
})

it('evicts around transactions, and also texts that the server refuses', async () => {
  const database = openDatabase(target.url)
  const divideByZero = (n: number) => database.read(`select $1::int / 0 + ${n}`, [1]).catch(() => 'refused')
  for (let n = 0; n < 100; n += 1) {
    const work = database.transaction(async ({ run }) => [
      await run(`select $1::int - ${n}`, [n]),
      await run(`select $1::int - ${n}`, [n]),
    ])
    expect(await work).toEqual([[[0]], [[0]]])
    expect([await divideByZero(n), await divideByZero(n)]).toEqual(['refused', 'refused'])
  }
  const [[count] = []] = await database.read(countPrepared, [])
  expect(count).toBeLessThanOrEqual(33)
})

it('bounds what texts weigh, not only how many there are', async () => {
  const database = openDatabase(target.url)
  const pad = (n: number, length: number) => `select $1::int + ${n} /*${'x'.repeat(length)}*/`
  for (let time = 0; time < 3; time += 1) expect(await database.read(pad(0, 9_000), [1])).toEqual([[1]])
  expect(await database.read(countPrepared, [])).toEqual([[0]])
  for (let n = 0; n < 80; n += 1) expect(await database.read(pad(n >> 1, 7_000), [1])).toEqual([[(n >> 1) + 1]])
  const [[characters] = []] = await database.read('select sum(length(statement))::int from pg_prepared_statements', [])
  expect(characters).toBeGreaterThan(50_000)
  expect(characters).toBeLessThanOrEqual(72_000)
})

it('follows a table whose columns change', async () => {
  const database = openDatabase(target.url)
  await (await database.session()).execute(sql`create table changing as select 1 as a`)
  expect(await database.read('select * from changing', [])).toEqual([[1]])
  await (await database.session()).execute(sql`alter table changing add column b text default 'new'`)
  expect(await database.read('select * from changing', [])).toEqual([[1, 'new']])
})

it('reads a cursor by the types that its columns have now', async () => {
  const database = openDatabase(target.url)
  const session = await database.session()
  await session.execute(sql`create table numbered as select 7 as seat`)
  const seats = () =>
    database.transaction(async ({ run }) => {
      await run('declare seats no scroll cursor for select seat from numbered', [])
      return run('fetch 10 from seats', [])
    })
  for (let time = 0; time < 3; time += 1) expect(await seats()).toEqual([[7]])
  await session.execute(sql`alter table numbered alter column seat type text using 'A5'`)
  expect(await seats()).toEqual([['A5']])
})

it('writes once where a column was migrated since the statement was prepared', async () => {
  const database = openDatabase(target.url)
  const session = await database.session()
  await session.execute(sql`create table visits as select 0 as number, 'x'::varchar(20) as note`)
  const visit = async () => [...(await session.execute(sql`update visits set number = number + ${1} returning *`))]
  for (let time = 0; time < 4; time += 1) await visit()
  await session.execute(sql`alter table visits alter column note type varchar(50)`)
  expect(await visit()).toEqual([{ number: 5, note: 'x' }])
  expect(await database.read('select number from visits', [])).toEqual([[5]])
})
