import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { expectEnvelope, expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { north } from '../support/fixtures/identities.ts'
import { shiftProcessClock } from '../support/fixtures/process-clock.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startFixtureApi({ LOG_MESSAGES: 'safe' })

const failures: Readonly<Record<string, () => Promise<ApiResponse>>> = {
  unauthenticated: () => api.get('load-table/products', { as: null }),
  forbidden: () => api.get('load-table/forbidden_plainly'),
  table_not_found: () => api.get('load-table/nothing'),
  route_not_found: () => api.get('nowhere'),
  method_not_allowed: () => api.get('query-table/products'),
  invalid_body: () => api.post('query-table/products', '['),
  body_too_large: () => api.post('query-table/products', { pad: 'x'.repeat(1_048_577) }),
  validation_failed: () => api.post('query-table/products', { page: 0 }),
  row_not_found: () => api.post('row-refetch/products/0'),
}

const statuses: Readonly<Record<string, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  table_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  invalid_body: 400,
  body_too_large: 413,
  validation_failed: 422,
  row_not_found: 404,
}

describe('the envelope', () => {
  it.each(['load-table/products', 'load-table/products/true'])(
    'success is true beside the payload: %s',
    async (path) => {
      const response = await api.get(path)
      expectEnvelope(response)
      expect(Object.keys(response.json)[0]).toBe('success')
    },
  )

  it.each(Object.entries(failures))('%s has the one shape of failures', async (code, call) => {
    const response = await call()
    expectFailure(response, { status: statuses[code] ?? 0, code })
    const keys = [
      'success',
      'errors',
      'error',
      'message',
      'code',
      'request_id',
      ...(response.json.fields ? ['fields'] : []),
    ]
    expect(Object.keys(response.json).toSorted()).toEqual(keys.toSorted())
  })

  it.each(Object.entries(failures))('answers of %s are never stored nor sniffed', async (_, call) => {
    expect((await call()).headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  })

  it('request_id is that of the gateway, and no two are equal', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await api.get('load-table/nothing')).json.request_id))
    expect(new Set(ids).size).toBe(3)
  })

  it('reliability: a 401 says how to authenticate', async () => {
    const { headers } = await api.get('load-table/products', { as: null })
    expect(headers['www-authenticate']).toBe('Bearer')
  })

  it('validation_failed names fields with messages', async () => {
    const { fields } = (await api.post('query-table/products', { page: 0 })).json
    expect(fields).toEqual({ page: ['must be a whole number from 1 to 2147483647'] })
  })
})

/** The lines that the service logs during the request. */
function recordedLog() {
  const log = recordLog()
  onTestFinished(log.restore)
  return log
}

describe('what is unforeseen is 500 without a word of the inside', () => {
  it.each(['unscoped', 'breaking_middleware', 'breaking_cell'])('%s', async (table) => {
    const log = recordedLog()
    const { status, json, text } = await api.post(`query-table/${table}`)
    expect({ status, code: json.code }).toEqual({ status: 500, code: 'internal_error' })
    expect(json.errors).toEqual([
      'Something went wrong on the server; try again later, or report it',
      'حدث خطأ في الخادم؛ حاول لاحقًا أو أبلغ عنه',
    ])
    expect(text).not.toMatch(/hunter2|unscoped|select|\.ts|Error/)
    expect(log.lines()).toMatchObject([{ request_id: json.request_id, status: 500 }])
    expect(log.text()).not.toContain('hunter2')
  })
})

describe('failures of the database', () => {
  it('an unreachable one is 503 with Retry-After', async () => {
    recordedLog()
    const response = await api
      .variant({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
      .post('query-table/products')
    expectFailure(response, { status: 503, code: 'unavailable' })
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    expect(response.text).not.toMatch(/127\.0\.0\.1|ECONNREFUSED|nobody/)
  })

  it('do not reach a structure without rows, which needs no database', async () => {
    const offline = api.variant({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' })
    expect((await offline.get('load-table/tasks')).status).toBe(200)
  })

  it('are none of a request if the clock of its function is five minutes off', async () => {
    const token = api.provider.tokenFor(north)
    for (const minutes of [-5, 5]) {
      shiftProcessClock(minutes)
      expect((await api.post('query-table/products', {}, { as: token })).status).toBe(200)
      vi.useRealTimers()
    }
  })

  it('a time limit reached is 504', async () => {
    recordedLog()
    const response = await api.variant({ REQUEST_DEADLINE_MS: '1' }).post('query-table/products')
    expectFailure(response, { status: 504, code: 'timed_out' })
  })
})
