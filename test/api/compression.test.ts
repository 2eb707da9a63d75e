import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { products } from '../support/fixtures/fixture-schema.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'

const heavy = (name: string, text: string) =>
  defineFixture({
    name,
    from: products,
    key: 'id',
    scope: everyRow,
    computed: { text: sql<string>`${sql.raw(text)}` },
    columns: { text: { label: 'Text', type: 'text' } },
    rowActions: { look: { run: () => {}, bulk: true } },
  })

const goods = defineFixture({
  name: 'goods',
  from: products,
  key: 'id',
  scope: everyRow,
  computed: { text: sql<string>`repeat('word ', 100)` },
  columns: { name: { label: 'Name' }, text: { label: 'Text', type: 'text' } },
  bulkActions: { csv: { export: 'csv', deliver: 'file' }, excel: { export: 'excel', deliver: 'file' } },
})

const registry = createRegistry(
  [
    goods,
    heavy('repeated', `repeat('é"', 100000)`),
    // Digests hardly shrink: what they fill cannot be delivered in any form.
    heavy(
      'random',
      `(select string_agg(sha512(random()::text::bytea)::text, '') from generate_series(1, 5000) where products.id > 0)`,
    ),
  ],
  { claims: fixtureClaims },
)
const api = await startFixtureApi()
const own = api.variant({}, registry)

const accepting = (acceptEncoding: string) => ({ headers: { 'accept-encoding': acceptEncoding } })

const page = (acceptEncoding: string) => api.post('query-table/products', {}, accepting(acceptEncoding))

describe('a response of more than 1 KB', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['br;q=0.1, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, gzip;q=0', 'br'],
    ['identity;q=0, gzip', 'gzip'],
    ['identity, br;q=0.5', undefined],
    ['identity', undefined],
    ['zstd, x-unknown', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=nonsense', undefined],
    ['identity;q=0', undefined],
    ['*;q=0', undefined],
    ['', undefined],
    [';;,"=', undefined],
    [`${'x,'.repeat(4_000)}br`, undefined],
  ])('is sent to a client that accepts "%s" as %s', async (accepted, coding) => {
    const { status, headers, json } = await page(accepted)
    expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, coding, 'accept-encoding'])
    expect(json.items).toHaveLength(20)
  })

  it('is sent as it is to a client that says nothing', async () => {
    const { headers, bytes, text } = await api.post('query-table/products')
    expect(headers).not.toHaveProperty('content-encoding')
    expect(Buffer.from(bytes).toString()).toBe(text)
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('holds the same bytes behind %s', async (coding, decompress) => {
    const path = 'load-table/products'
    const [plain, compressed] = await Promise.all([api.get(path), api.get(path, accepting(coding))])
    expect(decompress(compressed.bytes).equals(plain.bytes)).toBe(true)
    expect(compressed.bytes.length * 3).toBeLessThan(plain.bytes.length)
  })

  it('is compressed where it is a failure, too', async () => {
    const sorts = Array.from({ length: 40 }, () => ({ field: 5 }))
    const failure = await api.post('query-table/products', { sorts }, accepting('gzip'))
    expectFailure(failure, { status: 422, code: 'validation_failed' })
    expect(failure.headers['content-encoding']).toBe('gzip')
  })

  it.each([
    ['a text file', 'csv', 'br'],
    ['a workbook, which is compressed already', 'excel', undefined],
  ])('is %s', async (_, action, coding) => {
    const { status, headers } = await own.post(`bulk-table-action/goods/${action}`, {}, accepting('br'))
    expect([status, headers['content-encoding']]).toEqual([200, coding])
  })
})

describe('a response of less than 1 KB', () => {
  const failure = (acceptEncoding: string) =>
    api.get('load-table/nothing', { headers: { 'accept-encoding': acceptEncoding } })

  it('is not compressed', async () => {
    const { headers } = await failure('br, gzip')
    expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, 'accept-encoding'])
  })

  it.each(['gzip, identity;q=0', 'gzip, *;q=0'])(
    'is compressed for a client that refuses all else: %s',
    async (accepted) => {
      expect((await failure(accepted)).headers['content-encoding']).toBe('gzip')
    },
  )
})

describe('the tag of a structure', () => {
  it('is the same in every encoding, and 304 in each', async () => {
    const encodings = ['', 'br', 'gzip'].map((coding) => ({ 'accept-encoding': coding }))
    const tags = await Promise.all(
      encodings.map(async (headers) => (await api.get('load-table/products', { headers })).headers['etag'] ?? ''),
    )
    expect(new Set(tags).size).toBe(1)
    for (const headers of encodings) {
      const held = { ...headers, 'if-none-match': tags[0]?.replace('W/', '') ?? '' }
      const { status, headers: sent, bytes } = await api.get('load-table/products', { headers: held })
      expect([status, bytes.length, sent['content-encoding']]).toEqual([304, 0, undefined])
      expect(sent['vary']).toContain('accept-encoding')
    }
  })
})

describe('the 6 MB of a Lambda function', () => {
  it.each(['br', 'gzip'])('are counted after compression by %s', async (coding) => {
    const response = await own.post('query-table/repeated', {}, accepting(coding))
    expect([response.status, response.json.items.length]).toEqual([200, 20])
    expectFailure(await own.post('query-table/repeated'), { status: 422, code: 'response_too_large' })
  })

  it('are too few for rows that do not shrink', async () => {
    const refused = await own.post('query-table/random', {}, accepting('br'))
    expectFailure(refused, { status: 422, code: 'response_too_large' })
  })

  it('take the rows of an action on several rows for a client that accepts compression', async () => {
    const { items } = (await api.post('query-table/products')).json
    const ids = items.map(({ id }: { id: number }) => id)
    const act = (headers: Readonly<Record<string, string>>) =>
      own.post('row-bulk-table-action/repeated/look', { selected_ids: ids }, { headers })
    const compressed = await act({ 'accept-encoding': 'br' })
    const plain = await act({})
    expect(compressed.json.items).toHaveLength(ids.length)
    expect([plain.status, plain.json.items, plain.json.onSuccess]).toEqual([200, [], 'reload'])
  })
})
