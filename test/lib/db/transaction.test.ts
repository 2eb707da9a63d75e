import { eq, sql } from 'drizzle-orm'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Transaction } from '../../../lib/db/database.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'

const marks = pgTable('marks', { n: integer().notNull() })

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
beforeEach(async () => {
  await (await openDatabase(target.url).session()).execute(sql`drop table if exists marks; `)
  await (await openDatabase(target.url).session()).execute(sql`create table marks (n int not null)`)
})
afterAll(() => target.drop())

async function storedMarks(): Promise<unknown[]> {
  return (await openDatabase(target.url).read('select n from marks order by n', [])).map(([n]) => n)
}

const insert = (transaction: Transaction, n: number) => transaction.run('insert into marks values ($1)', [n])

it('stores everything when its work succeeds, and returns what the work returned', async () => {
  const database = openDatabase(target.url)
  const result = await database.transaction(async (transaction) => {
    await insert(transaction, 1)
    await transaction.drizzle.insert(marks).values({ n: 2 })
    return transaction.run('select count(*)::int from marks', [])
  })
  expect(result).toEqual([[2]])
  expect(await storedMarks()).toEqual([1, 2])
})

it.each([
  ['throws', async () => Promise.reject(new Error('changed my mind')), 'changed my mind'],
  ['fails in a statement', (t: Transaction) => t.run('select * from nowhere', []), 'does not exist'],
  ['hides a failed statement', (t: Transaction) => t.run("select 'x'::int", []).catch(() => 'fine'), 'not valid'],
  ['ends it by a statement', (t: Transaction) => t.drizzle.execute(' COMMIT'), 'not by a statement'],
  ['rolls back through drizzle', async (t: Transaction) => t.drizzle.rollback(), 'Rollback'],
  ['leaves a statement unawaited', async (t: Transaction) => void t.run('select pg_sleep(0.05)', []), 'not awaited'],
  ['leaves a failing one unawaited', async (t: Transaction) => void t.run('select * from nowhere', []), 'not awaited'],
  [
    'inserts without awaiting',
    async (t: Transaction) => void t.drizzle.insert(marks).values({ n: 9 }).execute(),
    'not awaited',
  ],
  [
    'leaves an inner transaction unawaited',
    async (t: Transaction) => void t.drizzle.transaction((inner) => inner.insert(marks).values({ n: 9 })),
    'not awaited',
  ],
  [
    'runs two inner transactions at once',
    (t: Transaction) =>
      Promise.all([2, 3].map((n) => t.drizzle.transaction((inner) => inner.insert(marks).values({ n })))),
    'beside a transaction',
  ],
  [
    'runs a statement beside an inner transaction',
    (t: Transaction) =>
      Promise.all([
        t.drizzle.transaction((inner) => inner.insert(marks).values({ n: 2 })),
        t.drizzle.insert(marks).values({ n: 3 }),
      ]),
    'beside a transaction',
  ],
])('stores nothing when its work %s', async (_, work, message) => {
  const database = openDatabase(target.url)
  const transaction = database.transaction(async (t) => {
    await insert(t, 1)
    return work(t)
  })
  await expect(transaction).rejects.toThrow(message)
  expect(await storedMarks()).toEqual([])
  expect(await database.read('select 1', [])).toEqual([[1]])
})

it('refuses statements after its end', async () => {
  const database = openDatabase(target.url)
  const leaked = await database.transaction(async (transaction) => transaction)
  await expect(insert(leaked, 1)).rejects.toThrow('after its transaction had ended')
  await expect(leaked.drizzle.insert(marks).values({ n: 2 })).rejects.toThrow('after its transaction had ended')
  expect(await storedMarks()).toEqual([])
})

it('undoes a failed inner transaction of drizzle alone', async () => {
  const database = openDatabase(target.url)
  await (await database.session()).transaction(
    async (outer) => {
      await outer.insert(marks).values({ n: 1 })
      const inner = outer.transaction(async (savepoint) => {
        await savepoint.insert(marks).values({ n: 2 })
        await savepoint.transaction((deeper) => deeper.insert(marks).values({ n: 3 }))
        await savepoint.execute(sql`select 'x'::int`)
      })
      await expect(inner).rejects.toMatchObject({ code: 'validation_failed' })
      await outer.transaction((savepoint) => savepoint.insert(marks).values({ n: 4 }))
    },
    { isolationLevel: 'serializable' },
  )
  expect(await storedMarks()).toEqual([1, 4])
})

it('lets other statements wait for its end on the only connection', async () => {
  const database = openDatabase(target.url)
  let outside: Promise<unknown> = Promise.resolve()
  await database.transaction(async (transaction) => {
    await insert(transaction, 1)
    outside = database.read('select n from marks', [])
    await transaction.drizzle.update(marks).set({ n: 5 }).where(eq(marks.n, 1))
  })
  expect(await outside).toEqual([[5]])
})

it('ends with 503, not with a hang, when its own work waits for the only connection', async () => {
  const database = openDatabase(target.url, { DATABASE_DEADLINE_MS: 200 })
  const stuck = database.transaction(async (transaction) => {
    await insert(transaction, 1)
    await database.read('select 1', [])
  })
  await expect(stuck).rejects.toMatchObject({ code: 'unavailable' })
  expect(await storedMarks()).toEqual([])
})

it('runs side by side with others up to the number of connections', async () => {
  const database = openDatabase(target.url, { DATABASE_CONNECTIONS: 3 })
  const numbers = Array.from({ length: 30 }, (_, n) => n)
  await Promise.all(numbers.map((n) => database.transaction((transaction) => insert(transaction, n))))
  expect(await storedMarks()).toEqual(numbers)
})
