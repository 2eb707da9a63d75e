import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'

const api = await startFixtureApi({ ALLOWED_ORIGINS: 'https://app.example.test', LOG_LEVEL: 'silent' })

describe('Server-Timing', () => {
  it('has the durations of access, work and format for a read, also for an unchanged one', async () => {
    const first = await api.get('load-table/products/true')
    expect(first.headers['server-timing']).toMatch(/^access;dur=.+, work;dur=.+, format;dur=.+, total;dur=\d+\.\d$/)
    const known = await api.get('load-table/products/true', {
      headers: { 'if-none-match': first.headers['etag'] ?? '' },
    })
    expect([known.status, known.headers['server-timing']]).toEqual([304, expect.stringContaining('total;dur=')])
  })

  it.each([
    ['no token', () => api.get('load-table/products', { as: null }), 401],
    ['no right', () => api.get('load-table/managers_only'), 403],
    ['no such row', () => api.post('row-refetch/products/999999'), 404],
    ['bad input', () => api.post('query-table/products', { page: 0 }), 422],
  ])('is left out of a refusal, whose duration may tell what its caller may not know: %s', async (_, call, status) => {
    const response = await call()
    expect([response.status, response.headers['server-timing']]).toEqual([status, undefined])
  })

  it('has the whole duration of a failure', async () => {
    const { headers } = await api.post('query-table/breaking_cell')
    expect(headers['server-timing']).toMatch(/^total;dur=\d+\.\d$/)
  })

  it('is shown to scripts of the origins that may read responses, and to no other', async () => {
    const of = async (origin: string) =>
      (await api.post('query-table/products', {}, { headers: { origin } })).headers['timing-allow-origin']
    expect(await of('https://app.example.test')).toBe('https://app.example.test')
    expect(await of('https://elsewhere.example.test')).toBeUndefined()
  })
})
