import { describe, expect, it } from 'vitest'
import { RequestError } from '../../lib/errors/request-error.ts'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { brokenTables, byEndpointTables, rejectingTables, tracedTable } from '../support/fixtures/access-tables.ts'
import { publicUrl, startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims, manager } from '../support/fixtures/identities.ts'
import { productsTable } from '../support/fixtures/products-table.ts'
import type { Api, ApiResponse } from '../support/requests/api.ts'

const path = '/api/api-table/control-tables'
const some = createRegistry([productsTable, ...rejectingTables, tracedTable], { claims: fixtureClaims })

const fixture = await startFixtureApi()
const api = fixture.variant({}, some)

const list = (options: Parameters<Api['request']>[1] = {}, headers: Readonly<Record<string, string>> = {}) =>
  api.request({ method: 'GET', path, headers }, options)
const listNames = ({ json }: ApiResponse) =>
  json.tables.map(({ tableName }: { readonly tableName: string }) => tableName)

describe('the list of tables', () => {
  it('has the tables that admit the caller, in the order of the registry, and no other', async () => {
    const response = await list()
    expect([response.status, response.json.success]).toEqual([200, true])
    expect(listNames(response)).toEqual(['products', 'traced'])
    expect(listNames(await list({ as: manager }))).toEqual(['products', 'managers_only', 'traced'])
  })

  it('has the label in the caller’s language, and the URL of the structure on both guards', async () => {
    const [first] = (await list()).json.tables
    const { json } = await api.get('load-table/products')
    expect(first).toEqual({
      tableName: 'products',
      label: json.label,
      load_url: {
        api: `${publicUrl}/api/api-table/control-tables/load-table/products`,
        web: `${publicUrl}/api-table/control-tables/load-table/products`,
      },
    })
    const arabic = await api.get('load-table/products', { headers: { ln: 'ar' } })
    expect((await list({}, { ln: 'ar' })).json.tables[0].label).toBe(arabic.json.label)
  })

  it('is on the guard of web clients as well', async () => {
    const response = await api.request({ method: 'GET', path: '/api-table/control-tables' })
    expect(listNames(response)).toEqual(['products', 'traced'])
  })

  it('asks middlewares that look at the endpoint as the structure would', async () => {
    const response = await fixture
      .variant({}, createRegistry(byEndpointTables, { claims: fixtureClaims }))
      .request({ method: 'GET', path })
    expect(listNames(response)).toEqual(['structure_alone'])
  })

  it('is for callers with a token alone', async () => {
    const { status, json } = await list({ as: null })
    expect([status, json.code]).toEqual([401, 'unauthenticated'])
  })

  it('is answered 304 while it is what the client holds, which another caller’s is not', async () => {
    const { headers } = await list()
    const tag = headers['etag'] ?? ''
    expect((await list({}, { 'if-none-match': tag })).status).toBe(304)
    expect((await list({ as: manager }, { 'if-none-match': tag })).status).toBe(200)
  })

  it('is refused as a whole where what a middleware needs is away', async () => {
    const away = defineFixture({
      name: 'away',
      from: products,
      key: 'id',
      scope: everyRow,
      columns: { id: { label: 'No.' } },
      middlewares: [() => Promise.reject(new RequestError('unavailable'))],
    })
    const without = fixture.variant({}, createRegistry([productsTable, away], { claims: fixtureClaims }))
    const response = await without.request({ method: 'GET', path })
    expect([response.status, response.json.code]).toEqual([503, 'unavailable'])
  })

  it('is refused as a whole where a middleware breaks: a fault must not look like a refusal', async () => {
    const broken = fixture.variant({}, createRegistry([productsTable, ...brokenTables], { claims: fixtureClaims }))
    const { status, text } = await broken.request({ method: 'GET', path })
    expect(status).toBe(500)
    expect(text).not.toContain('hunter2')
  })

  it('is read, not written', async () => {
    const { status, headers } = await api.request({ method: 'POST', path, body: {} })
    expect([status, headers['allow']]).toEqual([405, 'GET'])
  })
})
