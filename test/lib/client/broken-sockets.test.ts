import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { type ConnectionState, createTableClient } from '../../../lib/client/index.ts'
import type { Message } from '../../../lib/client/job.ts'
import { createLiveClient, type WatchState } from '../../../lib/client/live.ts'

/** A WebSocket server that answers so many questions with one row. `onSocket` is called with each socket. */
async function startServer(
  onSocket: (socket: WebSocket, number: number) => void,
  maxReplies = Number.POSITIVE_INFINITY,
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  let count = 0
  let replies = 0
  server.on('connection', (socket) => {
    count += 1
    onSocket(socket, count)
    socket.on('message', (text) => {
      const { event, id } = JSON.parse(String(text))
      if (event !== 'subscribe') return
      replies += 1
      if (replies <= maxReplies)
        socket.send(JSON.stringify({ event: 'rows.subscribed', id, data: { items: [{ id: 1 }] } }))
    })
  })
  onTestFinished(() => {
    vi.restoreAllMocks()
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { baseUrl: 'http://127.0.0.1:9', token: () => 'token', socketUrl: `ws://127.0.0.1:${port}` }
}

type Options = Awaited<ReturnType<typeof startServer>>

function connectTo(options: Options) {
  const states: ConnectionState[] = []
  const messages: Message[] = []
  const connection = createTableClient(options).connect({
    catchUp: async () => {},
    onState: (state) => states.push(state),
    onMessage: (message) => messages.push(message),
  })
  onTestFinished(connection.close)
  return { connection, states, messages }
}

function watchAt(options: Options) {
  const client = createLiveClient(options)
  onTestFinished(client.close)
  const states: WatchState[] = []
  const pages: (readonly unknown[])[] = []
  client.watch('orders', {}, { onRows: (items) => pages.push(items), onState: (state) => states.push(state) })
  return { states, pages }
}

describe('a socket on a network that became silent', () => {
  /** The first socket hears nothing more, not even that it is closed. */
  const startSilentServer = () => startServer((socket, number) => number === 1 && socket.pause())

  it('is replaced if a ping of the connection is not answered', async () => {
    const pings = vi.spyOn(globalThis, 'setInterval')
    const run = setTimeout
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((done, ms) => run(done, ms === 15_000 ? 0 : ms))
    const { states } = connectTo(await startSilentServer())
    await expect.poll(() => states).toEqual(['connecting', 'open'])
    pings.mock.calls.find(([, ms]) => ms === 240_000)?.[0]()
    await expect.poll(() => states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open'])
  })

  it('leaves no timer behind when the connection is closed', async () => {
    const started = vi.spyOn(globalThis, 'setInterval')
    const stopped = vi.spyOn(globalThis, 'clearInterval')
    const { connection, states } = connectTo(await startSilentServer())
    await expect.poll(() => states).toContain('open')
    expect(started.mock.calls.map(([, ms]) => ms)).toContain(240_000)
    connection.close()
    const ping = started.mock.results[started.mock.calls.findIndex(([, ms]) => ms === 240_000)]?.value
    await expect.poll(() => stopped.mock.calls).toContainEqual([ping])
  })

  it('is replaced if the question of a watched page is not answered', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const { states } = watchAt(await startSilentServer())
    await expect.poll(() => timers.mock.calls.map(([, ms]) => ms)).toContain(35_000)
    timers.mock.calls.find(([, ms]) => ms === 35_000)?.[0]()
    await expect.poll(() => states).toEqual(['asking', 'live'])
  })
})

describe('frames that are no messages', () => {
  const sendFrames = (socket: WebSocket) => {
    for (const frame of ['{"event":', 'null', '5', Buffer.from('frame')]) socket.send(frame)
  }

  it('are ignored by a connection, which delivers what follows', async () => {
    const notification = { event: 'notification', channel: 'notifications', id: 1, data: {} }
    const { messages } = connectTo(
      await startServer((socket) => {
        sendFrames(socket)
        socket.send(JSON.stringify(notification))
      }),
    )
    await expect.poll(() => messages).toEqual([notification])
  })

  it('are ignored by a watched page', async () => {
    const { states } = watchAt(await startServer(sendFrames))
    await expect.poll(() => states).toEqual(['asking', 'live'])
  })
})

it('a frame that came twice leaves the time limit of the next question of a watched page', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const stopped = vi.spyOn(globalThis, 'clearTimeout')
  const ids: string[] = []
  const repeatFirst = (socket: WebSocket) => {
    socket.on('message', (text) => {
      const { event, id } = JSON.parse(String(text))
      if (event === 'subscribe') ids.push(id)
      if (ids.length !== 2) return
      const send = (frame: object) => socket.send(JSON.stringify({ id: ids[0], ...frame }))
      send({ event: 'rows.subscribed', data: { items: [{ id: 1 }] } })
      send({ event: 'rows.entered', seq: 1, data: { items: [{ id: 2 }], order: [1, 2] } })
    })
  }
  const { states, pages } = watchAt(await startServer(repeatFirst, 1))
  await expect.poll(() => states.at(-1)).toBe('live')
  timers.mock.calls.findLast(([, ms]) => ms === 240_000)?.[0]()
  await expect.poll(() => pages.at(-1)).toEqual([{ id: 1 }, { id: 2 }])
  const limit = timers.mock.results[timers.mock.calls.findLastIndex(([, ms]) => ms === 35_000)]?.value
  expect(stopped.mock.calls).not.toContainEqual([limit])
})
