import { describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'

const api = await startFixtureApi()

const post = (body: unknown, options = {}) => api.post('query-table/products', body, options)

const nestLists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('an empty body means {}', () => {
  it.each([undefined, '', ' ', '\n\t ', '\uFEFF', '{}', ' {} ', '\uFEFF{}'])('%j', async (body) => {
    const { status, json } = await post(body)
    expect(status).toBe(200)
    expect(json.pagination).toMatchObject({ current_page: 1, per_page: 20 })
  })
})

describe('a body that is no JSON object', () => {
  it.each([
    'null',
    '[]',
    '[{}]',
    '1',
    '"text"',
    'true',
    'NaN',
    'undefined',
    '{',
    '{"page":',
    '{"page":1',
    '{"page":1,}',
    "{'page':1}",
    '{"page":1}{}',
    '{"page":01}',
    'page=1&perPage=2',
    '<xml/>',
    '\u0000',
    '{"a":"\u0000"}',
    '{"a":"\n"}',
    '//{}',
    '\u2028{',
  ])('is refused with 400: %j', async (body) => {
    expectFailure(await post(body), { status: 400, code: 'invalid_body' })
  })

  it.each(['query-table/products', 'multi-row-refetch/products', 'row-refetch/products/1'])(
    'is refused on %s',
    async (path) => {
      expectFailure(await api.post(path, '[]'), { status: 400, code: 'invalid_body' })
    },
  )

  it.each([
    ['query-table/nothing', 404],
    ['query-table/forbidden_plainly', 403],
  ])('is read after access is checked: %s is answered %i', async (path, status) => {
    expect((await api.post(path, '[')).status).toBe(status)
  })
})

describe('base64 bodies', () => {
  it('are decoded', async () => {
    expect((await post({ perPage: 3 }, { base64: true })).json.pagination.per_page).toBe(3)
    const filters = [{ field: 'name', value: 'تفاح' }]
    expect((await post({ filters }, { base64: true })).json.items).toHaveLength(1)
  })

  it.each(['[]', '{', 'null'])('are refused if they hold no object: %s', async (body) => {
    expectFailure(await post(body, { base64: true }), { status: 400, code: 'invalid_body' })
  })

  it('are refused if they are not UTF-8', async () => {
    for (const bytes of [
      [0x7b, 0xff, 0x7d],
      [0x1f, 0x8b, 8, 0],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      // {"a":"?"} with a byte that is no character
      [0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d],
    ]) {
      expectFailure(await post(Buffer.from(bytes), { base64: true }), { status: 400, code: 'invalid_body' })
    }
  })
})

describe('a body', () => {
  const pad = (bytes: number) => `{"pad":"${'x'.repeat(bytes - 10)}"}`

  it('is read up to 1 MiB, and refused with 413 beyond', async () => {
    expect((await post(pad(1_048_576))).status).toBe(200)
    expectFailure(await post(pad(1_048_577)), { status: 413, code: 'body_too_large' })
  })

  it('is measured in bytes, not characters, also after decoding', async () => {
    const arabic = (bytes: number) => `{"pad":"${'ض'.repeat((bytes - 10) / 2)}"}`
    expect((await post(arabic(1_048_576))).status).toBe(200)
    expectFailure(await post(arabic(1_048_578)), { status: 413, code: 'body_too_large' })
    expect((await post(pad(1_048_576), { base64: true })).status).toBe(200)
    expectFailure(await post(pad(1_048_577), { base64: true }), { status: 413, code: 'body_too_large' })
  })

  it.each([8, 9, 60])('may have lists %i deep in a key that nothing reads', async (depth) => {
    expect((await post(`{"junk":${nestLists(depth)}}`)).status).toBe(200)
    expect((await post(`{"junk":${nestedObjects(depth)}}`)).status).toBe(200)
  })

  it.each([100, 1_000, 100_000])('is refused with 400 if it is nested %i deep', async (depth) => {
    expectFailure(await post(`{"junk":${nestLists(depth)}}`), { status: 400, code: 'invalid_body' })
    expectFailure(await post(`{"junk":${nestedObjects(depth)}}`), { status: 400, code: 'invalid_body' })
    expectFailure(await post('['.repeat(depth)), { status: 400, code: 'invalid_body' })
  })

  it('may have any number of brackets in its texts', async () => {
    expect((await post({ junk: '[{'.repeat(5_000), more: '\\"['.repeat(500) })).status).toBe(200)
  })
})

describe('odd requests', () => {
  it.each([undefined, 'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'the content type %j does not matter, because only JSON is read',
    async (type) => {
      const response = await post('{"perPage":3}', { headers: type === undefined ? {} : { 'content-type': type } })
      expect(response.json.pagination.per_page).toBe(3)
    },
  )

  it('the last one of duplicate keys counts', async () => {
    expect((await post('{"perPage":3,"perPage":4}')).json.pagination.per_page).toBe(4)
  })

  it.each(['{"page":1e400}', '{"page":-0}', '{"perPage":1E2222}'])(
    'numbers that JSON cannot hold are answered 422: %s',
    async (body) => {
      expectFailure(await post(body), { status: 422, code: 'validation_failed' })
    },
  )
})

describe('names of tables', () => {
  it.each([
    'PRODUCTS',
    'products%20',
    '%20products',
    '%70roducts%00',
    '..',
    '%2e%2e',
    'products%0d%0a',
    'products;',
    'x'.repeat(1_000),
    '%D8%AC%D8%AF',
    '__proto__',
    'constructor',
    'hasOwnProperty',
    'prod%252Fucts',
    '%252e',
    '-1',
    '%F0%9F%98%80',
    '{tableName}',
  ])('"%s" is answered 404 on every endpoint', async (name) => {
    const responses = await Promise.all([
      api.get(`load-table/${name}`),
      api.post(`query-table/${name}`),
      api.post(`multi-row-refetch/${name}`, { row_ids: [1] }),
      api.post(`row-refetch/${name}/1`),
    ])
    for (const response of responses) {
      expectEnvelopeOf404(response)
    }
  })

  it.each(['products%2Fmore', 'products%2F..%2Fx', '%3Fx', '%2F'])(
    '"%s" is no route once the gateway has decoded it',
    async (name) => {
      expectFailure(await api.post(`query-table/${name}`), { status: 404, code: 'route_not_found' })
    },
  )

  it('a name with an encoded "?" is the part before it, because the gateway cuts it there', async () => {
    expect((await api.get('load-table/products%3Fx=1')).json.tableName).toBe('products')
  })
})

function expectEnvelopeOf404(response: Awaited<ReturnType<typeof post>>): void {
  expect(response.status).toBe(404)
  expectFailure(response, {
    status: 404,
    code: response.json.code === 'route_not_found' ? 'route_not_found' : 'table_not_found',
  })
}
