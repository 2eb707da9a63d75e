import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeError } from '../../../lib/telemetry/log-failure.ts'
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts'
import { openDatabase } from './open-database.ts'
import { startStrictPooler } from './strict-pooler.ts'

let target: TestDatabase
beforeAll(async () => {
  target = await testDatabase()
})
afterAll(() => target.drop())

async function pooledUrl(): Promise<string> {
  const pooler = await startStrictPooler(target.url)
  onTestFinished(pooler.close)
  return pooler.url
}

it('names the setting to change when a pooler refuses the time-outs at log-in', async () => {
  const error = await openDatabase(await pooledUrl())
    .read('select 1', [])
    .catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'unavailable', status: 503, cause: { code: 'PARAMETER_REFUSED' } })
  const { cause } = error as Error
  expect(describeError(cause as Error).message).toContain('set DATABASE_TIMEOUTS=role')
})

it('works through such a pooler when the role has the time-outs', async () => {
  const database = openDatabase(await pooledUrl(), { DATABASE_TIMEOUTS: 'role' })
  expect(await database.read("select current_setting('TimeZone'), interval '1 day'", [])).toEqual([['UTC', '1 day']])
  expect(await database.transaction(({ run }) => run('show statement_timeout', []))).toEqual([['0']])
})
