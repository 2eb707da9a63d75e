import postgres from 'postgres'
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { serviceLogin } from '../support/database/service-login.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { colleague, defineFixture, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { shiftProcessClock } from '../support/fixtures/process-clock.ts'
import { startTcpProxy } from '../support/network/tcp-proxy.ts'
import type { Api } from '../support/requests/api.ts'
import { readmeHeaders, readmeSamples } from '../support/requests/readme-examples.ts'

const api = await startFixtureApi()
const sql = postgres(api.databaseUrl, { max: 1, onnotice: () => {} })
afterAll(() => sql.end({ timeout: 5 }))
beforeEach(async () => {
  await sql`delete from table_control.caller_usage`
})

/** One process more, as Lambda has many of one function. */
const startLimited = (settings: Readonly<Record<string, string>> = {}) =>
  api.variant({ REQUESTS_PER_CALLER: '5', ...settings })

async function ask(process: Api, times: number, options = {}): Promise<readonly number[]> {
  const statuses: number[] = []
  for (let n = 0; n < times; n += 1) statuses.push((await process.post('query-table/products', {}, options)).status)
  return statuses
}

const usage = () => sql`select subject, kind, granted from table_control.caller_usage order by subject`

describe('a caller beyond the limit of requests', () => {
  it('is answered 429 with the time to wait and the headers of the draft', async () => {
    const process = startLimited()
    expect(await ask(process, 5)).toEqual([200, 200, 200, 200, 200])
    const { status, headers, json } = await process.post('query-table/products')
    expect({ status, code: json.code }).toEqual({ status: 429, code: 'too_many_requests' })
    const wait = Number(headers['retry-after'])
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(12)
    expect(headers['ratelimit']).toBe(`"requests";r=0;t=${wait}`)
    expect(headers['ratelimit-policy']).toBe('"requests";q=5;w=60')
    expect(json.errors[0]).toMatch(/^You have reached your limit of requests \(5 a minute\); try again in \d+ s$/)
    expect(json.errors[1]).toMatch(/^بلغت الحد المسموح به من الطلبات \(5 في الدقيقة\)؛ أعد المحاولة بعد /)
  })

  it('has the limits and gets the headers that functions/README.md shows', async () => {
    const limits = { EXPORTS_PER_CALLER: '100', MAILS_PER_CALLER: '200', RUNNING_JOBS_PER_CALLER: '1' }
    const start = () => startLimited({ REQUESTS_PER_CALLER: '600', SOCKETS_PER_CALLER: '20', ...limits })
    await sql`insert into table_control.caller_usage values ('nora', 'requests', now() + interval '1 year', true)`
    const { status, headers } = await start().post('query-table/products')
    expect(status).toBe(429)
    const { expected, received } = readmeHeaders('### Limits', headers)
    expect(received).toEqual(expected)
    await sql`delete from table_control.caller_usage`
    expect((await start().get('load-table/products')).json.limits).toEqual(readmeSamples('### Limits')[0])
  })

  it('is refused at once from then on, without a statement', async () => {
    const proxy = await startTcpProxy({ target: api.databaseUrl })
    const process = startLimited({ DATABASE_URL: proxy.url(), REQUESTS_PER_CALLER: '1' })
    await ask(process, 2)
    const before = proxy.roundTrips()
    expect(await ask(process, 3)).toEqual([429, 429, 429])
    expect(proxy.roundTrips()).toBe(before)
    await proxy.close()
  })

  it('is counted by all functions and processes together, and apart from other callers', async () => {
    const one = startLimited()
    const other = startLimited()
    expect(await ask(one, 3)).toEqual([200, 200, 200])
    expect((await other.get('load-table/products')).status).toBe(200)
    expect((await other.post('multi-row-refetch/products', { row_ids: [1] })).status).toBe(200)
    expect([...(await ask(one, 1)), ...(await ask(other, 1))]).toEqual([429, 429])
    expect(await ask(other, 1, { as: colleague })).toEqual([200])
  })

  it('is let in again when the allowance has filled', async () => {
    await ask(startLimited(), 6)
    expect(await ask(startLimited(), 1)).toEqual([429])
    await sql`update table_control.caller_usage set full_at = full_at - interval '12 seconds'`
    expect(await ask(startLimited(), 2)).toEqual([200, 429])
  })

  it('waits a minute at most when the clock of the database has jumped back', async () => {
    await sql`insert into table_control.caller_usage values ('nora', 'requests', now() + interval '1 year', true)`
    const { status, headers } = await startLimited().post('query-table/products')
    expect(status).toBe(429)
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(12)
    await sql`update table_control.caller_usage set full_at = full_at - interval '12 seconds'`
    expect(await ask(startLimited(), 2)).toEqual([200, 429])
  })

  it('has the allowance and no more when the clock of the database has jumped forwards', async () => {
    await sql`insert into table_control.caller_usage values ('nora', 'requests', now() - interval '1 year', false)`
    expect(await ask(startLimited(), 6)).toEqual([200, 200, 200, 200, 200, 429])
  })

  it('is refused by a process for the stated time, even if the clock of the process jumps', async () => {
    const process = startLimited({ REQUESTS_PER_CALLER: '1' })
    expect(await ask(process, 2)).toEqual([200, 429])
    const now = Date.now()
    const clock = vi.spyOn(Date, 'now')
    onTestFinished(() => clock.mockRestore())
    for (const jump of [-30_000, 30_000]) {
      clock.mockReturnValue(now + jump)
      const { status, headers } = await process.post('query-table/products')
      expect(status).toBe(429)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60)
    }
  })
})

