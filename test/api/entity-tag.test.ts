import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { colleague, manager } from '../support/fixtures/identities.ts'
import type { CallOptions } from '../support/requests/api.ts'

const api = await startFixtureApi()

const readTag = async (path: string, options: CallOptions = {}) => (await api.get(path, options)).headers['etag'] ?? ''
const ask = (path: string, tag: string, options: CallOptions = {}) =>
  api.get(path, { ...options, headers: { ...options.headers, 'if-none-match': tag } })

describe('the ETag of load-table', () => {
  it.each(['load-table/tasks', 'load-table/tasks/true'])(
    'makes %s answer 304 without a body if the client already has it',
    async (path) => {
      const tag = await readTag(path)
      expect(tag).toMatch(/^W\/"[\w-]{20,}"$/)
      for (const held of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
        const { status, text, headers } = await ask(path, held)
        expect([status, text]).toEqual([304, ''])
        expect(headers['etag']).toBe(tag)
        expect(headers).not.toHaveProperty('content-type')
      }
    },
  )

  it.each(['"other"', '', 'W/"other"', 'nonsense'])(
    'does not match If-None-Match %j, so the structure is sent again',
    async (held) => {
      expect((await ask('load-table/tasks', held)).status).toBe(200)
    },
  )

  it('is the same for all callers of equal rights', async () => {
    const tags = await Promise.all([
      readTag('load-table/deals'),
      readTag('load-table/deals'),
      readTag('load-table/deals', { as: colleague }),
    ])
    expect(new Set(tags).size).toBe(1)
  })

  it('is another for another guard, language, identity or table', async () => {
    const tags = await Promise.all([
      readTag('load-table/tasks'),
      readTag('load-table/tasks', { guard: 'web' }),
      readTag('load-table/tasks', { headers: { ln: 'ar' } }),
      readTag('load-table/deals'),
      readTag('load-table/deals', { as: manager }),
    ])
    expect(new Set(tags).size).toBe(5)
  })

  it('is kept by the caller alone, and differs by what it depends on', async () => {
    const { headers } = await api.get('load-table/tasks')
    expect(headers).toMatchObject({
      'cache-control': 'private, no-cache',
      vary: 'origin, authorization, ln, accept-language, accept-encoding',
    })
  })

  it('is absent from failures and other endpoints', async () => {
    expect((await api.get('load-table/nothing')).headers).not.toHaveProperty('etag')
    expect((await api.post('query-table/tasks')).headers).not.toHaveProperty('etag')
    expect((await ask('load-table/nothing', '*')).status).toBe(404)
  })
})
