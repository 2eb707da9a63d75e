import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { createTableClient } from '../../../lib/client/index.ts'
import { createLiveClient } from '../../../lib/client/live.ts'

const createPage = (status: number) =>
  new Response('<html>Sign in to this network</html>', { status, headers: { 'content-type': 'text/html' } })

/** A `fetch` whose first response is the page of a proxy; the others are of the service. */
const behindProxy = (status: number, body: object): typeof fetch => {
  let count = 0
  return async () => (count++ === 0 ? createPage(status) : Response.json(body))
}

const options = { baseUrl: 'https://tables.test', token: () => 'token' }

describe.each([200, 403])('the page of a proxy with the status %i', (status) => {
  /** Options of a client whose first ticket a proxy refuses. */
  const startServer = async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    onTestFinished(() => {
      vi.restoreAllMocks()
      for (const client of server.clients) client.terminate()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    return { ...options, fetch: behindProxy(status, { url: `ws://127.0.0.1:${port}` }) }
  }

  it('does not end a job that is followed', async () => {
    vi.stubGlobal('setTimeout', (done: () => void) => queueMicrotask(done))
    onTestFinished(() => void vi.unstubAllGlobals())
    const job = { id: 'j', status: 'succeeded', done: 1, total: 1 }
    const client = createTableClient({ ...options, fetch: behindProxy(status, { job }) })
    expect(await client.job('j').done()).toEqual(job)
  })

  it('does not end a connection', async () => {
    const states: [string, string | undefined][] = []
    const connection = createTableClient(await startServer()).connect({
      catchUp: async () => {},
      onState: (state, error) => states.push([state, error?.code]),
    })
    onTestFinished(connection.close)
    await expect.poll(() => states.at(-1)).toEqual(['open', undefined])
    expect(states[1]).toEqual(['waiting', 'bad_response'])
  })

  it('does not end a watched page', async () => {
    const states: [string, string | undefined][] = []
    const live = createLiveClient(await startServer())
    onTestFinished(live.close)
    live.watch('orders', {}, { onRows: () => {}, onState: (state, error) => states.push([state, error?.code]) })
    await expect.poll(() => states.length).toBe(3)
    expect(states.slice(1)).toEqual([
      ['lost', 'bad_response'],
      ['asking', undefined],
    ])
  })
})
