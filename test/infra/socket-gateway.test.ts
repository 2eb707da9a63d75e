import { createConnection } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SocketEvent } from '../../infra/local/gateway/socket-event.ts'
import { type SocketGatewayOptions, startSocketGateway } from '../../infra/local/gateway/socket-gateway.ts'
import type { LambdaHandler } from '../../infra/local/lambda/local-function.ts'
import { waitFor } from '../support/run/patience.ts'
import { manageSockets, openSocket } from '../support/sockets/socket-client.ts'

type Handlers = Partial<Record<'$connect' | '$disconnect' | '$default', LambdaHandler<SocketEvent>>>

/** A gateway that notes every event, until the test ends. */
async function serveSockets(handlers: Handlers = {}, options: Partial<SocketGatewayOptions> = {}) {
  const events: SocketEvent[] = []
  const target = (route: keyof Handlers) => ({
    name: `socket ${route}`,
    handler: (...[event, context]: Parameters<LambdaHandler<SocketEvent>>) => {
      events.push(event)
      return (handlers[route] ?? (() => ({ statusCode: 200 })))(event, context)
    },
  })
  const routes = { $connect: target('$connect'), $disconnect: target('$disconnect'), $default: target('$default') }
  const gateway = await startSocketGateway({ routes, ...options })
  onTestFinished(gateway.stop)
  const only = () => gateway.connectionIds()[0] ?? ''
  return { ...gateway, events, only, manage: manageSockets(gateway.managementEndpoint) }
}

const eventTypes = (events: readonly SocketEvent[]) => events.map(({ requestContext }) => requestContext.eventType)

describe('$connect', () => {
  it('gets the handshake and decides', async () => {
    const { url, events, only } = await serveSockets()
    await openSocket(`${url}?ticket=a&ticket=b`, [], { headers: { 'X-One': '1' } })
    expect(events).toMatchObject([
      {
        headers: { 'X-One': '1', Upgrade: 'websocket' },
        multiValueHeaders: { 'X-One': ['1'] },
        queryStringParameters: { ticket: 'b' },
        multiValueQueryStringParameters: { ticket: ['a', 'b'] },
        requestContext: { routeKey: '$connect', eventType: 'CONNECT', connectionId: only(), stage: 'local' },
        isBase64Encoded: false,
      },
    ])
  })

  it.each([401, 403, 429])('refuses with %i', async (statusCode) => {
    const { url, connectionIds, events } = await serveSockets({ $connect: () => ({ statusCode }) })
    await expect(openSocket(url)).rejects.toThrow(`refused: ${statusCode}`)
    expect([connectionIds(), eventTypes(events)]).toEqual([[], ['CONNECT']])
  })

  it.each<[string, LambdaHandler<SocketEvent>]>([
    ['throws', () => Promise.reject(new Error('on purpose'))],
    ['returns nothing', () => undefined],
  ])('refuses with 502 when its function %s', async (_what, $connect) => {
    const { url } = await serveSockets({ $connect })
    await expect(openSocket(url)).rejects.toThrow('refused: 502')
  })

  it('chooses one of the protocols that the client offers', async () => {
    const $connect = () => ({ statusCode: 200, headers: { 'Sec-WebSocket-Protocol': 'table-control' } })
    const { url, events } = await serveSockets({ $connect })
    const { socket } = await openSocket(url, ['table-control', 'token.abc'])
    expect(socket.protocol).toBe('table-control')
    expect(events[0]?.headers).toMatchObject({ 'Sec-WebSocket-Protocol': 'table-control,token.abc' })
  })

  it('refuses any other path than that of its stage', async () => {
    const { url, events } = await serveSockets()
    await expect(openSocket(url.replace('/local', '/other'))).rejects.toThrow('refused: 403')
    expect(events).toEqual([])
  })
})

describe('a message', () => {
  it('reaches $default as text, regardless of what $default returns', async () => {
    const { url, events, only } = await serveSockets({ $default: () => ({ statusCode: 200, body: 'ignored' }) })
    const { socket, received } = await openSocket(url)
    socket.send('žluť')
    await waitFor(() => expect(events).toHaveLength(2))
    expect(events[1]).toMatchObject({
      body: 'žluť',
      requestContext: { routeKey: '$default', eventType: 'MESSAGE', connectionId: only() },
    })
    expect(received).toEqual([])
  })

  it('is answered with an error when $default throws', async () => {
    const onFailure = vi.fn()
    const { url, only } = await serveSockets({ $default: () => Promise.reject(new Error('secret')) }, { onFailure })
    const { socket, received } = await openSocket(url)
    socket.send('x')
    await waitFor(() => expect(received).toHaveLength(1))
    expect(JSON.parse(received[0] ?? '')).toMatchObject({ message: 'Internal server error', connectionId: only() })
    expect(onFailure).toHaveBeenCalledWith('socket $default', new Error('secret'))
  })

  const frame = 32 * 1024

  it('may have 128 KB in frames of 32 KB', async () => {
    const { url, events } = await serveSockets()
    const { socket } = await openSocket(url)
    const part = 'x'.repeat(frame)
    for (const fin of [false, false, false, true]) socket.send(part, { fin })
    await waitFor(() => expect(events).toHaveLength(2))
    expect(events[1]?.body).toHaveLength(4 * frame)
  })

  it.each([
    ['a frame of more than 32 KB', [frame + 1]],
    ['more than 128 KB in all', [frame, frame, frame, frame, 1]],
  ])('closes the connection with 1009 for %s', async (_what, sizes) => {
    const { url, events } = await serveSockets()
    const { socket, closed } = await openSocket(url)
    for (const [at, size] of sizes.entries()) socket.send('x'.repeat(size), { fin: at === sizes.length - 1 })
    expect((await closed).code).toBe(1009)
    await waitFor(() => expect(eventTypes(events)).toEqual(['CONNECT', 'DISCONNECT']))
  })

  it('closes the connection with 1003 when it is binary', async () => {
    const { url, events } = await serveSockets()
    const { socket, closed } = await openSocket(url)
    socket.send(Buffer.from('x'))
    expect((await closed).code).toBe(1003)
    await waitFor(() => expect(eventTypes(events)).toEqual(['CONNECT', 'DISCONNECT']))
  })
})

