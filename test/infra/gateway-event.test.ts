import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { describe, expect, it } from 'vitest'
import {
  answerEvent,
  responseText,
  type SentRequest,
  type ServedGateway,
  serveGateway,
} from '../support/infra/gateway.ts'

const createEvent = async (gateway: ServedGateway, path: string, sent?: SentRequest): Promise<APIGatewayProxyEventV2> =>
  JSON.parse((await gateway.send(path, sent)).text)

describe('routing', () => {
  it.each([
    ['GET', '/a/b', 'literal'],
    ['GET', '/a/c', 'parameter'],
    ['POST', '/a/b', 'any'],
    ['GET', '/a/b/c/d', 'greedy'],
    ['GET', '/x/b', 'first parameter'],
    ['GET', '/a/', 'fallback'],
    ['GET', '/constructor', 'fallback'],
  ])('%s %s reaches the most specific route: %s', async (method, path, expected) => {
    const gateway = await serveGateway(
      {
        'GET /a/{id}': responseText('parameter'),
        'GET /a/b': responseText('literal'),
        'ANY /a/b': responseText('any'),
        'GET /a/b/{proxy+}': responseText('greedy'),
        'GET /{first}/b': responseText('first parameter'),
      },
      { fallback: responseText('fallback') },
    )
    expect((await gateway.send(path, { method })).text).toBe(expected)
  })

  it('answers 404 itself when nothing matches and there is no $default', async () => {
    const gateway = await serveGateway({ 'GET /a': answerEvent })
    const { status, text } = await gateway.send('/b')
    expect([status, text]).toEqual([404, '{"message":"Not Found"}'])
  })
})

describe('the event', () => {
  it('carries what payload format 2.0 has', async () => {
    const gateway = await serveGateway({ 'GET /t/{name}': answerEvent })
    const event = await createEvent(gateway, '/t/flights?a=1&b=x%20y&a=2', {
      headers: { 'X-One': ['1', '2'], cookie: 'a=1; b=2', 'user-agent': 'test' },
    })
    expect(event).toMatchObject({
      version: '2.0',
      routeKey: 'GET /t/{name}',
      rawPath: '/t/flights',
      rawQueryString: 'a=1&b=x%20y&a=2',
      cookies: ['a=1', 'b=2'],
      queryStringParameters: { a: '1,2', b: 'x y' },
      pathParameters: { name: 'flights' },
      headers: { 'x-one': '1,2', 'user-agent': 'test', 'x-forwarded-for': '127.0.0.1' },
      requestContext: { stage: '$default', http: { method: 'GET', path: '/t/flights', userAgent: 'test' } },
      isBase64Encoded: false,
    })
    expect(event.headers).not.toHaveProperty('cookie')
    expect(event).not.toHaveProperty('body')
  })

  it.each([
    ['/t/a%20b', '/t/a b', 'a b'],
    ['/t/%D8%B7%D9%8A%D9%88%D8%B1', '/t/طيور', 'طيور'],
    ['/t/a%3Fb?c=1', '/t/a', 'a'],
    ['/t/100%2525', '/t/100%25', '100%25'],
  ])('%s arrives decoded once and cut at a decoded question mark', async (sent, rawPath, name) => {
    const gateway = await serveGateway({ 'GET /t/{name}': answerEvent })
    expect(await createEvent(gateway, sent)).toMatchObject({ rawPath, pathParameters: { name } })
  })

  it('takes a decoded slash for a separator', async () => {
    const gateway = await serveGateway({ 'GET /t/{name}': answerEvent })
    expect((await gateway.send('/t/a%2Fb')).status).toBe(404)
  })

  it('refuses a path that is no percent-encoding', async () => {
    const gateway = await serveGateway({ 'GET /t/{name}': answerEvent })
    expect((await gateway.send('/t/%zz')).status).toBe(400)
  })

  it('keeps names such as __proto__ as plain keys', async () => {
    const gateway = await serveGateway({ 'GET /t': answerEvent })
    const { text } = await gateway.send('/t?__proto__=1&constructor=2&__proto__=3')
    expect(text).toContain('"queryStringParameters":{"__proto__":"1,3","constructor":"2"}')
  })

  it.each([
    ['application/json', false],
    ['Application/JSON; charset=utf-8', false],
    ['text/csv', false],
    ['application/xml', false],
    ['application/x-www-form-urlencoded', true],
    ['application/octet-stream', true],
  ])('a body of type %s is base64-encoded: %s', async (type, isBase64Encoded) => {
    const gateway = await serveGateway({ 'POST /t': answerEvent })
    const event = await createEvent(gateway, '/t', { method: 'POST', headers: { 'content-type': type }, body: 'žluť' })
    const body = isBase64Encoded ? Buffer.from('žluť').toString('base64') : 'žluť'
    expect(event).toMatchObject({ isBase64Encoded, body })
  })
})
