import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RequestError } from '../../../lib/errors/request-error.ts'
import { createRegistry } from '../../../lib/index.ts'
import { logFailure, logJobFailure } from '../../../lib/telemetry/log-failure.ts'
import { startFixtureApi } from '../../support/fixtures/fixture-api.ts'
import { countries } from '../../support/fixtures/fixture-schema.ts'
import { hostileErrors } from '../../support/fixtures/hostile-errors.ts'
import { defineFixture, fixtureClaims } from '../../support/fixtures/identities.ts'
import { recordLog } from '../../support/log/recorded-log.ts'

const api = await startFixtureApi({ LOG_MESSAGES: 'safe' })

/** A name of a program that no client has made up. */
declare const nowhere: SQL

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
    ['a table that is not there', () => sql`exists (select from nowhere)`, 'relation \\"nowhere\\" does not exist'],
    ['types that do not fit', () => sql`code = 1`, 'operator does not exist: text = integer'],
    ['a right that is missing', () => sql`exists (select from pg_authid)`, 'permission denied for table pg_authid'],
    [
      'a property of undefined',
      () => sql`${Reflect.get({}, 'states').hunter2}`,
      'Cannot read properties of undefined"',
    ],
    ['a function that is none', () => Reflect.get({}, 'states')(), 'Reflect.get(...) is not a function'],
    ['a name that is not defined', () => nowhere, 'nowhere is not defined'],
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

  it.each<[string, () => SQL, string?]>([
    ['wrong SQL, of which Postgres quotes a part', () => sql.raw("code = 'a' hunter2"), '42601'],
    ['a value that was to be a name', () => sql`${'hunter2'}::text::regclass is null`, '42P01'],
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
  ])('leaves the message out for %s', async (_, scope, code) => {
    const line = await loggedFor(scope)
    if (code !== undefined) expect(JSON.parse(line).errors[0].code).toBe(code)
    expect(JSON.parse(line).errors[0]).not.toHaveProperty('message')
    expect(line).not.toContain('hunter2')
  })

  it('has the places in the code of an error whose message was changed since', async () => {
    const line = await loggedFor(() => {
      const error = new Error('hunter2')
      error.message = `changed: ${error.message}`
      throw error
    })
    expect(JSON.parse(line).errors[0].at[0]).toMatch(/^at .*log\.test\.ts(\?\S+)?:\d+:\d+\)?$/)
  })

  it.each(hostileErrors)('is one line for a job, for any thrown value, such as %s', async (_, thrower) => {
    const log = recordedLog()
    const thrown = await Promise.resolve()
      .then(thrower)
      .catch((error: unknown) => error)
    logJobFailure(thrown, { requestId: 'r', route: 'reportWorker', job: 'j' })
    logFailure(thrown, { requestId: 'r', route: 'sweep' })
    expect(log.lines()).toMatchObject([{ job: 'j', request_id: 'r' }, { route: 'sweep' }])
    expect(log.text()).not.toMatch(/hunter2|nora/)
  })

  it('names the table, where it is known', () => {
    const log = recordedLog()
    const cause = new Error('hunter2')
    logFailure(new RequestError('unavailable', {}, { cause }), { requestId: 'r', route: 'loadTable', table: 'flights' })
    expect(log.lines()).toMatchObject([{ request_id: 'r', route: 'loadTable', table: 'flights' }])
    expect(log.text()).not.toContain('hunter2')
  })
})
