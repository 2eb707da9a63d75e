import { eq, inArray } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { authenticate, createRegistry, everyRow, forbidden, tableDefiner } from '../../lib/index.ts'
import { tableCodeRuns, tracedTable } from '../support/fixtures/access-tables.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { countries, products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, manager, north, south } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'

const api = await startFixtureApi()

beforeEach(() => {
  tableCodeRuns.length = 0
})

const endpoints = [
  ['load-table', (table: string, options = {}) => api.get(`load-table/${table}`, options)],
  ['load-table with data', (table: string, options = {}) => api.get(`load-table/${table}/true`, options)],
  ['query-table', (table: string, options = {}) => api.post(`query-table/${table}`, {}, options)],
  ['row-refetch', (table: string, options = {}) => api.post(`row-refetch/${table}/FR`, {}, options)],
  [
    'multi-row-refetch',
    (table: string, options = {}) => api.post(`multi-row-refetch/${table}`, { row_ids: ['FR'] }, options),
  ],
] as const

const unauthenticated = { status: 401, code: 'unauthenticated' }

describe.each(endpoints)('%s', (_, call) => {
  it('answers 401 without a token before any table code runs', async () => {
    expectFailure(await call('traced', { as: null }), unauthenticated)
    expect(tableCodeRuns).toEqual([])
  })

  it('runs the table’s middlewares after authentication, in order, then the table', async () => {
    expect((await call('traced')).status).toBe(200)
    expect(tableCodeRuns).toEqual(['first middleware', 'second middleware', 'params', 'scope'])
  })

  it('a table’s middleware rejects with 403 and its own text in both languages', async () => {
    const response = await call('managers_only', { headers: { ln: 'ar' } })
    expectFailure(response, { status: 403, code: 'forbidden' })
    expect(response.json).toMatchObject({ errors: ['Managers only', 'للمديرين فقط'], error: 'للمديرين فقط' })
    expect((await call('managers_only', { as: manager })).status).toBe(200)
  })

  it('a table’s middleware may abort with a status of its own', async () => {
    const response = await call('forbidden_by_law', { headers: { 'X-Reason': 'law' } })
    expectFailure(response, { status: 451, code: 'forbidden' })
    expect(response.json.error).toMatch(/^law api (GET|POST) table_control\.api\.\w+ [\d.]+$/)
  })

  it('nothing runs after a middleware that rejects', async () => {
    expectFailure(await call('forbidden_plainly'), { status: 403, code: 'forbidden' })
    expect(tableCodeRuns).toEqual([])
  })

  it('answers that a table is not registered only to an authenticated caller', async () => {
    expectFailure(await call('nothing', { as: null }), unauthenticated)
    expectFailure(await call('nothing'), { status: 404, code: 'table_not_found' })
  })
})

