import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createLiveClient, type WatchState } from '../../../lib/client/live.ts'

interface Row {
  readonly id: number
  readonly text?: string
}

const rows = (...ids: number[]): readonly Row[] => ids.map((id) => ({ id }))
interface Question {
  readonly event: string
  readonly id: string
  readonly query?: { readonly page?: number }
  readonly token?: string
}

/** A WebSocket server that answers questions as a test says. */
async function startServer(answer: (message: Question) => object | undefined = () => undefined) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  const questions: { socket: WebSocket; message: Question }[] = []
  server.on('connection', (socket) => {
    socket.on('message', (text) => {
      const message: Question = JSON.parse(String(text))
      questions.push({ socket, message })
      const reply = answer(message)
      if (reply !== undefined) socket.send(JSON.stringify({ id: message.id, ...reply }))
    })
  })
  const { port } = server.address() as AddressInfo
  const started = vi.spyOn(globalThis, 'setTimeout')
  const stopped = vi.spyOn(globalThis, 'clearTimeout')
  onTestFinished(() => {
    vi.restoreAllMocks()
    for (const client of server.clients) client.terminate()
    server.close()
  })
  const readQuestion = async (count: number) => {
    const listAsked = () => questions.filter(({ message }) => message.event === 'subscribe')
    await expect.poll(() => listAsked().length).toBe(count)
    const { socket, message } = listAsked()[count - 1] as (typeof questions)[0]
    const send = (event: string, seq: number, data: object) =>
      socket.send(JSON.stringify({ event, channel: `rows:${message.id}`, id: message.id, seq, data }))
    const refuse = (code: string, more: object = {}) =>
      socket.send(JSON.stringify({ event: 'error', id: message.id, success: false, code, message: code, ...more }))
    const begin = (items: readonly Row[]) => send('rows.subscribed', 0, { items })
    return { socket, message, send, refuse, begin }
  }
  return { url: `ws://127.0.0.1:${port}`, questions, readQuestion, started, stopped }
}

function watchAt(socketUrl: string, token = () => 'token', show: (items: readonly unknown[]) => void = () => {}) {
  const client = createLiveClient({ baseUrl: 'http://127.0.0.1:9', token, socketUrl, maxAttempts: 1 })
  onTestFinished(client.close)
  const pages: (readonly unknown[])[] = []
  const states: [WatchState, string | undefined][] = []
  const { stop } = client.watch(
    'orders',
    {},
    {
      onRows: (items) => {
        show(items)
        pages.push(items)
      },
      onState: (state, error) => states.push([state, error?.code]),
    },
  )
  return { client, pages, states, stop }
}

