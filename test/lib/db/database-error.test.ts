import { inspect } from 'node:util'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

it.each([
  ['a null character', 'select $1::text', ['a\0'], '22021'],
  ['a text that is no number', 'select $1::int', ['secret'], '22P02'],
  ['a number out of range', 'select $1::int', ['99999999999'], '22003'],
  ['a date out of range', 'select $1::timestamptz', ['300000-01-01'], '22008'],
  ['a pattern with a lone backslash', "select 'a' like $1", ['\\'], '22025'],
])('answers %s with 422, through every door', async (_, text, parameters, code) => {
  const database = openDatabase(target.url)
  const refused = { code: 'validation_failed', status: 422, cause: { code } }
  await expect(database.read(text, parameters)).rejects.toMatchObject(refused)
  const [before, after] = text.split('$1')
  const query = sql`${sql.raw(before ?? '')}${parameters[0]}${sql.raw(after ?? '')}`
  await expect((await database.session()).execute(query)).rejects.toMatchObject(refused)
  await expect(database.transaction(({ run }) => run(text, parameters))).rejects.toMatchObject(refused)
  await expect(database.transaction(({ drizzle }) => drizzle.execute(query))).rejects.toMatchObject(refused)
  expect(await database.read('select 1', [])).toEqual([[1]])
})

it('answers a statement beyond the server-side timeout with 504 and keeps the session', async () => {
  const database = openDatabase(target.url, { DATABASE_STATEMENT_TIMEOUT_MS: 50 })
  const [session] = await database.read('select pg_backend_pid()', [])
  await expect(database.read('select pg_sleep(5)', [])).rejects.toMatchObject({ code: 'timed_out', status: 504 })
  expect(await database.read('select pg_backend_pid()', [])).toEqual([session])
})

it('passes a mistake of the statement on unchanged, without its parameters in the text', async () => {
  const database = openDatabase(target.url)
  for (const attempt of [
    () => database.read('select $1::text from nowhere', ['secret']),
    async () => (await database.session()).execute(sql`select ${'secret'}::text from nowhere`),
    () => database.transaction(({ drizzle }) => drizzle.execute(sql`select ${'secret'}::text from nowhere`)),
  ]) {
    const error = await attempt().then(
      () => undefined,
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ name: 'PostgresError', code: '42P01' })
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('secret')
  }
})

it('answers a row that stays locked with 409', async () => {
  const holder = openDatabase(target.url)
  const waiter = openDatabase(target.url)
  await holder.read('create table locked as select 1 as id', [])
  await holder.transaction(async ({ run }) => {
    await run('select * from locked for update', [])
    const blocked = waiter.transaction((other) => other.run('select * from locked for update', []))
    await expect(blocked).rejects.toMatchObject({ code: 'row_busy', status: 409, cause: { code: '55P03' } })
  })
})

it.each([
  ['an exclusion constraint', 'insert into slots values (int4range(1, 3)), (int4range(2, 4))', '23P01'],
  ['a check', 'insert into slots values (int4range(-1, 3))', '23514'],
])('answers what %s refuses with 422', async (_what, text, code) => {
  const database = openDatabase(target.url)
  await database.read(
    'create table if not exists slots (during int4range, exclude using gist (during with &&), check (lower(during) > 0))',
    [],
  )
  const refused = { code: 'conflicting_data', status: 422, cause: { code } }
  await expect(database.transaction(({ run }) => run(text, []))).rejects.toMatchObject(refused)
})

it('gives up a session of which a pooler says by a plain error that it has ended', async () => {
  const database = openDatabase(target.url, { DATABASE_CONNECTIONS: 1 })
  const session = () => database.read('select pg_backend_pid()', [])
  const before = await session()
  const text = "do $$ begin raise exception 'server closed the connection' using errcode = '08006'; end $$"
  await expect(database.transaction(({ run }) => run(text, []))).rejects.toMatchObject({ code: 'unavailable' })
  expect(await session()).not.toEqual(before)
})

it('answers a deadlock with 503', async () => {
  const one = openDatabase(target.url)
  const other = openDatabase(target.url)
  await one.read('create table crossed as select n as id from generate_series(1, 2) n', [])
  const locks = Promise.withResolvers<void>()
  let holding = 0
  const lockBoth = (database: typeof one, first: number, second: number) =>
    database.transaction(async ({ run }) => {
      // Longer than the server waits before it looks for deadlocks.
      await run("set local lock_timeout = '60s'", [])
      await run('select from crossed where id = $1 for update', [first])
      holding += 1
      if (holding === 2) locks.resolve()
      await locks.promise
      await run('select from crossed where id = $1 for update', [second])
    })
  const outcomes = await Promise.allSettled([lockBoth(one, 1, 2), lockBoth(other, 2, 1)])
  const [refused] = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(refused).toMatchObject({ code: 'unavailable', status: 503, cause: { code: '40P01' } })
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

it('refuses what cannot be a parameter before anything is sent', async () => {
  const database = openDatabase(target.url)
  await expect(database.read('select $1', [undefined as unknown as null])).rejects.toThrow(TypeError)
  await expect(database.read('select 1', new Array(65_001).fill(1))).rejects.toThrow(TypeError)
  expect(await database.read('select 1', [])).toEqual([[1]])
})

it('answers 503 when the server has no connection left', async () => {
  const role = `crowd_${process.pid}`
  const owner = openDatabase(target.url)
  await (await owner.session()).execute(sql.raw(`create role ${role} login password 'crowd' connection limit 1`))
  onTestFinished(async () => {
    await (await owner.session()).execute(sql.raw(`drop role ${role}`))
  })
  const url = new URL(target.url)
  url.username = role
  url.password = 'crowd'
  const first = openDatabase(url.href)
  await first.read('select 1', [])
  const second = openDatabase(url.href)
  await expect(second.read('select 1', [])).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  await first.close()
  await expect.poll(() => second.read('select 1', []).catch(() => 'full')).toEqual([[1]])
})

it('answers 503 to a wrong password and does not show it', async () => {
  const url = new URL(target.url)
  url.password = 'wrong-password'
  const error = await openDatabase(url.href)
    .read('select 1', [])
    .then(
      () => undefined,
      (thrown) => thrown,
    )
  expect(error).toMatchObject({ code: 'unavailable' })
  expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('wrong-password')
})
