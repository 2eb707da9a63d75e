import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../lib/config.ts'
import { corsPolicy } from '../../lib/http/cors.ts'
import { routeNotFound } from '../../lib/index.ts'
import { routes } from '../../lib/routes.ts'
import { serveGateway } from '../support/infra/gateway.ts'

const environment = {
  DATABASE_URL: 'postgres://none@none.invalid/none',
  SERVICE_SECRET: 'of no use to this function, which signs nothing',
  LOG_LEVEL: 'silent',
  JWT_ISSUER: 'https://issuer.example.test',
  JWT_AUDIENCE: 'test',
  JWKS_URL: 'https://issuer.example.test/keys',
}
const path = '/api/api-table/control-tables/query-table/orders'
const page = 'https://app.example.test'
const preflight = (origin: string) => ({
  method: 'OPTIONS',
  headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
})

/** A gateway that leaves CORS to the function behind `$default`. */
const serve = (ALLOWED_ORIGINS: string) =>
  serveGateway(
    {},
    {
      fallback: routeNotFound(() => loadConfig({ ...environment, ALLOWED_ORIGINS, ALLOWED_HEADERS: 'X-Tenant' })),
    },
  )

describe('a preflight that reaches the route $default', () => {
  it('grants a listed origin what the gateway would have granted', async () => {
    const { status, headers } = await (await serve(page)).send(path, preflight(page))
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET,POST,PATCH,DELETE,OPTIONS',
      'access-control-allow-headers': expect.stringMatching(/authorization.*if-match.*x-tenant/),
      'access-control-expose-headers': expect.stringMatching(/ratelimit,ratelimit-policy,deprecation,sunset/),
      'access-control-max-age': '7200',
    })
  })

  it('allows every method that a route has', () => {
    const { allowMethods } = corsPolicy(loadConfig({ ...environment, ALLOWED_ORIGINS: page }))
    expect(allowMethods).toEqual(expect.arrayContaining(routes.map(({ method }) => method)))
  })

  it('echoes no origin and allows no credentials where all origins are allowed', async () => {
    const { headers } = await (await serve('*')).send(path, preflight(page))
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*' })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it.each([
    [page, 'https://evil.test'],
    [page, 'null'],
  ])('grants nothing to an origin that is not listed', async (listed, origin) => {
    const { status, headers } = await (await serve(listed)).send(path, preflight(origin))
    expect(status).toBe(204)
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
  })

  it('is refused like any other method where a stage allows no origins, or a request is no preflight', async () => {
    expect((await (await serve('')).send(path, preflight(page))).status).toBe(405)
    expect((await (await serve(page)).send(path, { method: 'OPTIONS', headers: { origin: page } })).status).toBe(405)
  })
})
