import { integer, pgTable } from 'drizzle-orm/pg-core'
import postgres, { type Sql } from 'postgres'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { Database, Transaction } from '../../../lib/db/database.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'
import { terminateOthers } from './terminate.ts'

const marks = pgTable('marks', { n: integer().notNull() })
const statements = 4

let target: TestDatabase
let admin: Sql
beforeAll(async () => {
  target = await testDatabase()
  admin = postgres(target.url, { max: 1 })
  await admin`create table marks (n int not null)`
})
afterAll(async () => {
  await admin.end({ timeout: 5 })
  await target.drop()
})

const uncaught = vi.fn()
beforeEach(async () => {
  await admin`delete from marks`
  process.on('uncaughtException', uncaught).on('unhandledRejection', uncaught)
})
afterEach(() => {
  process.off('uncaughtException', uncaught).off('unhandledRejection', uncaught)
  expect(uncaught).not.toHaveBeenCalled()
})

const doors = {
  raw: (transaction: Transaction, n: number): Promise<unknown> => transaction.run('insert into marks values ($1)', [n]),
  drizzle: (transaction: Transaction, n: number): Promise<unknown> =>
    transaction.drizzle.insert(marks).values({ n }).execute(),
  'nested drizzle': (transaction: Transaction, n: number): Promise<unknown> =>
    transaction.drizzle.transaction((inner) => inner.insert(marks).values({ n })),
}

const killBetween = Array.from({ length: statements + 1 }, (_, index) => index).flatMap((index) =>
  Object.keys(doors).flatMap((door) =>
    [1, 2].flatMap((connections) =>
      [false, true].map((traffic) => ({ index, door: door as keyof typeof doors, connections, traffic })),
    ),
  ),
)

/** Reads in the background, as other requests would, until it is told to stop. */
function startTraffic(database: Database): () => Promise<void> {
  let running = true
  const loop = async (): Promise<void> => {
    while (running) await database.read('select count(*) from marks', []).catch(() => {})
  }
  const ended = Promise.all([loop(), loop()])
  return async () => {
    running = false
    await ended
  }
}

const ofTransaction = "query like '%insert into%marks%' or query like 'begin%' or query like '%nested%'"

it.each(killBetween)(
  'leaves no row behind when its session dies before statement $index ($door, $connections connections, traffic: $traffic)',
  async ({ index, door, connections, traffic }) => {
    const database = openDatabase(target.url, { DATABASE_CONNECTIONS: connections })
    await database.read('select 1', [])
    const stopTraffic = traffic ? startTraffic(database) : async () => {}
    const outcomes: string[] = []
    const worked = Promise.withResolvers<void>()
    const doomed = database.transaction(async (transaction) => {
      for (let n = 0; n < statements; n += 1) {
        if (n === index) await terminateOthers(admin, ofTransaction)
        // A stubborn author goes on after every failure.
        await doors[door](transaction, n).then(
          () => outcomes.push('done'),
          () => outcomes.push('failed'),
        )
      }
      if (index === statements) await terminateOthers(admin, ofTransaction)
      worked.resolve()
    })
    // After the last statement the commit may be on its way when the loss is noticed.
    const codes = index < statements ? /^unavailable$/ : /^(unavailable|outcome_unknown)$/
    await expect(doomed).rejects.toMatchObject({ code: expect.stringMatching(codes) })
    await worked.promise
    await stopTraffic()
    expect(await database.read('select n from marks', [])).toEqual([])
    expect(outcomes).toEqual([...Array(index).fill('done'), ...Array(statements - index).fill('failed')])
  },
)

it.each(Array.from({ length: 20 }, (_, index) => index))(
  'stores all or nothing when its session dies at any time, and says which (%i)',
  async (seed) => {
    const database = openDatabase(target.url, { DATABASE_CONNECTIONS: 2 })
    await database.read('select 1', [])
    const stopTraffic = startTraffic(database)
    const work = database
      .transaction(async (transaction) => {
        for (let n = 0; n < 20; n += 1) await doors[seed % 2 === 0 ? 'raw' : 'drizzle'](transaction, n).catch(() => {})
      })
      .then(
        () => 'committed',
        () => 'failed',
      )
    await new Promise((resolve) => setTimeout(resolve, seed))
    await terminateOthers(admin)
    const outcome = await work
    await stopTraffic()
    const stored = await database.read('select n from marks', [])
    if (outcome === 'committed') expect(stored).toHaveLength(20)
    else expect([0, 20]).toContain(stored.length)
  },
)

it('ends although its work never does', async () => {
  const database = openDatabase(target.url)
  const doomed = database.transaction(async (transaction) => {
    await doors.raw(transaction, 1)
    await terminateOthers(admin, ofTransaction)
    await new Promise(() => {})
  })
  await expect(doomed).rejects.toMatchObject({ code: 'unavailable' })
  expect(await database.read('select n from marks', [])).toEqual([])
})