it('lets a caller in whose time has passed while the process was frozen', async () => {
  const process = startLimited({ REQUESTS_PER_CALLER: '2' })
  expect(await ask(process, 3)).toEqual([200, 200, 429])
  await sql`delete from table_control.caller_usage`
  expect(await ask(process, 1)).toEqual([429])
  shiftProcessClock(0.5)
  expect(await ask(process, 3)).toEqual([200, 200, 429])
})

describe('counting requests', () => {
  it('includes those for an OpenAPI document that the client holds', async () => {
    const columns = { name: { label: 'Name' } }
    const table = defineFixture({ name: 'own', from: products, key: 'id', scope: everyRow, columns })
    const process = api.variant({ REQUESTS_PER_CALLER: '2' }, createRegistry([table], { claims: fixtureClaims }))
    const statuses: number[] = []
    for (let n = 0; n < 3; n += 1)
      statuses.push((await process.get('openapi.json', { headers: { 'if-none-match': '*' } })).status)
    expect(statuses).toEqual([304, 304, 429])
  })

  it('takes no round trip of its own when a page is read', async () => {
    const proxy = await startTcpProxy({ target: api.databaseUrl })
    const process = startLimited({ DATABASE_URL: proxy.url(), REQUESTS_PER_CALLER: '50' })
    await ask(process, 2)
    const before = proxy.roundTrips()
    await ask(process, 3)
    expect(proxy.roundTrips() - before).toBe(3)
    await proxy.close()
    expect(await usage()).toMatchObject([{ subject: 'nora', kind: 'requests', granted: true }])
  })

  it('sends a statement only with few requests while most of the allowance is left', async () => {
    const process = startLimited({ REQUESTS_PER_CALLER: '1000' })
    await ask(process, 1)
    const [first] = await sql`select full_at from table_control.caller_usage`
    await ask(process, 9)
    expect(await sql`select full_at from table_control.caller_usage`).toMatchObject([first ?? {}])
    await ask(process, 1)
    const [row] = await sql`select round(extract(epoch from full_at - ${first?.['full_at']}) / 0.06) as more
      from table_control.caller_usage`
    expect(Number(row?.['more'])).toBeGreaterThanOrEqual(9)
  })

  it('limits no caller while its table cannot be written', async () => {
    const role = serviceLogin.user
    await sql.unsafe(`revoke insert, update on table_control.caller_usage from "${role}"`)
    try {
      expect(await ask(startLimited({ REQUESTS_PER_CALLER: '1' }), 3)).toEqual([200, 200, 200])
    } finally {
      await sql.unsafe(`grant insert, update on table_control.caller_usage to "${role}"`)
    }
  })

  it('is off unless a limit is set', async () => {
    expect(await ask(api, 3)).toEqual([200, 200, 200])
    expect(await usage()).toEqual([])
  })

  it('leaves out a request without a valid token', async () => {
    expect(await ask(startLimited(), 3, { as: 'no.valid.token' })).toEqual([401, 401, 401])
    expect(await usage()).toEqual([])
  })

  it('does not take the subject of a token that is forged', async () => {
    const [head, body, signature] = api.provider.tokenFor(north).split('.')
    const claims = JSON.parse(Buffer.from(body ?? '', 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'another' })).toString('base64url')
    expect(await ask(startLimited(), 3, { as: `${head}.${forged}.${signature}` })).toEqual([401, 401, 401])
    expect(await usage()).toEqual([])
  })

  it.each([
    ['none', undefined],
    ['an empty one', ''],
    ['one of spaces', '  '],
    ['one that the database cannot store', 'nora\u0000'],
    ['one that is too long to be counted', 'n'.repeat(3_000)],
  ])('is not evaded by a token without a subject to count by: %s', async (_, sub) => {
    expect(await ask(startLimited(), 2, { as: { ...north, sub } as typeof north })).toEqual([401, 401])
    expect(await usage()).toEqual([])
  })

  it('tells subjects apart that differ only in case, spaces or composition', async () => {
    const subjects = ['zoë', 'zoe\u0308', 'Zoë', 'zoë ', "zoë' or true --"]
    const process = startLimited({ REQUESTS_PER_CALLER: '1' })
    for (const sub of subjects) expect(await ask(process, 2, { as: { ...north, sub } })).toEqual([200, 429])
    expect((await usage()).map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted())
  })

  it.each(['REQUESTS_PER_CALLER', 'EXPORTS_PER_CALLER', 'MAILS_PER_CALLER', 'SOCKETS_PER_CALLER'])(
    'refuses to start with a limit of zero in %s, which no caller could keep',
    (name) => {
      for (const value of ['0', '-1', '1.5']) expect(() => startLimited({ [name]: value })).toThrow(name)
    },
  )
})

describe('the limits of a structure', () => {
  it('state what a caller may ask for, without those that are off', async () => {
    const settings = { MAILS_PER_CALLER: '20', SOCKETS_PER_CALLER: '4', RUNNING_JOBS_PER_CALLER: '2' }
    const { json } = await startLimited(settings).get('load-table/products')
    expect(json.limits).toEqual({
      page_size: 200,
      filters: 100,
      sorts: 10,
      selected_rows: 1_000,
      instant_rows: 3_000,
      requests: { max: 5, seconds: 60 },
      mails: { max: 20, seconds: 86_400 },
      jobs: { unfinished: 100, running: 2 },
      sockets: 4,
    })
  })
})