describe('the token of a request', () => {
  const who = { sub: 'nora', tenant: 'north' }
  const now = Math.floor(Date.now() / 1_000)
  const bad = {
    'an expired token': () => api.provider.tokenFor(who, { expiresIn: -3_600 }),
    'a token signed with an unknown key': () => api.provider.tokenFor(who, { signedBy: 'stranger' }),
    'a token changed after signing': () => api.provider.tokenFor(who, { tampered: true }),
    'an unsigned token': () => api.provider.tokenFor(who, { algorithm: 'none' }),
    'a token signed with the public key as a secret': () => api.provider.tokenFor(who, { algorithm: 'HS256' }),
    'a token of another issuer': () => api.provider.tokenFor({ ...who, iss: 'https://elsewhere.test' }),
    'a token for another audience': () => api.provider.tokenFor({ ...who, aud: 'elsewhere' }),
    'a token without exp': () => api.provider.tokenFor(who, { without: ['exp'] }),
    'a token with a text as exp': () => api.provider.tokenFor({ ...who, exp: `${now + 3_600}` }),
    'a token without sub': () => api.provider.tokenFor(who, { without: ['sub'] }),
    'a token with an empty sub': () => api.provider.tokenFor({ ...who, sub: '' }),
    'a token with a NUL in sub': () => api.provider.tokenFor({ ...who, sub: 'nora\0' }),
    'a token with half a character in sub': () => api.provider.tokenFor({ ...who, sub: 'nora\ud83d' }),
    'a token without iss': () => api.provider.tokenFor(who, { without: ['iss'] }),
    'a token without aud': () => api.provider.tokenFor(who, { without: ['aud'] }),
    'a token that is not valid yet': () => api.provider.tokenFor({ ...who, nbf: now + 3_600 }),
    'a token whose claims do not fit the tables': () => api.provider.tokenFor({ ...who, tenant: 7 }),
    'a token with a NUL in a claim of the tables': () => api.provider.tokenFor({ ...who, role: 'manager\0' }),
    'a token with half a character in a claim of the tables': () => api.provider.tokenFor({ ...who, role: '\ud83d' }),
    'no JWT at all': () => 'not-a-token',
    'three dots': () => '..',
    'a token cut short': () => api.provider.tokenFor(who).slice(0, -10),
    'two tokens': () => `${api.provider.tokenFor(who)},Bearer ${api.provider.tokenFor(who)}`,
    'a token of 8 KB and more': () => api.provider.tokenFor({ ...who, pad: 'x'.repeat(9_000) }),
    'an empty token': () => '',
  }

  it.each(Object.entries(bad))('is refused with 401 if it is %s', async (_, token) => {
    expectFailure(await api.post('query-table/products', {}, { as: token() }), unauthenticated)
  })

  it('is refused with 401 if its key is unknown, and with 503 only while the keys may not be fetched anew', async () => {
    const token = api.provider.tokenFor(who, { keyId: 'unknown' })
    const fresh = api.variant({})
    expectFailure(await fresh.get('load-table/products', { as: token }), unauthenticated)
    expect((await fresh.get('load-table/products')).status).toBe(200)
    expect([401, 503]).toContain((await fresh.get('load-table/products', { as: token })).status)
  })

  it.each(['Basic bm9yYTpub3Jh', 'Bearer', 'Token x', 'bearer'])(
    'is refused with 401 in the header "%s"',
    async (authorization) => {
      expectFailure(await api.get('load-table/products', { as: null, headers: { authorization } }), unauthenticated)
    },
  )

  it('is accepted with a NUL in a claim that no table reads', async () => {
    expect((await api.post('query-table/products', {}, { as: { ...who, nickname: 'n\0' } })).status).toBe(200)
  })

  it.each([
    ['set', z.array(z.string()).transform((tenants) => new Set(tenants))],
    ['map', z.array(z.string()).transform((tenants) => new Map(tenants.map((tenant) => [tenant, 1])))],
  ])('is refused with 401 if the schema of its claims makes a %s that has a NUL', async (_, tenants) => {
    const claims = z.object({ tenants })
    const table = tableDefiner<z.output<typeof claims>>()({
      name: 'collected',
      from: products,
      key: 'id',
      columns: { id: { label: 'ID' } },
      scope: ({ identity }) => inArray(products.tenant, [...identity.claims.tenants.keys()]),
    })
    const collected = api.variant({}, createRegistry([table], { claims }))
    const ask = (tenant: string) =>
      collected.post('query-table/collected', {}, { as: { ...who, tenants: ['north', tenant] } })
    expect((await ask('south')).status).toBe(200)
    expectFailure(await ask('south\0'), unauthenticated)
  })

  it.each([
    ['a list', z.array(z.string()), (tenants: unknown) => (tenants as string[]).push('south')],
    [
      'a set',
      z.array(z.string()).transform((tenants) => new Set(tenants)),
      (tenants: unknown) => (tenants as Set<string>).add('south'),
    ],
  ])(
    'gives a later request no right that the code of a table has added to %s of its claims',
    async (_, tenants, widen) => {
      const table = tableDefiner<{ readonly tenants: Iterable<string> }>()({
        name: 'widened',
        from: products,
        key: 'id',
        columns: { id: { label: 'ID' } },
        scope: ({ identity, language }) => {
          if (language === 'ar') widen(identity.claims.tenants)
          return inArray(products.tenant, [...identity.claims.tenants])
        },
      })
      const widened = api.variant({}, createRegistry([table], { claims: z.object({ tenants }) }))
      const options = { as: { ...who, tenants: ['north'] } }
      const total = async () => (await widened.post('query-table/widened', {}, options)).json.pagination.total
      const own = await total()
      await widened.post('query-table/widened', {}, { ...options, headers: { ln: 'ar' } })
      expect(await total()).toBe(own)
    },
  )

  it('is accepted with a NUL in a claim if no schema declares claims, and scopes see no such claim', async () => {
    const ofNorth = { from: products, key: 'id', columns: { id: { label: 'ID', sortable: true } } } as const
    const open = tableDefiner()({ ...ofNorth, name: 'open_products', scope: everyRow })
    const scoped = tableDefiner<Readonly<Record<string, unknown>>>()({
      ...ofNorth,
      name: 'scoped',
      scope: ({ identity: { claims } }) => eq(products.tenant, String(claims['tenant'])),
    })
    const unclaimed = api.variant({}, createRegistry([open, scoped]))
    const total = async (table: string, as: object) =>
      (await unclaimed.post(`query-table/${table}`, {}, { as: { ...who, ...as } })).json.pagination?.total
    const email = 'nora\0@example.test'
    expect(await total('open_products', { nickname: 'n\ud83d', email, groups: ['a', { name: '\0' }] })).toBeGreaterThan(
      0,
    )
    expect(await total('scoped', { nickname: 'n\0' })).toBeGreaterThan(0)
    expect(await total('scoped', { tenant: 'north\0' })).toBe(0)
  })

  it('is accepted after a scheme in any case', async () => {
    const authorization = `bearer ${api.provider.tokenFor(north)}`
    expect((await api.get('load-table/products', { as: null, headers: { authorization } })).status).toBe(200)
  })

  it('is repeated in no response, not even in part', async () => {
    const token = api.provider.tokenFor(north, { signedBy: 'stranger' })
    const { text, headers } = await api.get('load-table/products', { as: token })
    for (const part of token.split('.')) expect(text + JSON.stringify(headers)).not.toContain(part)
  })
})