describe('$disconnect', () => {
  it('hears why a client left', async () => {
    const { url, events, only } = await serveSockets()
    const { socket } = await openSocket(url)
    const connectionId = only()
    socket.close(4001, 'bye')
    await waitFor(() => expect(events).toHaveLength(2))
    const requestContext = {
      eventType: 'DISCONNECT',
      connectionId,
      disconnectStatusCode: 4001,
      disconnectReason: 'bye',
    }
    expect(events[1]).toMatchObject({ requestContext })
  })

  it('hears of every connection when the gateway stops', async () => {
    const gateway = await serveSockets()
    await openSocket(gateway.url)
    await openSocket(gateway.url)
    await gateway.stop()
    expect(eventTypes(gateway.events).filter((type) => type === 'DISCONNECT')).toHaveLength(2)
  })

  it.each([
    ['nothing passes for too long', { idleMs: 50 }],
    ['it is too old', { lifetimeMs: 50 }],
  ])('comes when a connection is closed with 1001 because %s', async (_why, times) => {
    const { url, events } = await serveSockets({}, times)
    const { closed } = await openSocket(url)
    expect((await closed).code).toBe(1001)
    await waitFor(() => expect(eventTypes(events)).toEqual(['CONNECT', 'DISCONNECT']))
  })
})

describe('the management API', () => {
  it('pushes to a connection, describes it and closes it', async () => {
    const { url, only, manage } = await serveSockets()
    const { received, closed } = await openSocket(url)
    const id = only()
    await manage.post(id, '{"text":"žluť"}')
    await waitFor(() => expect(received).toEqual(['{"text":"žluť"}']))
    expect(await manage.get(id)).toMatchObject({
      ConnectedAt: expect.any(Date),
      LastActiveAt: expect.any(Date),
      Identity: { SourceIp: '127.0.0.1' },
    })
    await manage.remove(id)
    expect((await closed).code).toBe(1000)
    await waitFor(() => expect(manage.post(id, 'x')).rejects.toMatchObject({ name: 'GoneException' }))
  })

  it('answers 410 before $connect has agreed', async () => {
    const seen: unknown[] = []
    const gateway = await serveSockets({
      $connect: async ({ requestContext }) => {
        seen.push(await gateway.manage.post(requestContext.connectionId, 'x').catch((error: unknown) => error))
        return { statusCode: 200 }
      },
    })
    await openSocket(gateway.url)
    expect(seen).toMatchObject([{ name: 'GoneException', $metadata: { httpStatusCode: 410 } }])
  })

  it.each([
    [128 * 1024, undefined],
    [128 * 1024 + 1, 'PayloadTooLargeException'],
  ])('takes %i bytes, or else %s', async (size, name) => {
    const { url, only, manage } = await serveSockets()
    const { received } = await openSocket(url)
    const outcome = await manage.post(only(), 'x'.repeat(size)).catch((error: unknown) => error)
    if (name !== undefined) expect(outcome).toMatchObject({ name, $metadata: { httpStatusCode: 413 } })
    await waitFor(() => expect(received.map((text) => text.length)).toEqual(name === undefined ? [size] : []))
  })

  it('fails as configured, for one connection', async () => {
    const { url, connectionIds, manage, faults } = await serveSockets()
    const first = await openSocket(url)
    await openSocket(url)
    const [one = '', other = ''] = connectionIds()
    faults.add({ connection: one })
    await manage.post(other, 'x')
    await expect(manage.post(one, 'x')).rejects.toMatchObject({ name: 'LimitExceededException' })
    await manage.post(one, 'y')
    await waitFor(() => expect(first.received).toEqual(['y']))
  })

  it('refuses a request without a signature', async () => {
    const { url, only, managementEndpoint } = await serveSockets()
    await openSocket(url)
    const path = `${managementEndpoint}/@connections/${encodeURIComponent(only())}`
    expect((await fetch(path, { method: 'POST', body: 'x' })).status).toBe(403)
  })
})

it('stops while a client waits for $connect', async () => {
  const gateway = await serveSockets({ $connect: () => new Promise(() => undefined) })
  const { port } = new URL(gateway.url)
  const client = createConnection(Number(port), '127.0.0.1')
  onTestFinished(() => void client.destroy())
  client.on('error', () => undefined)
  client.write(`GET /local HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
  await waitFor(() => expect(gateway.events).toHaveLength(1))
  await gateway.stop()
})
