import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Database } from '../../../lib/db/database.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'
import { openProxy } from './open-proxy.ts'

let target: TestDatabase
let admin: Database
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())
beforeEach(async () => {
  admin = openDatabase(target.url)
  await admin.read('create table if not exists marks (n int not null)', [])
  await admin.read('truncate marks', [])
})

const unknown = { name: 'RequestError', code: 'outcome_unknown', status: 503, headers: { 'retry-after': '5' } }
const unavailable = { name: 'RequestError', code: 'unavailable', status: 503 }
const marks = () => expect.poll(() => admin.read('select n from marks', []))
const insertion = 'insert into marks values ($1)'

describe('a transaction', () => {
  it('reports an unknown outcome when the response to its commit is lost, and is committed', async () => {
    const proxy = await openProxy(target.url)
    const database = openDatabase(proxy.url())
    await database.read('select 1', [])
    proxy.spoil({ kind: 'cut', from: 'server', containing: 'COMMIT' })
    await expect(database.transaction(({ run }) => run(insertion, [1]))).rejects.toMatchObject(unknown)
    await marks().toEqual([[1]])
    expect(proxy.connections()).toBe(1)
  })

  it('reports an unknown outcome when its commit is lost on the way, and is rolled back', async () => {
    const proxy = await openProxy(target.url)
    const database = openDatabase(proxy.url())
    await database.read('select 1', [])
    proxy.spoil({ kind: 'cut', from: 'client', containing: 'commit' })
    await expect(database.transaction(({ run }) => run(insertion, [1]))).rejects.toMatchObject(unknown)
    await marks().toEqual([])
  })

  it('reports an unknown outcome when the server says nothing to its commit until the deadline', async () => {
    const proxy = await openProxy(target.url)
    const database = openDatabase(proxy.url(), { DATABASE_DEADLINE_MS: 2_000 })
    await database.read('select 1', [])
    const frozen = database.transaction(async ({ run }) => {
      await run(insertion, [1])
      proxy.freeze()
    })
    await expect(frozen).rejects.toMatchObject(unknown)
  })

  it('is unavailable, not unknown, when its connection is lost before the commit', async () => {
    const proxy = await openProxy(target.url)
    const database = openDatabase(proxy.url())
    const lost = database.transaction(async ({ run }) => {
      await run(insertion, [1])
      proxy.resetAll()
      await run(insertion, [2]).catch(() => {})
    })
    await expect(lost).rejects.toMatchObject(unavailable)
    await marks().toEqual([])
  })

  it('fails for good when its commit is refused', async () => {
    const database = openDatabase(target.url)
    await admin.read('create table pairs (n int unique deferrable initially deferred)', [])
    const twice = database.transaction(({ run }) => run('insert into pairs values (1), (1)', []))
    await expect(twice).rejects.toMatchObject({ code: 'conflicting_data' })
  })

  it('is unavailable if it only reads and its commit is lost', async () => {
    const proxy = await openProxy(target.url)
    const database = openDatabase(proxy.url())
    proxy.spoil({ kind: 'cut', from: 'client', containing: 'commit' })
    const reading = database.transaction(({ run }) => run('select 1', []), 'isolation level repeatable read, read only')
    await expect(reading).rejects.toMatchObject(unavailable)
  })
})

describe('a statement of drizzle outside a transaction', () => {
  const addMark = sql`insert into marks values (${7})`
  const insert = async (database: Database) => (await database.session()).execute(addMark)

  it.each([
    ['INSERT', addMark],
    ['SELECT', sql`with added as (insert into marks values (${7}) returning n) select n from added`],
  ])('has an unknown outcome when its response %s is lost, and is never repeated', async (containing, text) => {
    const proxy = await openProxy(target.url)
    const database = openDatabase(proxy.url())
    await database.read('select 1', [])
    proxy.spoil({ kind: 'cut', from: 'server', containing })
    await expect((await database.session()).execute(text)).rejects.toMatchObject(unknown)
    await marks().toEqual([[7]])
  })

  it.each(['select n from marks', 'with known as (select n from marks) select n from known'])(
    'is run once more when it only reads and its response is lost: %s',
    async (text) => {
      const proxy = await openProxy(target.url)
      const database = openDatabase(proxy.url())
      await database.read('select 1', [])
      proxy.spoil({ kind: 'cut', from: 'server', containing: 'SELECT' })
      expect([...(await (await database.session()).execute(sql.raw(text)))]).toEqual([])
      expect(proxy.connections()).toBe(2)
    },
  )

  it('is repeated when the server closed the connection before the log-in', async () => {
    const proxy = await openProxy(target.url)
    const database = openDatabase(proxy.url())
    proxy.spoil({ kind: 'cut', from: 'server', containing: 'SCRAM' })
    await insert(database)
    await marks().toEqual([[7]])
    expect(proxy.connections()).toBe(2)
  })
})

describe('a server that became read-only', () => {
  const readOnly = async (value: 'on' | 'off') => {
    const name = new URL(target.url).pathname.slice(1)
    const setting = `alter database "${name}" set default_transaction_read_only = ${value}`
    const session = await admin.session()
    await session.transaction(async (transaction) => {
      await transaction.execute(sql`set transaction read write`)
      await transaction.execute(sql.raw(setting))
    })
  }

  it('answers writes with 503 and takes them again as soon as it can, on a new connection', async () => {
    await readOnly('on')
    onTestFinished(() => readOnly('off'))
    const database = openDatabase(target.url)
    const write = (n: number) => database.transaction(({ run }) => run(insertion, [n]))
    await expect(write(1)).rejects.toMatchObject(unavailable)
    await expect(write(2)).rejects.toMatchObject({ ...unavailable, cause: { code: 'READ_ONLY' } })
    expect(await database.read('select count(*) from marks', [])).toEqual([['0']])
    await readOnly('off')
    await write(3).catch(() => write(3))
    await marks().toEqual([[3]])
  })

  it('gets a single write again on a new connection, because the first was refused', async () => {
    const database = openDatabase(target.url)
    await readOnly('on')
    onTestFinished(() => readOnly('off'))
    const [session] = await database.read('select pg_backend_pid()', [])
    await readOnly('off')
    await (await database.session()).execute(sql`insert into marks values (5)`)
    await marks().toEqual([[5]])
    expect(await database.read('select pg_backend_pid()', [])).not.toEqual([session])
  })

  it('is not blamed for a write in a transaction that was begun as read-only', async () => {
    const database = openDatabase(target.url)
    const [session] = await database.read('select pg_backend_pid()', [])
    const wrong = database.transaction(({ run }) => run(insertion, [1]), 'isolation level repeatable read, read only')
    await expect(wrong).rejects.toMatchObject({ name: 'PostgresError', code: '25006' })
    expect(await database.read('select pg_backend_pid()', [])).toEqual([session])
  })
})