describe('a watched page', () => {
  it('takes messages in the order of their numbers, also those that come before its first rows', async () => {
    const server = await startServer()
    const { pages } = watchAt(server.url)
    const { send, begin } = await server.readQuestion(1)
    send('rows.left', 2, { ids: [1], order: [4, 2] })
    send('rows.entered', 1, { items: [{ id: 4 }], order: [4, 1, 2] })
    begin(rows(1, 2))
    await expect.poll(() => pages).toEqual([rows(1, 2), rows(4, 1, 2), rows(4, 2)])
  })

  it('is asked for again when a number does not come, and messages of the earlier question are ignored', async () => {
    const server = await startServer()
    const { pages, states } = watchAt(server.url)
    const first = await server.readQuestion(1)
    first.begin(rows(1))
    first.send('rows.entered', 2, { items: [{ id: 2 }], order: [1, 2] })
    const second = await server.readQuestion(2)
    expect(second.message.id).not.toBe(first.message.id)
    second.begin(rows(7))
    await expect.poll(() => pages).toEqual([rows(1), rows(7)])
    first.send('rows.entered', 1, { items: [{ id: 3 }], order: [1, 3] })
    second.send('rows.entered', 1, { items: [{ id: 8 }], order: [7, 8] })
    await expect.poll(() => pages.at(-1)).toEqual(rows(7, 8))
    expect(pages).toHaveLength(3)
    expect(states.map(([state]) => state)).toEqual(['asking', 'live'])
    const ended = server.questions.filter(({ message }) => message.event === 'unsubscribe')
    expect(ended.map(({ message }) => message.id)).toEqual([first.message.id])
  })

  it('goes on after a moment when the service is unavailable, and ends when it is forbidden', async () => {
    const server = await startServer()
    const { states } = watchAt(server.url)
    const first = await server.readQuestion(1)
    first.refuse('unavailable', { retry_after: 0 })
    const second = await server.readQuestion(2)
    second.refuse('forbidden')
    await expect.poll(() => states.at(-1)).toEqual(['ended', 'forbidden'])
  })

  it('leaves its place to its next question where a socket has as many pages as it may', async () => {
    const server = await startServer()
    const { states, pages } = watchAt(server.url)
    const first = await server.readQuestion(1)
    first.begin(rows(1))
    first.send('rows.stale', 1, { reason: 'too_many' })
    const second = await server.readQuestion(2)
    second.refuse('too_many_requests')
    const third = await server.readQuestion(3)
    const ended = server.questions.filter(({ message }) => message.event === 'unsubscribe')
    expect(ended.map(({ message }) => message.id)).toEqual([first.message.id])
    third.begin(rows(2))
    await expect.poll(() => pages).toEqual([rows(1), rows(2)])
    expect(states.map(([state]) => state)).toEqual(['asking', 'live', 'asking', 'live'])
  })

  it('keeps its place while a full socket is renewed, and one beyond waits until a page is stopped', async () => {
    const places = new Set<string>()
    const server = await startServer(({ event, id }) => {
      if (event === 'unsubscribe') return places.delete(id) ? { event: 'rows.unsubscribed' } : undefined
      if (places.size === 20) return { event: 'error', success: false, code: 'too_many_requests', message: 'Full' }
      places.add(id)
      return { event: 'rows.subscribed', seq: 0, data: { items: rows(1) } }
    })
    const client = createLiveClient({ baseUrl: 'http://127.0.0.1:9', token: () => 'token', socketUrl: server.url })
    onTestFinished(client.close)
    const states: WatchState[] = []
    const pages = Array.from({ length: 21 }, (_, at) =>
      client.watch('orders', { page: at + 1 }, { onRows: () => {}, onState: (state) => (states[at] = state) }),
    )
    const isFull = () => states.every((state, at) => state === (at < 20 ? 'live' : 'asking'))
    const countLast = () => server.questions.filter(({ message }) => message.query?.page === 21).length
    await expect.poll(isFull).toBe(true)
    await expect.poll(countLast).toBe(1)
    for (let renewal = 0; renewal < 2; renewal += 1) {
      const before = [...places]
      server.started.mock.calls.findLast(([, ms]) => ms === 240_000)?.[0]()
      await expect.poll(() => before.some((id) => places.has(id)) || places.size < 20 || !isFull()).toBe(false)
    }
    expect(countLast()).toBe(1)
    pages[0]?.stop()
    await expect.poll(() => states[20]).toBe('live')
  })

  it('leaves the place of a question whose page could not be read', async () => {
    const server = await startServer()
    const { states } = watchAt(server.url)
    const first = await server.readQuestion(1)
    first.send('rows.subscribed', 0, {})
    const second = await server.readQuestion(2)
    const ended = server.questions.filter(({ message }) => message.event === 'unsubscribe')
    expect(ended.map(({ message }) => message.id)).toEqual([first.message.id])
    second.begin(rows(1))
    await expect.poll(() => states.map(([state]) => state)).toEqual(['asking', 'live'])
  })

  it('is asked for after pauses that grow while the service refuses it, from the first question on', async () => {
    const server = await startServer()
    vi.spyOn(Math, 'random').mockReturnValue(0)
    watchAt(server.url)
    const read = () =>
      server.started.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => [500, 1_000, 2_000].includes(ms))
    for (const count of [1, 2, 3]) (await server.readQuestion(count)).refuse('unavailable')
    await expect.poll(read).toEqual([500, 1_000, 2_000])
  })

  it('keeps its place when the caller has asked too often', async () => {
    const server = await startServer()
    const { pages } = watchAt(server.url)
    const first = await server.readQuestion(1)
    first.begin(rows(1))
    first.send('rows.entered', 2, { items: [{ id: 2 }], order: [1, 2] })
    const second = await server.readQuestion(2)
    second.refuse('too_many_requests', { retry_after: 5 })
    first.send('rows.entered', 1, { items: [{ id: 3 }], order: [1, 3] })
    await expect.poll(() => pages).toEqual([rows(1), rows(1, 3), rows(1, 2)])
    expect(server.questions.filter(({ message }) => message.event === 'unsubscribe')).toEqual([])
  })

  it('asks once more on a new socket, with a new token, when a page that was live is forbidden', async () => {
    const server = await startServer()
    let token = 'first'
    const { states } = watchAt(server.url, () => token)
    const first = await server.readQuestion(1)
    first.begin(rows(1))
    await expect.poll(() => states.at(-1)).toEqual(['live', undefined])
    token = 'second'
    first.send('rows.stale', 1, { reason: 'unsent' })
    ;(await server.readQuestion(2)).refuse('forbidden')
    const { socket, message, refuse } = await server.readQuestion(3)
    expect([socket === first.socket, message.token]).toEqual([false, 'second'])
    refuse('forbidden')
    await expect.poll(() => states.at(-1)).toEqual(['ended', 'forbidden'])
    expect(states.map(([state]) => state)).toEqual(['asking', 'live', 'asking', 'ended'])
  })

  it('is asked for again when its token could not be fetched, and ends when there is none', async () => {
    const server = await startServer()
    let next: () => string = () => 'token'
    const { states, pages } = watchAt(server.url, () => next())
    const first = await server.readQuestion(1)
    first.begin(rows(1))
    await expect.poll(() => pages).toEqual([rows(1)])
    next = () => {
      next = () => 'token'
      throw new Error('offline')
    }
    first.send('rows.stale', 1, { reason: 'unsent' })
    const again = await server.readQuestion(2)
    again.begin(rows(2))
    await expect.poll(() => pages).toEqual([rows(1), rows(2)])
    next = () => ''
    again.send('rows.stale', 1, { reason: 'unsent' })
    await expect.poll(() => states.at(-1)).toEqual(['ended', 'no_token'])
  })

  it('ends with the reason that the service gives', async () => {
    const server = await startServer()
    const { states, pages } = watchAt(server.url)
    const { begin, send } = await server.readQuestion(1)
    begin(rows(1))
    send('rows.ended', 1, { success: false, code: 'forbidden', errors: ['No', 'لا'], message: 'No' })
    await expect.poll(() => states.at(-1)).toEqual(['ended', 'forbidden'])
    expect(pages).toEqual([rows(1)])
  })

  it('goes on if its handler throws, and reports what was thrown', async () => {
    const thrown: unknown[] = []
    const run = queueMicrotask
    vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((task) =>
      run(() => {
        try {
          task()
        } catch (error) {
          thrown.push(error)
        }
      }),
    )
    const server = await startServer()
    const { pages, states } = watchAt(server.url, undefined, (items) => {
      if (items.length === 1) throw new Error('It cannot be shown')
    })
    const { send, begin } = await server.readQuestion(1)
    send('rows.entered', 1, { items: [{ id: 2 }], order: [1, 2] })
    begin(rows(1))
    await expect.poll(() => pages).toEqual([rows(1, 2)])
    expect(states).toEqual([
      ['asking', undefined],
      ['live', undefined],
    ])
    expect(thrown).toEqual([new Error('It cannot be shown')])
  })

  it('takes the socket that a page which was stopped has asked for', async () => {
    const server = await startServer()
    const tickets: (() => void)[] = []
    const client = createLiveClient({
      baseUrl: 'http://127.0.0.1:9',
      token: () => 'token',
      fetch: (_, init) =>
        new Promise((resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
          tickets.push(() => resolve(Response.json({ url: server.url })))
        }),
    })
    onTestFinished(client.close)
    const first = client.watch('orders', {}, { onRows: () => {} })
    await expect.poll(() => tickets.length).toBe(1)
    first.stop()
    const states: [WatchState, string | undefined][] = []
    client.watch('orders', {}, { onRows: () => {}, onState: (state, error) => states.push([state, error?.code]) })
    for (const release of tickets) release()
    await expect.poll(() => states.length).toBeGreaterThan(0)
    const { begin } = await server.readQuestion(1)
    begin(rows(1))
    await expect.poll(() => states.at(-1)).toEqual(['live', undefined])
    expect(states.map(([state]) => state)).toEqual(['asking', 'live'])
  })

  it.each([
    ['rows', ['asking', 'rows', 'ended']],
    ['rows.entered', ['asking', 'rows', 'live', 'rows.entered', 'ended']],
    ['rows.stale', ['asking', 'rows', 'live', 'rows.entered', 'rows', 'rows.stale', 'ended']],
  ])('calls nothing but its last state once its handler of %s has stopped it', async (handler, expected) => {
    const server = await startServer()
    const client = createLiveClient({ baseUrl: 'http://127.0.0.1:9', token: () => 'token', socketUrl: server.url })
    onTestFinished(client.close)
    const calls: string[] = []
    const call = (name: string) => {
      calls.push(name)
      if (name === handler) stop()
    }
    const { stop } = client.watch(
      'orders',
      {},
      { onRows: () => call('rows'), onMessage: ({ event }) => call(event), onState: (state) => call(state) },
    )
    const { begin, send } = await server.readQuestion(1)
    begin(rows(1))
    send('rows.entered', 1, { items: [{ id: 2 }], order: [1, 2] })
    send('rows.stale', 2, { reason: 'too_many' })
    await expect.poll(() => server.questions.map(({ message }) => message.event)).toEqual(['subscribe', 'unsubscribe'])
    expect(calls).toEqual(expected)
  })

  it('opens another socket if it is watched after the client was closed', async () => {
    const server = await startServer()
    const { client, states } = watchAt(server.url)
    const first = await server.readQuestion(1)
    first.begin(rows(1))
    await expect.poll(() => states.at(-1)).toEqual(['live', undefined])
    client.close()
    expect(states.at(-1)).toEqual(['ended', undefined])
    const pages: (readonly unknown[])[] = []
    client.watch('orders', {}, { onRows: (items) => pages.push(items) })
    const second = await server.readQuestion(2)
    expect(second.socket).not.toBe(first.socket)
    second.begin(rows(2))
    await expect.poll(() => pages).toEqual([rows(2)])
    await expect.poll(() => first.socket.readyState).toBe(first.socket.CLOSED)
  })

  it('opens no other socket if its own is lost after its last page was stopped', async () => {
    const server = await startServer()
    let tokens = 0
    const { stop } = watchAt(server.url, () => `token-${++tokens}`)
    const { socket } = await server.readQuestion(1)
    stop()
    const before = tokens
    socket.close()
    await once(socket, 'close')
    watchAt(server.url)
    await server.readQuestion(2)
    expect(tokens).toBe(before)
  })

  it('has the actions of its rows that its structure knows, also where a deployment has added another', async () => {
    const server = await startServer()
    const client = createLiveClient({ baseUrl: 'http://127.0.0.1:9', token: () => 'token', socketUrl: server.url })
    onTestFinished(client.close)
    const structure = { rowActions: { flag: { label: 'Flag', url_template: { api: '/api/flag/{id}' } } } } as never
    const pages: (readonly unknown[])[] = []
    client.watch('orders', {}, { structure, onRows: (items) => pages.push(items) })
    const { begin } = await server.readQuestion(1)
    begin([{ id: 1, row: { path_id: '1', actions: { flag: {}, archive: {} } } } as Row])
    const actions = { flag: { label: 'Flag', action: { api: '/api/flag/1' } } }
    await expect.poll(() => pages).toEqual([[{ id: 1, row: { path_id: '1', actions }, actions }]])
  })

  it.each([
    ['a life of an hour', { iat: -7_200, exp: -3_600 }, 240_000],
    ['a life of two minutes', { iat: -7_200, exp: -7_080 }, 90_000],
    ['no known life', { iat: undefined, exp: -3_600 }, 240_000],
    ['a life that has not ended', { iat: -60, exp: 61 }, 31_000],
  ])(
    'renews its socket before a token expires, whose life begins now if the clock is ahead: %s',
    async (_, { iat, exp }, expected) => {
      const server = await startServer()
      vi.spyOn(Date, 'now').mockReturnValue(Date.now())
      const at = (seconds: number | undefined) => seconds && Date.now() / 1_000 + seconds
      const claims = Buffer.from(JSON.stringify({ iat: at(iat), exp: at(exp) })).toString('base64url')
      watchAt(server.url, () => `e30.${claims}.s`)
      await server.readQuestion(1)
      expect(server.started.mock.calls.some(([, ms = 0]) => Math.abs(ms - expected) < 1_000)).toBe(true)
    },
  )

  it('leaves no timer behind when it is stopped and the client is closed', async () => {
    const server = await startServer()
    const { client, stop, states } = watchAt(server.url)
    const { begin, send } = await server.readQuestion(1)
    begin(rows(1))
    await expect.poll(() => states.at(-1)).toEqual(['live', undefined])
    send('rows.entered', 5, { items: [], order: [1] })
    const own = () => server.started.mock.calls.flatMap(([, ms], at) => (ms === 1_000 || ms === 240_000 ? [at] : []))
    await expect.poll(() => own().map((at) => server.started.mock.calls[at]?.[1])).toEqual([240_000, 1_000])
    stop()
    client.close()
    const timers = own().map((at) => server.started.mock.results[at]?.value)
    await expect
      .poll(() => {
        const cleared = new Set(server.stopped.mock.calls.map(([timer]) => timer as unknown))
        return timers.every((timer) => cleared.has(timer))
      })
      .toBe(true)
  })
})
