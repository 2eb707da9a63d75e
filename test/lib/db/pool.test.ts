import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

const suicide = 'select pg_terminate_backend(pg_backend_pid())'

it('opens no more connections than its size', async () => {
  const database = openDatabase(target.url, { DATABASE_CONNECTIONS: 2 })
  const rows = await Promise.all(
    Array.from({ length: 6 }, () => database.transaction(({ run }) => run('select pg_backend_pid()', []))),
  )
  expect(new Set(rows.map(([row]) => row?.[0])).size).toBeLessThanOrEqual(2)
})

it('lets a waiting transaction go on when the one before it ends', async () => {
  const database = openDatabase(target.url)
  let waiting: Promise<unknown> = Promise.resolve()
  await database.transaction(async ({ run }) => {
    await run('select 1', [])
    waiting = database.transaction((next) => next.run('select 2', []))
  })
  expect(await waiting).toEqual([[2]])
})

it('lets a waiting transaction go on when the connection before it is lost', async () => {
  const database = openDatabase(target.url)
  let waiting: Promise<unknown> = Promise.resolve()
  const lost = database.transaction(async ({ run }) => {
    await run('select 1', [])
    waiting = database.transaction((next) => next.run('select 2', []))
    await run(suicide, [])
  })
  await expect(lost).rejects.toMatchObject({ code: 'unavailable' })
  expect(await waiting).toEqual([[2]])
})
