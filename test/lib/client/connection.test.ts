import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { type ConnectionState, connect } from '../../../lib/client/connect.ts'
import { createInbox } from '../../../lib/client/inbox.ts'
import { type ClientOptions, createTableClient } from '../../../lib/client/index.ts'
import type { Message } from '../../../lib/client/job.ts'
import type { Send } from '../../../lib/client/transport.ts'
import { createFailure } from '../../support/requests/table-clients.ts'

const { signal } = new AbortController()

/** Returns the notifications up to `count` as the service pages them, the newest first. */
const notifications = (count: () => number): Send => {
  return async <T extends object>(target: string) => {
    const { searchParams } = new URL(target, 'http://service.test')
    const [limit, after, before] = ['limit', 'after', 'before'].map((name) => Number(searchParams.get(name) ?? 0))
    const ids = Array.from({ length: count() }, (_, index) => index + 1)
    const found = ids.filter((id) => id > (after ?? 0) && (!before || id < before)).toReversed()
    const items = found.slice(0, limit).map((id) => ({ id, title: `No. ${id}` }))
    return { items, next: found.length > items.length ? items.at(-1)?.id : null } as T
  }
}

it('reports every missed notification, on any number of pages, the oldest first', async () => {
  let count = 0
  const messages: Message[] = []
  const box = createInbox(
    notifications(() => count),
    'en',
    (message) => messages.push(message),
  )
  await box.catchUp(signal)
  count = 101
  await box.catchUp(signal)
  expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: 101 }, (_, index) => index + 1))
})

it('reports a notification whose message was lost, although a newer one has arrived', async () => {
  let count = 4
  const ids: unknown[] = []
  const box = createInbox(
    notifications(() => count),
    'en',
    ({ id }) => ids.push(id),
  )
  await box.catchUp(signal)
  count = 6
  box.accept({ event: 'notification', channel: 'notifications', id: 6, data: {} })
  await box.catchUp(signal)
  await box.catchUp(signal)
  expect(ids).toEqual([6, 5])
})

it.each([
  ['en', 'It failed'],
  ['ar', 'تعذر ذلك'],
] as const)('tells the failure of a job whose events are gone in the language %s', async (language, message) => {
  const messages: Message[] = []
  const job = { id: 'j', status: 'failed', done: 1, total: 2, code: 'x', errors: ['It failed', 'تعذر ذلك'] }
  const send: Send = async <T extends object>(target: string) =>
    (target.startsWith('./notifications') ? { items: [], next: null } : { job, events: [] }) as T
  const box = createInbox(send, language, (one) => messages.push(one))
  box.watch('j')
  await box.catchUp(signal)
  expect(messages).toMatchObject([{ event: 'bulk_action.failed', data: { message } }])
})

it('reconnects equally soon after each connection that opened, however many were lost before', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const timers = vi.spyOn(globalThis, 'setTimeout')
  onTestFinished(() => {
    vi.restoreAllMocks()
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const send: Send = async <T extends object>() => {
    // The client handles the response before the server closes the socket.
    setImmediate(() => setImmediate(() => server.clients.forEach((client) => void client.close())))
    return { items: [], next: null } as unknown as T
  }
  const states: ConnectionState[] = []
  const options = { baseUrl: 'http://127.0.0.1', token: () => 'token', socketUrl: `ws://127.0.0.1:${port}` }
  const connection = connect(
    send,
    options,
    createInbox(send, 'en', () => {}),
    { onState: (state) => states.push(state) },
  )
  await expect.poll(() => states.filter((state) => state === 'open').length).toBeGreaterThanOrEqual(4)
  connection.close()
  const doubled = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000]
  const pauses = timers.mock.calls.flatMap(([, ms]) => (doubled.includes(ms ?? 0) ? [ms] : []))
  expect(new Set(pauses)).toEqual(new Set([250]))
})

