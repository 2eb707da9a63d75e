import { afterAll, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { failingRegistry, hostileErrors } from '../support/fixtures/hostile-errors.ts'
import { recordStreams } from '../support/log/recorded-streams.ts'

const fixture = await startFixtureApi()
const log = recordStreams()
afterAll(log.restore)

it('a process whose first requests fail in any way answers these and all others, each with its line', async () => {
  const throwers = hostileErrors.map(([, thrower]) => thrower)
  const api = fixture.variant(
    { LOG_LEVEL: 'info', LOG_MESSAGES: 'safe' },
    failingRegistry(() => throwers.shift()),
  )
  const failed = await Promise.all(hostileErrors.map(() => api.post('query-table/failing')))
  expect(failed.map(({ status, json }) => [status, json.code])).toEqual(failed.map(() => [500, 'internal_error']))
  expect((await api.post('query-table/failing')).status).toBe(200)
  const lines = log.lines().map(({ request_id, status }) => [request_id, status])
  expect(lines).toHaveLength(failed.length + 1)
  expect(lines).toEqual(expect.arrayContaining(failed.map(({ json }) => [json.request_id, 500])))
  expect(log.text()).not.toMatch(/hunter2|nora/)
})
