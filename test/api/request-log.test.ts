import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { noServiceSecret } from '../../lib/config.ts'
import { createRegistry, everyRow, refuse } from '../../lib/index.ts'
import { guardBasePath } from '../../lib/routes.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { countries } from '../support/fixtures/fixture-schema.ts'
import { failingRegistry, hostileErrors } from '../support/fixtures/hostile-errors.ts'
import { defineFixture, fixtureClaims, north, south } from '../support/fixtures/identities.ts'
import { listMetrics } from '../support/log/metric-line.ts'
import { recordLog } from '../support/log/recorded-log.ts'

const fixture = await startFixtureApi()
const settings = { LOG_LEVEL: 'info', LOG_MESSAGES: 'safe', METRICS_NAMESPACE: 'TableControl/test' }
const api = fixture.variant(settings)
const log = recordLog()
afterEach(() => log.take())
afterAll(log.restore)

describe('the log line of a request', () => {
  it('names the endpoint, the caller, the outcome and the duration of each stage', async () => {
    await api.get('load-table/products')
    log.take()
    const { json, headers } = await api.post('query-table/products', { perPage: 2 }, { headers: { ln: 'ar' } })
    expect(json.items).toHaveLength(2)
    expect(log.lines()).toHaveLength(1)
    const [line] = log.lines()
    expect(line).toMatchObject({
      level: 'INFO',
      message: 'queryTableData',
      service: 'table_control',
      endpoint: 'queryTableData',
      route: 'table_control.api.queryTableData',
      table: 'products',
      status: 200,
      language: 'ar',
      cold_start: false,
      Requests: 1,
      Rows: 2,
      request_id: expect.stringMatching(/^[\w-]{36}$/),
    })
    expect(line.identity).toMatch(/^[\w-]{16}$/)
    const { access_ms, work_ms, format_ms, Duration } = line
    expect(access_ms + work_ms + format_ms).toBeLessThanOrEqual(Duration + 0.03)
    expect(headers['server-timing']).toMatch(
      /^access;dur=\d+\.\d, work;dur=\d+\.\d, format;dur=\d+\.\d, total;dur=\d+\.\d$/,
    )
  })

  it('shows the same hash for one caller and another hash for another', async () => {
    for (const as of [north, south, north]) await api.post('query-table/products', {}, { as })
    const [first, other, again] = log.lines().map(({ identity }) => identity)
    expect(first).toBe(again)
    expect(first).not.toBe(other)
  })

  it.each(['', '/openapi.json', '/notifications'])('names the caller of …%s by a hash', async (path) => {
    const { request, post } = fixture.variant(
      settings,
      failingRegistry(() => undefined),
    )
    await post('query-table/failing')
    expect((await request({ method: 'GET', path: guardBasePath('api') + path })).status).toBe(200)
    const [first, other] = log.lines().map(({ identity }) => identity)
    expect(first).toMatch(/^[\w-]{16}$/)
    expect(other).toBe(first)
  })

  it('names no caller by a secret that anybody may know', async () => {
    await fixture.variant({ ...settings, SERVICE_SECRET: noServiceSecret }).post('query-table/products')
    expect(log.lines()).toEqual([expect.not.objectContaining({ identity: expect.anything() })])
  })

  it('has metrics in the embedded format of CloudWatch', async () => {
    await api.post('query-table/products', { perPage: 3 })
    const [line] = log.lines()
    expect(listMetrics(line)).toEqual({
      'Requests by service': 1,
      'Requests by service,endpoint': 1,
      'Duration by service,endpoint': line.Duration,
      'Rows by service,endpoint': 3,
    })
    expect(line._aws.CloudWatchMetrics[0].Namespace).toBe('TableControl/test')
  })

  it('is written for a refused token, an unknown table or route, and a body that is no JSON', async () => {
    await api.get('load-table/products', { as: null })
    await api.get('load-table/nowhere')
    await api.request({ method: 'GET', path: '/nowhere/secret-path' })
    await api.post('query-table/products', '{"x": secret-body')
    expect(log.lines().map(({ status, code }) => [status, code])).toEqual([
      [401, 'unauthenticated'],
      [404, 'table_not_found'],
      [404, 'route_not_found'],
      [400, 'invalid_body'],
    ])
    expect(log.text()).not.toMatch(/nowhere|secret/)
    expect(listMetrics(log.lines()[0])).toMatchObject({ 'Refusals by service': 1, 'Refusals by service,code': 1 })
    expect(new Set(log.lines().map(({ level }) => level))).toEqual(new Set(['INFO']))
  })

  it('says by one word why a token is refused, and repeats no part of it', async () => {
    const { provider } = fixture
    const hunter = { sub: 'hunter2', tenant: 'hunter2' }
    const tokens = [
      provider.tokenFor({ ...hunter, iss: 'https://hunter2.test' }),
      provider.tokenFor({ ...hunter, aud: 'hunter2' }),
      provider.tokenFor(hunter, { expiresIn: -60 }),
      provider.tokenFor(hunter, { tampered: true }),
      provider.tokenFor({ ...hunter, tenant: 7 }),
      provider.tokenFor({ ...hunter, role: 'hunter2\0' }),
    ]
    for (const as of [null, ...tokens]) await api.post('query-table/products', {}, { as })
    await api.get('load-table/nowhere')
    expect(log.lines().map(({ code, reason }) => [code, reason])).toEqual([
      ['unauthenticated', 'missing'],
      ['unauthenticated', 'issuer'],
      ['unauthenticated', 'audience'],
      ['unauthenticated', 'expired'],
      ['unauthenticated', 'signature'],
      ['unauthenticated', 'claims'],
      ['unauthenticated', 'claims'],
      ['table_not_found', undefined],
    ])
    expect(log.text()).not.toMatch(/hunter2|eyJ/)
  })

  it('is an error with its place in the code if the service fails', async () => {
    const { json } = await api.post('query-table/breaking_cell')
    const [line, ...others] = log.lines()
    expect(others).toEqual([])
    expect(line).toMatchObject({ level: 'ERROR', request_id: json.request_id, code: 'internal_error', status: 500 })
    expect(line.errors[0]).toMatchObject({
      name: 'Error',
      at: [expect.stringContaining('test/support/fixtures/'), ...anything(line)],
    })
    expect(listMetrics(line)).toMatchObject({ 'Errors by service': 1, 'Errors by service,code': 1 })
  })

  it('tells the type of what was thrown and is no error, and the rule that a statement breaks', async () => {
    const bound = { from: countries, key: 'code', columns: {}, scope: everyRow } as const
    const thrown = defineFixture({ ...bound, name: 'thrown', bindings: { code: () => Promise.reject('hunter2') } })
    const misused = defineFixture({
      ...bound,
      name: 'misused',
      bindings: {
        code: async ({ db }) => {
          await db.execute('set role hunter2')
          return []
        },
      },
    })
    const { post } = fixture.variant(settings, createRegistry([thrown, misused], { claims: fixtureClaims }))
    for (const name of ['thrown', 'misused']) expect((await post(`query-table/${name}`)).status).toBe(500)
    const message = expect.stringContaining('keep it to its transaction')
    expect(log.lines()).toMatchObject([
      { table: 'thrown', errors: [{ name: 'string' }] },
      { table: 'misused', errors: [{ name: 'StatementMisuse', message }] },
    ])
    expect(log.text()).not.toContain('hunter2')
  })

  it('is no error if the key of a token is unknown, because any caller can send such a token', async () => {
    const unreachable = fixture.variant({ ...settings, JWKS_URL: 'http://127.0.0.1:1/jwks.json' })
    expect((await unreachable.post('query-table/products')).status).toBe(503)
    const [line] = log.lines()
    expect(line).toMatchObject({ level: 'WARN', status: 503, AuthUnavailable: 1 })
    expect(line).not.toHaveProperty('Errors')
    expect(listMetrics(line)).toHaveProperty(['AuthUnavailable by service'], 1)
  })
})

