import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { refuse } from '../../../lib/errors/request-error.ts'
import { respondAndLog } from '../../../lib/http/respond-and-log.ts'
import { beginInvocation } from '../../../lib/telemetry/invocation.ts'
import { beginLog, log, logSettings } from '../../../lib/telemetry/log.ts'
import { recordLog } from '../../support/log/recorded-log.ts'

beginLog({ ...logSettings(), LOG_LEVEL: 'info', LOG_MESSAGES: 'safe' })
const recorded = recordLog()
afterEach(() => recorded.take())
afterAll(() => recorded.restore())

describe('a line that cannot be printed', () => {
  it('is printed without the fields that cannot be, which it names', () => {
    const toJSON = () => {
      throw new Error('hunter2')
    }
    log('error', 'failed', { request_id: 'r', Errors: 1, errors: [{ code: 1n }], other: { toJSON }, _aws: { x: 1 } })
    expect(recorded.lines()).toMatchObject([
      {
        level: 'ERROR',
        message: 'failed',
        request_id: 'r',
        Errors: 1,
        _aws: { x: 1 },
        unprintable: ['errors', 'other'],
      },
    ])
    expect(recorded.lines()[0]).not.toHaveProperty('errors')
    expect(recorded.text()).not.toContain('hunter2')
  })
})

it("an author's own code is logged if it is a word, and left out if it may be a value", async () => {
  for (const code of ['too_heavy', 'nora@example.test', 'x'.repeat(65)]) {
    const about = { invocation: beginInvocation('loadTable', 'r'), language: () => 'en' as const }
    await respondAndLog(about, () => Promise.reject(refuse({ en: 'No', ar: 'لا' }, code)))
  }
  const [first, ...others] = recorded.lines()
  expect(first).toMatchObject({ code: 'other', own_code: 'too_heavy', status: 422 })
  expect(others).toMatchObject([1, 2].map(() => ({ code: 'other', status: 422 })))
  for (const line of others) expect(line).not.toHaveProperty('own_code')
})

it("an author's refusal that no JSON can hold is a failure of ours, and has its line", async () => {
  const about = { invocation: beginInvocation('loadTable', 'r'), language: () => 'en' as const }
  const response = await respondAndLog(about, () => Promise.reject(refuse({ en: 'No', ar: 'لا' }, 1n as never)))
  expect(JSON.parse(response.body ?? '')).toMatchObject({ code: 'internal_error', request_id: 'r' })
  expect(recorded.lines()).toMatchObject([{ status: 500, Errors: 1 }])
})

it('a request whose line cannot be made is answered, and the log says so', async () => {
  const invocation = beginInvocation('loadTable', 'r')
  const failToName = () => {
    throw new Error('hunter2')
  }
  const response = await respondAndLog({ invocation, language: () => 'en', findNames: failToName }, async () => ({
    statusCode: 200,
  }))
  expect(response).toEqual({ statusCode: 200 })
  expect(recorded.lines()).toMatchObject([{ level: 'ERROR', request_id: 'r', endpoint: 'loadTable' }])
  expect(recorded.text()).not.toContain('hunter2')
})
