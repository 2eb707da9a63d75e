import { expect, it, onTestFinished, vi } from 'vitest'
import { createTableClient } from '../../../lib/client/index.ts'
import { createFailure } from '../../support/requests/table-clients.ts'

/** A client of a server whose responses are these, one after the other. Timers end as soon as they begin. */
function createClient(...responses: readonly Response[]) {
  vi.stubGlobal('setTimeout', (done: () => void) => queueMicrotask(done))
  onTestFinished(() => void vi.unstubAllGlobals())
  const asked: string[] = []
  const fetch = async (input: unknown) => {
    asked.push(String(input))
    return responses[asked.length - 1] ?? new Response('', { status: 404 })
  }
  return { asked, client: createTableClient({ baseUrl: 'https://tables.test', token: () => 'token', fetch }) }
}

const link = { url: 'https://files.test/a' }

const createLostFile = () => {
  const start = (stream: ReadableStreamDefaultController<Uint8Array>) => {
    stream.enqueue(new TextEncoder().encode('id\n'))
    stream.error(new TypeError('terminated'))
  }
  return new Response(new ReadableStream({ start }))
}

it('a file is fetched again if its end is lost or the storage is unavailable', async () => {
  const unavailable = new Response('<Error/>', { status: 503, headers: { 'retry-after': '0' } })
  const { client, asked } = createClient(createLostFile(), unavailable, new Response('id\n1\n'))
  expect(await (await client.download(link)).blob.text()).toBe('id\n1\n')
  expect(asked).toHaveLength(3)
})

it('a file is fetched three times at most, and once if its link is refused', async () => {
  const lost = createClient(createLostFile(), createLostFile(), createLostFile(), new Response(''))
  expect(await createFailure(lost.client.download(link))).toMatchObject({ code: 'unreachable' })
  const refused = createClient(new Response('<Error/>', { status: 403 }), new Response(''))
  expect(await createFailure(refused.client.download(link))).toMatchObject({ code: 'bad_response', status: 403 })
  expect([lost.asked.length, refused.asked.length]).toEqual([3, 1])
})

it.each([
  [`attachment; filename="_.csv"; filename*=UTF-8''%D8%A7.csv`, 'ا.csv'],
  [`attachment; filename*=UTF-8''100%.csv`, 'download'],
  [`attachment; filename*=UTF-8''%D8.csv`, 'download'],
  ['attachment', 'download'],
])('a file is downloaded also if its name cannot be read: %s', async (disposition, expected) => {
  const headers = { 'content-disposition': disposition }
  const { client } = createClient(new Response('id\n1\n', { headers }))
  const { blob, fileName } = await client.download(link)
  expect([fileName, await blob.text()]).toEqual([expected, 'id\n1\n'])
})