const anything = (line: { readonly errors: readonly { readonly at: readonly string[] }[] }) =>
  (line.errors[0]?.at ?? []).slice(1).map(() => expect.any(String))

describe('the dimensions of metrics are few', () => {
  it("an author's own code of a refusal is logged, and counted among others", async () => {
    const table = defineFixture({
      name: 'refusing',
      from: countries,
      key: 'code',
      columns: {},
      scope: everyRow,
      rowActions: {
        weigh: {
          run: () => {
            throw refuse({ en: 'No', ar: 'لا' }, 'too_heavy')
          },
        },
      },
    })
    const refusing = fixture.variant(settings, createRegistry([table], { claims: fixtureClaims }))
    expect((await refusing.post('row-table-action/refusing/weigh/SA', {})).json.code).toBe('too_heavy')
    expect(log.lines()).toMatchObject([{ code: 'other', own_code: 'too_heavy', status: 422 }])
  })
})

const isText = (cell: unknown): cell is string => typeof cell === 'string' && cell.trim() !== ''

describe('no line holds', () => {
  it('a token, an address, a value that was asked for, or a cell', async () => {
    const as = { ...north, email: 'nora@example.test', email_verified: true }
    const filters = [{ field: 'name', operator: 'like', value: 'hunter2' }]
    const responses = [
      await api.post('query-table/products', { filters }, { as }),
      await api.post(
        'query-table/products?token=hunter2',
        { search: 'hunter2', params: { secret: 'hunter2' } },
        { as },
      ),
      await api.get('load-table/products/true?hunter2=hunter2', { as }),
      await api.post('row-refetch/products/hunter2', {}, { as }),
      await api.post('row-table-action/products/hunter2/1', {}, { as }),
      await api.post('query-table/breaking_cell', { filters }, { as }),
    ]
    const items: Record<string, unknown>[] = responses.flatMap(({ json }) => [
      ...(json.data ?? []),
      ...(json.items ?? []),
    ])
    const cells = items.flatMap(({ name, note, supplier__name }) => [name, note, supplier__name]).filter(isText)
    expect(cells).not.toEqual([])
    expect(log.lines()).toHaveLength(responses.length)
    expect(log.text()).not.toMatch(/hunter2|eyJ|nora|@example|select |192\.0\.2/)
    for (const cell of cells) expect(log.text()).not.toContain(cell)
  })

  it.each(hostileErrors)(
    'contains no text that an author throws with %s, and the request is answered',
    async (_, thrower) => {
      const failing = fixture.variant(
        settings,
        failingRegistry(() => thrower),
      )
      const { status, json } = await failing.post('query-table/failing')
      expect([status, json.code]).toEqual([500, 'internal_error'])
      expect(log.lines()).toMatchObject([{ request_id: json.request_id, status: 500, Errors: 1, table: 'failing' }])
      expect(log.lines()[0].errors[0].name).toMatch(/Error$/)
      expect(log.text()).not.toMatch(/hunter2|nora/)
    },
  )
})

describe('LOG_LEVEL', () => {
  it('writes no line with LOG_LEVEL=silent, regardless of what fails', async () => {
    const silent = fixture.variant({ LOG_LEVEL: 'silent' })
    await silent.post('query-table/products')
    await silent.post('query-table/breaking_cell')
    expect(log.text()).toBe('')
  })

  it('warn leaves out all but what has failed', async () => {
    const quiet = fixture.variant({ LOG_LEVEL: 'warn' })
    await quiet.post('query-table/products')
    await quiet.get('load-table/nowhere')
    await quiet.post('query-table/breaking_cell')
    expect(log.lines()).toMatchObject([{ level: 'ERROR', table: 'breaking_cell' }])
  })
})

describe('LOG_MESSAGES=all, on the machine of a developer', () => {
  it("has the message of an author's error, which is left out elsewhere", async () => {
    await api.post('query-table/breaking_cell')
    expect(log.take()).not.toContain('hunter2')
    await fixture.variant({ LOG_MESSAGES: 'all' }).post('query-table/breaking_cell')
    expect(log.lines()[0].errors[0].message).toContain('hunter2')
  })
})
