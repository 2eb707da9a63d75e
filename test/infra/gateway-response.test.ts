import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { limitFunction } from '../../infra/local/lambda/concurrency-limit.ts'
import type { LambdaHandler } from '../../infra/local/lambda/local-function.ts'
import { responseText, serveGateway } from '../support/infra/gateway.ts'

describe('the limits', () => {
  const head = (size: number) => ({ headers: { 'x-fill': 'x'.repeat(size) } })

  it.each([
    [9_000, 200],
    [10_500, 431],
    [40_000, 431],
  ])('a header of %i bytes is answered with %i', async (size, status) => {
    const gateway = await serveGateway({ 'GET /t': responseText('ok') })
    expect((await gateway.send('/t', head(size))).status).toBe(status)
  })

  it.each([
    [5_000_000, 200],
    [7_000_000, 413],
    [11_000_000, 413],
  ])('a body of %i bytes is answered with %i', async (size, status) => {
    const gateway = await serveGateway({ 'POST /t': responseText('ok') })
    const headers = { 'content-type': 'application/json' }
    expect((await gateway.send('/t', { method: 'POST', headers, body: Buffer.alloc(size, 'x') })).status).toBe(status)
  })

  it.each([
    [6_291_000, 200],
    [6_291_600, 500],
  ])('a response of %i bytes reaches the client with %i', async (size, status) => {
    const gateway = await serveGateway({ 'GET /t': () => ({ statusCode: 200, body: 'x'.repeat(size) }) })
    expect((await gateway.send('/t')).status).toBe(status)
  })

  it('counts a response as it is serialised: each quote takes two bytes', async () => {
    const gateway = await serveGateway({ 'GET /t': () => ({ statusCode: 200, body: '"'.repeat(3_200_000) }) })
    expect(await gateway.send('/t')).toMatchObject({ status: 500, text: '{"message":"Internal Server Error"}' })
  })

  it('answers 503 when the function takes too long', async () => {
    const gateway = await serveGateway({ 'GET /t': () => new Promise(() => undefined) }, { integrationTimeoutMs: 50 })
    expect(await gateway.send('/t')).toMatchObject({ status: 503, text: '{"message":"Service Unavailable"}' })
  })
})

describe('the response', () => {
  it.each<[string, LambdaHandler]>([
    ['throws', () => Promise.reject(new Error('secret'))],
    ['returns a wrong status', () => ({ statusCode: 'abc', body: '' })],
    ['returns a body that is no text', () => ({ statusCode: 200, body: { a: 1 } })],
    ['returns what JSON cannot say', () => ({ big: 1n })],
    ['returns a header that HTTP does not allow', () => ({ statusCode: 200, headers: { 'x-bad': 'a\r\nb: c' } })],
  ])("is the gateway's own 500 when a function %s", async (_what, handler) => {
    const gateway = await serveGateway({ 'GET /t': handler })
    const { status, text, headers } = await gateway.send('/t')
    expect([status, text]).toEqual([500, '{"message":"Internal Server Error"}'])
    expect(headers['apigw-requestid']).toMatch(/^[\w+/]{15}=$/)
  })

  it('decodes a base64 body and sets every cookie', async () => {
    const gateway = await serveGateway({
      'GET /t': () => ({ statusCode: 201, cookies: ['a=1', 'b=2'], body: 'aGVq', isBase64Encoded: true }),
    })
    expect(await gateway.send('/t')).toMatchObject({
      status: 201,
      text: 'hej',
      headers: { 'set-cookie': ['a=1', 'b=2'] },
    })
  })

  it('is JSON with status 200 when the function returns a bare value', async () => {
    const gateway = await serveGateway({ 'GET /t': () => ({ a: 1 }) })
    const expected = { status: 200, text: '{"a":1}', headers: { 'content-type': 'application/json' } }
    expect(await gateway.send('/t')).toMatchObject(expected)
  })

  it('has no body for HEAD', async () => {
    const gateway = await serveGateway({ 'HEAD /t': responseText('body') })
    expect(await gateway.send('/t', { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '4' },
    })
  })
})

it('keeps a connection usable after a response that did not read the body', async () => {
  const gateway = await serveGateway({ 'POST /t': responseText('ok') })
  const big = await fetch(`${gateway.url}/t`, { method: 'POST', body: Buffer.alloc(11_000_000) })
  const next = await fetch(`${gateway.url}/t`, { method: 'POST', body: 'x' })
  expect([big.status, await next.text()]).toEqual([413, 'ok'])
})

it('rejects when the port is taken', async () => {
  const gateway = await serveGateway({})
  await expect(startGateway({ routes: new Map(), port: gateway.port })).rejects.toThrow('EADDRINUSE')
})

describe('a function with all the requests that it takes at once', () => {
  /** Requests that wait until they are released. */
  async function serveLimited(reserved: number) {
    const released = Promise.withResolvers<void>()
    let begun = 0
    const handler = async () => {
      begun += 1
      await released.promise
      return { statusCode: 200, body: 'done' }
    }
    const routes = new Map([
      ['POST /limited', limitFunction({ name: 'limited', handler }, reserved)],
      ['GET /other', { name: 'other', handler: () => ({ statusCode: 200, body: 'other' }) }],
    ])
    const gateway = await startGateway({ routes })
    onTestFinished(gateway.stop)
    const send = () => fetch(`${gateway.url}/limited`, { method: 'POST', body: '{}' })
    return { gateway, send, countBegun: () => begun, release: released.resolve }
  }

  it('is answered for with 503 at once, and takes requests again when some have ended', async () => {
    const { gateway, send, countBegun, release } = await serveLimited(2)
    const running = [send(), send()]
    await expect.poll(countBegun).toBe(2)
    for (const refused of [await send(), await send()])
      expect([refused.status, await refused.text()]).toEqual([503, '{"message":"Service Unavailable"}'])
    expect((await fetch(`${gateway.url}/other`)).status).toBe(200)
    release()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
    expect([(await send()).status, countBegun()]).toEqual([200, 3])
  })

  it('is answered for before the body has come, and the connection stays usable', async () => {
    const { gateway, send, countBegun, release } = await serveLimited(1)
    const running = send()
    await expect.poll(countBegun).toBe(1)
    const client = connect(gateway.port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    let received = ''
    client.on('data', (text) => {
      received += text
    })
    client.write('POST /limited HTTP/1.1\r\nhost: local\r\ncontent-length: 4\r\n\r\n')
    await expect.poll(() => received).toMatch(/^HTTP\/1\.1 503 .*"Service Unavailable"}$/s)
    received = ''
    client.write('bodyGET /other HTTP/1.1\r\nhost: local\r\n\r\n')
    await expect.poll(() => received).toMatch(/^HTTP\/1\.1 200 .*other$/s)
    release()
    expect((await running).status).toBe(200)
  })
})
