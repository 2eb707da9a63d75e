import { type SQL, sql } from 'drizzle-orm'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { RequestError } from '../../../lib/errors/request-error.ts'
import { logFailure } from '../../../lib/http/log.ts'
import { createRegistry } from '../../../lib/index.ts'
import { startFixtureApi } from '../../support/fixture-api.ts'
import { defineFixture, fixtureClaims } from '../../support/fixture-identity.ts'
import { countries } from '../../support/fixture-schema.ts'
import { recordLog } from '../../support/recorded-log.ts'

const api = await startFixtureApi()
afterAll(() => api.stop())

function recordedLog() {
  const log = recordLog()
  onTestFinished(log.restore)
  return log
}

async function loggedFor(scope: () => SQL): Promise<string> {
  const log = recordedLog()
  const table = defineFixture({ name: 'failing', from: countries, key: 'code', columns: {}, scope })
  const failing = api.variant({}, createRegistry([table], { claims: fixtureClaims }))
  expect((await failing.post('query-table/failing')).status).toBe(500)
  expect(log.lines()).toHaveLength(1)
  return log.text()
}

describe('the log of a failure', () => {
  it.each<[string, () => SQL, string]>([
    ['an undefined column', () => sql`nowhere = ${'hunter2'}`, 'column \\"nowhere\\" does not exist'],
    ['wrong SQL', () => sql`and and ${'hunter2'}`, 'syntax error at or near'],
    ['a TypeError', () => sql`${Reflect.get({}, 'states').length}`, "reading 'length'"],
    [
      'a scope without SQL',
      () => 'hunter2' as unknown as SQL,
      'The scope of the table \\"failing\\" did not return SQL',
    ],
  ])('says what is wrong with %s, without its values', async (_, scope, message) => {
    const line = await loggedFor(scope)
    expect(line).toContain(message)
    expect(line).not.toContain('hunter2')
  })

  it.each<[string, () => SQL]>([
    [
      'a value that Postgres could not take',
      () => sql`1 / length(${'hunter2'}::text) > 1 / (length(code) - length(code))`,
    ],
    [
      'an error of the author',
      () => {
        throw new Error('hunter2')
      },
    ],
    ['an argument that Node quotes', () => sql`${new URL('hunter2').href}`],
  ])('leaves the message out for %s', async (_, scope) => {
    const line = await loggedFor(scope)
    expect(JSON.parse(line).errors[0]).not.toHaveProperty('message')
    expect(line).not.toContain('hunter2')
  })

  it('names the table, where it is known', () => {
    const log = recordedLog()
    const cause = new Error('hunter2')
    logFailure(new RequestError('unavailable', {}, { cause }), { requestId: 'r', route: 'loadTable', table: 'flights' })
    expect(log.lines()).toMatchObject([{ request_id: 'r', route: 'loadTable', table: 'flights' }])
    expect(log.text()).not.toContain('hunter2')
  })
})
