import { describe, expect, it } from 'vitest'
import { responseText, serveGateway } from '../support/infra/gateway.ts'

describe('CORS', () => {
  const listed = 'https://app.example.test'
  const cors = {
    allowOrigins: [listed],
    allowHeaders: ['authorization'],
    allowMethods: ['GET'],
    allowCredentials: true,
    exposeHeaders: ['etag'],
    maxAge: 60,
  }
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST' },
  })

  it('answers a preflight of a listed origin without calling a function', async () => {
    const gateway = await serveGateway({ 'ANY /t': () => Promise.reject(new Error('called')) }, { cors })
    const { status, headers } = await gateway.send('/t', preflight(listed))
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': listed,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'authorization',
      'access-control-max-age': '60',
    })
  })

  it.each(['https://evil.test', 'null', `${listed}.evil.test`])('grants nothing to the origin %s', async (origin) => {
    const gateway = await serveGateway({ 'GET /t': responseText('ok') }, { cors })
    for (const sent of [preflight(origin), { headers: { origin } }]) {
      const { headers } = await gateway.send('/t', sent)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })

  it("replaces the headers of a function by the policy's, on errors of its own too", async () => {
    const headers = { 'Access-Control-Allow-Origin': '*', 'access-control-allow-headers': '*' }
    const gateway = await serveGateway({ 'GET /t': () => ({ statusCode: 200, headers, body: '' }) }, { cors })
    for (const path of ['/t', '/missing']) {
      const response = await gateway.send(path, { headers: { origin: listed } })
      expect(response.headers).toMatchObject({
        'access-control-allow-origin': listed,
        'access-control-expose-headers': 'etag',
      })
      expect(response.headers).not.toHaveProperty('access-control-allow-headers')
    }
  })

  it('echoes no origin when all are allowed', async () => {
    const gateway = await serveGateway(
      { 'GET /t': responseText('ok') },
      { cors: { ...cors, allowOrigins: ['*'], allowCredentials: false } },
    )
    const { headers } = await gateway.send('/t', { headers: { origin: 'https://any.test' } })
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*' })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })
})
