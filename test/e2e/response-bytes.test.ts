import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DemoStack, startDemoStack } from '../support/stack/demo-stack.ts'

const boss = { sub: 'boss', role: 'supervisor' }

let stack: DemoStack

beforeAll(async () => {
  stack = await startDemoStack()
}, 120_000)
afterAll(() => stack?.stop())

/** A request whose response is taken as it travels. */
function open(path: string, body: object, acceptEncoding?: string) {
  const url = `${stack.facts().base_url}/api/api-table/control-tables/${path}`
  const sent = request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.createToken(boss)}`,
      'content-type': 'application/json',
      ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
    },
  })
  sent.end(JSON.stringify(body))
  return sent
}

function post(path: string, body: object, acceptEncoding?: string) {
  return new Promise<{ readonly status: number; readonly bytes: Buffer; readonly coding: string | undefined }>(
    (resolve, reject) => {
      const sent = open(path, body, acceptEncoding)
      sent.on('error', reject)
      sent.on('response', async (response) => {
        const bytes = Buffer.concat(await response.toArray())
        resolve({ status: response.statusCode ?? 0, bytes, coding: response.headers['content-encoding'] })
      })
    },
  )
}

const listRows = (bytes: Buffer) => JSON.parse(bytes.toString()).items.length

describe('a page of bird strikes', () => {
  it.each([
    [20, 'br', {}, 6_000],
    [20, 'gzip', {}, 8_000],
    [100, 'br', {}, 25_000],
    [20, undefined, { row_actions: 'keys' }, 12_000],
    [20, 'br', { row_actions: 'keys' }, 2_500],
  ])('a page with %d rows, sent as %s with %j, has at most %d bytes', async (perPage, coding, keys, maxBytes) => {
    const { status, bytes, coding: sent } = await post('query-table/bird_strikes', { perPage, ...keys }, coding)
    expect([status, sent]).toEqual([200, coding])
    const decompress = { br: brotliDecompressSync, gzip: gunzipSync }[coding ?? '']
    expect(listRows(decompress?.(bytes) ?? bytes)).toBe(perPage)
    expect(bytes.length).toBeLessThanOrEqual(maxBytes)
  })
})

const readIds = async (count: number) => {
  const rows = await stack.sql()`select id from bird_strikes where not archived order by id limit ${count}`
  return { row_ids: rows.map(({ id }) => Number(id)) }
}

it('1,000 bird strikes are delivered to a client that accepts compression', async () => {
  const body = await readIds(1_000)
  const plain = await post('multi-row-refetch/bird_strikes', body)
  expect([plain.status, JSON.parse(plain.bytes.toString()).code]).toEqual([422, 'response_too_large'])
  const compressed = await post('multi-row-refetch/bird_strikes', body, 'gzip, br')
  expect([compressed.status, listRows(brotliDecompressSync(compressed.bytes))]).toEqual([200, 1_000])
})

it('a client that breaks off leaves the service as it was', async () => {
  // Enough to be compressed in a thread of the pool.
  const body = await readIds(300)
  for (let count = 0; count < 20; count += 1) {
    const sent = open('multi-row-refetch/bird_strikes', body, 'br')
    sent.on('error', () => {})
    await new Promise<void>((resolve) => {
      sent.on('finish', () => setImmediate(resolve))
    })
    sent.destroy()
  }
  const { status, bytes } = await post('query-table/bird_strikes', {}, 'br')
  expect([status, listRows(brotliDecompressSync(bytes))]).toEqual([200, 20])
})