describe('the scope of an identity', () => {
  it.each([
    [north, 22],
    [south, 2],
    [{ sub: 'nora', tenant: 'elsewhere' }, 0],
    [{ sub: 'nora' }, 0],
    [{ sub: 'audrey', role: 'auditor' }, 24],
    [{ sub: 'nora', tenant: "north' or '1'='1" }, 0],
  ])('shows %j %i rows', async (as, rows) => {
    expect((await api.post('query-table/products', {}, { as })).json.pagination.total).toBe(rows)
  })

  it('is never exceeded by filters, sorts and pages', async () => {
    const filters = [{ field: 'name', operator: 'like', value: 'secret' }]
    expect(listIds(await api.post('query-table/products', { filters }))).toEqual([])
    expect(listIds(await api.post('query-table/products', { filters }, { as: south }))).toEqual([23, 24])
  })
})

describe('the service’s own middlewares', () => {
  const table = defineFixture({ name: 'open', from: countries, key: 'code', scope: everyRow, columns: {} })

  it('run before the table’s, in order', async () => {
    const first = () => void tableCodeRuns.push('first of the service')
    const registry = createRegistry([tracedTable], { claims: fixtureClaims, middlewares: [first, authenticate] })
    expect((await api.variant({}, registry).get('load-table/traced')).status).toBe(200)
    expect(tableCodeRuns.slice(0, 2)).toEqual(['first of the service', 'first middleware'])
  })

  it.each([400, 403, 404, 409, 429])('may reject, with the status %i of their own', async (status) => {
    const expectClosed = () => {
      throw forbidden({ en: 'Closed', ar: 'مغلق' }, status)
    }
    const registry = createRegistry([table], { claims: fixtureClaims, middlewares: [expectClosed, authenticate] })
    expectFailure(await api.variant({}, registry).get('load-table/open', { as: null }), { status, code: 'forbidden' })
  })

  it.each([0, 200, 302, 600, Number.NaN])('fail with 500 instead of rejecting with the status %d', async (status) => {
    const expectClosed = () => {
      throw forbidden({ en: 'Closed', ar: 'مغلق' }, status)
    }
    const registry = createRegistry([table], { claims: fixtureClaims, middlewares: [expectClosed, authenticate] })
    const closed = api.variant({ LOG_LEVEL: 'silent' }, registry)
    expect(await closed.get('load-table/open')).toMatchObject({ status: 500, json: { code: 'internal_error' } })
  })

  it('may read the cookies, which an HTTP API keeps apart from the headers', async () => {
    const readSession: typeof authenticate = ({ headers }, verifier) =>
      verifier.verify(/(?:^|; )session=([^;]+)/.exec(headers['cookie'] ?? '')?.[1] ?? '')
    const registry = createRegistry([table], { claims: fixtureClaims, middlewares: [readSession] })
    const cookie = `theme=dark; session=${api.provider.tokenFor(north)}`
    expect((await api.variant({}, registry).get('load-table/open', { as: null, headers: { cookie } })).status).toBe(200)
  })

  it.each([
    ['none of them says who is calling', () => {}, 'unauthenticated'],
    ['one of them asks for another login', () => Promise.reject(forbidden(undefined, 401)), 'forbidden'],
  ])('refuse everybody with a challenge where %s', async (_, middleware, code) => {
    const registry = createRegistry([table], { claims: fixtureClaims, middlewares: [middleware] })
    const response = await api.variant({}, registry).get('load-table/open')
    expectFailure(response, { status: 401, code })
    expect(response.headers['www-authenticate']).toBe('Bearer')
  })
})
