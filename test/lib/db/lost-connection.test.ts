import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'
import { openProxy } from './open-proxy.ts'
import { awaitEnd, awaitEndWhileFrozen, terminate, terminateWhileFrozen } from './terminate.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

const unavailable = { name: 'RequestError', code: 'unavailable', status: 503, headers: { 'retry-after': '5' } }

it('reads on when the server ended the session between two requests', async () => {
  const database = openDatabase(target.url)
  await database.read('select 1', [])
  await terminate(target.url)
  expect(await database.read('select 2', [])).toEqual([[2]])
})

it.each([1, 2, 20])('answers %i reads after a frozen function lost its session', async (count) => {
  const database = openDatabase(target.url)
  await database.read('select 1', [])
  terminateWhileFrozen(target.url)
  const reads = Array.from({ length: count }, (_, index) => database.read('select $1::int', [index]))
  expect((await Promise.all(reads)).length).toBe(count)
})

it('begins a transaction after a frozen function lost its session', async () => {
  const database = openDatabase(target.url)
  await database.read('select 1', [])
  terminateWhileFrozen(target.url)
  expect(await database.transaction((transaction) => transaction.run('select 3', []))).toEqual([[3]])
})

it('writes once, through drizzle, after a long sleep in which the session was lost', async () => {
  const database = openDatabase(target.url)
  await (await database.session()).execute(sql`create table sleeper (n int)`)
  terminateWhileFrozen(target.url)
  const awake = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => awake() + 60_000)
  onTestFinished(() => void vi.restoreAllMocks())
  await (await database.session()).execute(sql`insert into sleeper values (${1})`)
  expect(await database.read('select n from sleeper', [])).toEqual([[1]])
})

describe.each([
  ['awake', awaitEnd],
  ['frozen', awaitEndWhileFrozen],
])('a function that is %s while Postgres ends its idle session', (_, awaitEndOf) => {
  const awake = Date.now

  /** A database layer whose session was idle for longer than allowed, which here is a moment. */
  async function idleDatabase() {
    const database = openDatabase(target.url)
    const idle = "select pg_backend_pid(), set_config('idle_session_timeout', '100ms', false)"
    const [session] = await database.read(idle, [])
    await awaitEndOf(target.url, Number(session?.[0]))
    vi.spyOn(Date, 'now').mockImplementation(() => awake() + 90_000)
    onTestFinished(() => void vi.restoreAllMocks())
    return database
  }

  it('reads', async () => {
    const database = await idleDatabase()
    expect(await database.read('select 1', [])).toEqual([[1]])
    expect(await (await idleDatabase()).readWithin(1_000, 'select 2', [])).toEqual([[2]])
  })

  it('writes once, in a transaction and outside of one', async () => {
    const table = sql.identifier(`written_${randomUUID()}`)
    await (await openDatabase(target.url).session()).execute(sql`create table ${table} (n int)`)
    await (await (await idleDatabase()).session()).execute(sql`insert into ${table} values (1)`)
    await (await idleDatabase()).transaction(({ drizzle }) => drizzle.execute(sql`insert into ${table} values (2)`))
    const rows = await (await openDatabase(target.url).session()).execute(sql`select n from ${table} order by n`)
    expect([...rows]).toEqual([{ n: 1 }, { n: 2 }])
  })
})

it('repeats a read once, and a select of drizzle once', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  const suicide = 'select pg_terminate_backend(pg_backend_pid())'
  await expect(database.read(suicide, [])).rejects.toMatchObject(unavailable)
  expect(proxy.connections()).toBe(2)
  await expect((await database.session()).execute(sql.raw(suicide))).rejects.toMatchObject(unavailable)
  expect(proxy.connections()).toBe(4)
  expect(await database.read('select 1', [])).toEqual([[1]])
})

it('selects through drizzle after a frozen function lost its session', async () => {
  const session = await openDatabase(target.url).session()
  await session.execute(sql`select 1 as n`)
  terminateWhileFrozen(target.url)
  expect([...(await session.execute(sql`select ${2}::int as n`))]).toEqual([{ n: 2 }])
  expect([...(await session.execute(sql`select 3 as n`))]).toEqual([{ n: 3 }])
})

it('repeats nothing of drizzle that may write', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  const session = await database.session()
  await session.execute(sql`create sequence numbers`)
  terminateWhileFrozen(target.url)
  await expect(session.execute(sql`select nextval('numbers')`)).rejects.toMatchObject(unavailable)
  await session.execute(sql`create table numbered (n int)`)
  terminateWhileFrozen(target.url)
  await expect(session.execute(sql`insert into numbered values (1)`)).rejects.toMatchObject({ code: 'outcome_unknown' })
  expect(await database.read("select nextval('numbers')::int, (select count(*)::int from numbered)", [])).toEqual([
    [1, 0],
  ])
  expect(proxy.connections()).toBe(3)
})

it.each(['close', 'silent'] as const)('gives up on a server that accepts and is %s, then recovers', async (mode) => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url(), { DATABASE_CONNECT_TIMEOUT_MS: 200, DATABASE_DEADLINE_MS: 1_000 })
  proxy.treat(mode)
  await expect(database.read('select $1::int', [1])).rejects.toMatchObject(unavailable)
  expect(proxy.connections()).toBeLessThanOrEqual(2)
  proxy.treat('forward')
  await expect.poll(() => database.read('select $1::int', [1]).catch(() => 'down')).toEqual([[1]])
})

it('fails fast after a server refused many times, and recovers by itself', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  proxy.treat('close')
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await expect(database.read('select 1', [])).rejects.toMatchObject(unavailable)
  }
  expect(proxy.connections()).toBe(5)
  proxy.treat('forward')
  await expect.poll(() => database.read('select 1', []).catch(() => 'down')).toEqual([[1]])
})

it.each([
  ['a refused connection', 'postgres://nobody@127.0.0.1:1/none'],
  ['a name that does not exist', 'postgres://nobody@database.invalid:5432/none'],
])('answers %s', async (_, url) => {
  const database = openDatabase(url)
  await expect(database.read('select 1', [])).rejects.toMatchObject(unavailable)
  await expect(database.transaction(async () => 1)).rejects.toMatchObject(unavailable)
  await expect((await database.session()).execute(sql`select 1`)).rejects.toMatchObject(unavailable)
})

it('stops waiting for a server that has gone silent, and opens a new session', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url(), { DATABASE_DEADLINE_MS: 2_000 })
  await database.read('select 1', [])
  proxy.freeze()
  await expect(database.read('select 2', [])).rejects.toMatchObject(unavailable)
  expect(await database.read('select 3', [])).toEqual([[3]])
  expect(proxy.connections()).toBe(2)
})

it('closes in bounded time although a statement never ends', async () => {
  const proxy = await openProxy(target.url)
  const database = openDatabase(proxy.url())
  await database.read('select 1', [])
  proxy.freeze()
  const hanging = expect(database.read('select 2', [])).rejects.toMatchObject(unavailable)
  await database.close()
  await hanging
  await expect(database.read('select 3', [])).rejects.toMatchObject(unavailable)
})

it('lets running statements finish when it is closed', async () => {
  const database = openDatabase(target.url)
  const running = database.read('select 1 from pg_sleep(0.2)', [])
  await database.close()
  expect(await running).toEqual([[1]])
})