/** A WebSocket server and a client that opens its sockets there. */
async function startServer(options: Partial<ClientOptions> = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(() => {
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const socketUrl = `ws://127.0.0.1:${port}`
  return {
    server,
    client: createTableClient({ baseUrl: 'http://127.0.0.1', token: () => 'token', socketUrl, ...options }),
  }
}

it('lets a page refresh its own lists each time that a socket opens, in place of asking for what was missed', async () => {
  const asked: string[] = []
  const { server, client } = await startServer({
    fetch: async (input) => {
      asked.push(String(input))
      return Response.json({ items: [], next: null })
    },
  })
  let refreshed = 0
  const connection = client.connect({
    catchUp: async () => {
      refreshed += 1
      if (refreshed === 1) for (const socket of server.clients) socket.close()
    },
  })
  onTestFinished(connection.close)
  await expect.poll(() => refreshed).toBe(2)
  expect(asked).toEqual([])
})

it('stays open if its handlers throw, delivers what follows, and reports what was thrown', async () => {
  const thrown: unknown[] = []
  const run = queueMicrotask
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) =>
    run(() => {
      try {
        task()
      } catch (error) {
        thrown.push(String(error))
      }
    }),
  )
  onTestFinished(() => void vi.restoreAllMocks())
  let count = 0
  const list = notifications(() => count)
  const { server, client } = await startServer({
    fetch: async (input) => {
      const found = await list<object>(String(input))
      // The first request finds none; then two are created while the socket is lost.
      if (count === 0) setImmediate(() => setImmediate(() => server.clients.forEach((socket) => void socket.close())))
      count = 2
      return Response.json(found)
    },
  })
  const ids: unknown[] = []
  const states: ConnectionState[] = []
  const connection = client.connect({
    onMessage: ({ id }) => {
      ids.push(id)
      throw new Error(`No. ${id} cannot be shown`)
    },
    onState: (state) => {
      states.push(state)
      throw new Error(`${state} cannot be shown`)
    },
  })
  onTestFinished(connection.close)
  await expect.poll(() => ids).toEqual([1, 2])
  expect(states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open'])
  const expected = ['waiting', 'No. 1', 'No. 2'].map((name) => `Error: ${name} cannot be shown`)
  await expect.poll(() => thrown).toEqual(expect.arrayContaining(expected))
})

const catchUp = async () => {}

it('is closed from the start, and delivers nothing, if its signal has aborted before', async () => {
  const { server, client } = await startServer()
  const states: ConnectionState[] = []
  const messages: Message[] = []
  client.connect({
    catchUp,
    signal: AbortSignal.abort(),
    onState: (state) => states.push(state),
    onMessage: (message) => messages.push(message),
  })
  expect(states).toEqual(['closed'])
  const others: Message[] = []
  const other = client.connect({ catchUp, onMessage: (message) => others.push(message) })
  onTestFinished(other.close)
  const notification = { event: 'notification', channel: 'notifications', id: 1, data: {} }
  server.on('connection', (socket) => socket.send(JSON.stringify(notification)))
  await expect.poll(() => others).toEqual([notification])
  expect(messages).toEqual([])
})

it('is opened again by the function of functions/README.md although a token could not be fetched', async () => {
  const readme = await readFile(resolve(import.meta.dirname, '../../../functions/README.md'), 'utf8')
  const source = /```js\n(.*?export function listen.*?)```/s.exec(readme)?.[1] ?? ''
  const { listen } = await import(`data:text/javascript,${encodeURIComponent(source.replaceAll('500', '1'))}`)
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tokens = [Promise.reject(new Error('offline')), Promise.resolve('token')]
  let opened = 0
  const stop = listen(
    `ws://127.0.0.1:${port}`,
    () => tokens.shift(),
    () => {},
    () => {
      opened += 1
    },
  )
  onTestFinished(() => {
    stop()
    server.close()
  })
  await expect.poll(() => opened).toBe(1)
})

it('is given up if there is no token, and closed only once', async () => {
  const { client } = await startServer({ token: () => '' })
  const states: [ConnectionState, string | undefined][] = []
  const connection = client.connect({ catchUp, onState: (state, error) => states.push([state, error?.code]) })
  onTestFinished(connection.close)
  await expect.poll(() => states.at(-1)).toEqual(['closed', 'no_token'])
  connection.close()
  expect(states.map(([state]) => state)).toEqual(['connecting', 'closed'])
})

it('rejects a count whose reply does not come although the socket stays open', async () => {
  const states: ConnectionState[] = []
  const { server, client } = await startServer()
  const connection = client.connect({ catchUp, onState: (state) => states.push(state) })
  onTestFinished(connection.close)
  await expect.poll(() => states).toContain('open')
  const run = setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((done, ms) => run(done, ms === 35_000 ? 0 : ms))
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await createFailure(connection.countRows('orders'))).toMatchObject({ code: 'unreachable' })
  expect([server.clients.size, states.at(-1)]).toEqual([1, 'open'])
})

it('rejects a count whose socket is lost while the token is read', async () => {
  const states: ConnectionState[] = []
  const { server, client } = await startServer({
    token: async () => {
      if (states.includes('open')) {
        for (const socket of server.clients) socket.close()
        await expect.poll(() => states).toContain('waiting')
      }
      return 'token'
    },
  })
  const connection = client.connect({ catchUp, onState: (state) => states.push(state) })
  onTestFinished(connection.close)
  await expect.poll(() => states).toContain('open')
  expect(await createFailure(connection.countRows('orders'))).toMatchObject({ code: 'unreachable' })
})
