import { afterAll, describe, expect, it } from 'vitest'
import { createRegistry, forbidden, socketConnect } from '../../lib/index.ts'
import { push } from '../../lib/push/push.ts'
import { closeExpiredSockets } from '../../lib/push/sockets.ts'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { colleague, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { waitFor } from '../support/run/patience.ts'
import { startPushInstallation } from '../support/sockets/push-installation.ts'

const origin = 'https://app.example.test'
const installation = await startPushInstallation({ ALLOWED_ORIGINS: origin })
afterAll(() => installation.stop())
const { gateway, open, provider, sql } = installation

const listStored = async () =>
  (await sql`select connection_id, subject, extract(epoch from expires_at - connected_at)::float as seconds
    from table_control.sockets order by connected_at`) as readonly unknown[]

describe('$connect', () => {
  it('accepts a token as a subprotocol, answers with that subprotocol alone, and stores whose connection it is', async () => {
    const { socket, close } = await open({}, { protocols: ['bearer', provider.tokenFor(north)] })
    expect(socket.protocol).toBe('bearer')
    expect(await listStored()).toEqual([
      { connection_id: gateway.connectionIds()[0], subject: north.sub, seconds: expect.closeTo(3_600, -2) },
    ])
    await close()
    await waitFor(async () => expect(await listStored()).toEqual([]))
  })

  it('accepts a token in the query', async () => {
    const { socket } = await open({ token: provider.tokenFor(colleague) })
    expect(socket.protocol).toBe('')
    expect(await listStored()).toEqual([expect.objectContaining({ subject: colleague.sub })])
  })

  it('accepts a token in the Authorization header', async () => {
    const headers = { authorization: `Bearer ${provider.tokenFor(north)}` }
    await expect(open({}, { headers })).resolves.toMatchObject({ messages: [] })
  })

  it('prefers the token of the subprotocol to that of the query', async () => {
    const opening = open({ token: 'nonsense', ticket: 'x' }, { protocols: ['bearer', provider.tokenFor(north)] })
    await expect(opening).resolves.toMatchObject({ messages: [] })
  })

  it.each([[origin], [undefined]])('accepts a client of the origin %s', async (from) => {
    const opening = open({ token: provider.tokenFor(north) }, from === undefined ? {} : { headers: { origin: from } })
    await expect(opening).resolves.toMatchObject({ messages: [] })
  })
})

describe('a caller with as many sockets as allowed', () => {
  it('is refused another one, by a token as by a ticket, and is let in once one has ended', async () => {
    const limited = await startPushInstallation({ SOCKETS_PER_CALLER: '2' })
    const as = limited.provider.tokenFor(north)
    const [first] = [await limited.open({ token: as }), await limited.open({ token: as })]
    await expect(limited.open({ token: as })).rejects.toThrow()
    const { ticket } = (await limited.post('socket-ticket', {}, { as })).json
    await expect(limited.open({ ticket })).rejects.toThrow()
    await limited.open({ token: limited.provider.tokenFor(colleague) })
    await first?.close()
    await waitFor(async () => {
      const rows = await limited.sql`select from table_control.sockets where subject = ${north.sub}`
      expect(rows.length).toBe(1)
    })
    await limited.open({ ticket })
    await limited.stop()
  })

  it('is refused another one that opens at the same moment', async () => {
    const limited = await startPushInstallation({ SOCKETS_PER_CALLER: '2', DATABASE_CONNECTIONS: '4' })
    const token = limited.provider.tokenFor(north)
    const tryOpening = () =>
      limited.open({ token }).then(
        () => 'open',
        () => 'refused',
      )
    const lock = 'lock table table_control.sockets in share row exclusive mode'
    const outcomes = await sendBehindLock(limited.sql, lock, Array(4).fill(tryOpening))
    expect(outcomes.toSorted()).toEqual(['open', 'open', 'refused', 'refused'])
    await limited.stop()
  })

  it('is given no more tickets than that, also by requests at the same moment', async () => {
    const limited = await startPushInstallation({ SOCKETS_PER_CALLER: '2', DATABASE_CONNECTIONS: '3' })
    const as = limited.provider.tokenFor(north)
    const ask = async () => (await limited.post('socket-ticket', {}, { as })).status
    // Each waits when it has counted the others.
    await limited.sql.unsafe(`create function wait_for_lock() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock_shared(1); return new; end';
      create trigger waiting before insert on table_control.socket_tickets for each row execute function wait_for_lock()`)
    const statuses = await sendBehindLock(limited.sql, 'select pg_advisory_xact_lock(1)', [ask, ask, ask])
    expect(statuses.toSorted()).toEqual([200, 200, 429])
    expect(await ask()).toBe(429)
    await limited.stop()
  })
})

/** Some issuers write the largest number in place of no end, for which Postgres knows no date. */
const endless = 9e15

describe('a socket', () => {
  const toSeconds = async (subject: string) => {
    const [row] = await sql`select extract(epoch from expires_at - connected_at)::float as seconds
      from table_control.sockets where subject = ${subject}`
    return row?.['seconds']
  }
  const openFor = async (expiresIn: number, subject: string) =>
    open({ token: provider.tokenFor({ sub: subject }, { expiresIn }) })

  it('ends with the token that opened it', async () => {
    await openFor(600, 'brief')
    expect(await toSeconds('brief')).toBeCloseTo(600, -2)
  })

  it.each([36_000, endless])('ends after two hours under a token that lasts longer: %d s', async (expiresIn) => {
    await openFor(expiresIn, `lasting ${expiresIn}`)
    expect(await toSeconds(`lasting ${expiresIn}`)).toBe(7_200)
  })

  it.each([
    [600, 600],
    [endless, 7_200],
  ])('ends with the token of its ticket: %d s', async (expiresIn, seconds) => {
    const sub = `ticketed ${expiresIn}`
    const token = provider.tokenFor({ sub }, { expiresIn })
    const ticket = (await installation.post('socket-ticket', {}, { as: token })).json.ticket
    await open({ ticket })
    expect(await toSeconds(sub)).toBeCloseTo(seconds, -2)
  })

  it('is closed by the service once its token has expired, and not pushed to before that', async () => {
    const expired = await openFor(600, 'expired')
    const valid = await openFor(600, 'valid')
    const closed = new Promise((resolve) => expired.socket.addEventListener('close', resolve))
    await sql`update table_control.sockets set expires_at = now() where subject = 'expired'`
    const message = { event: 'test', channel: 'test', id: 1, seq: 1, data: {} }
    expect(await push(installation.service, 'expired', message)).toEqual({ delivered: 0, gone: 0, failed: 0 })
    expect(await closeExpiredSockets(installation.service)).toBe(1)
    await closed
    expect(expired.messages).toEqual([])
    expect(await toSeconds('expired')).toBeUndefined()
    expect(await push(installation.service, 'valid', message)).toMatchObject({ delivered: 1 })
    expect(await valid.received(1)).toHaveLength(1)
  })

  it('is forgotten by the same sweep as hundreds of others that expired before it', async () => {
    await sql`insert into table_control.sockets (connection_id, subject, expires_at)
      select 'expired-' || n, 'gone', now() - interval '1 minute' from generate_series(1, 450) n`
    expect(await closeExpiredSockets({ config: {}, database: installation.service.database })).toBe(450)
  })

  it('is closed by the next sweep if the gateway does not close it', async () => {
    const { socket } = await openFor(600, 'held')
    const closed = new Promise((resolve) => socket.addEventListener('close', resolve))
    await sql`update table_control.sockets set expires_at = now() where subject = 'held'`
    gateway.faults.add({ code: 'InternalServerException', status: 500, times: 1 })
    expect(await closeExpiredSockets(installation.service)).toBe(0)
    expect(await closeExpiredSockets(installation.service)).toBe(1)
    await closed
  })
})

describe('a refused $connect stores nothing and', () => {
  it.each([
    ['no token', undefined],
    ['an empty token', ''],
    ['nonsense', 'nonsense'],
    ['an expired token', provider.tokenFor(north, { expiresIn: -1 })],
    ['a stranger’s token', provider.tokenFor(north, { signedBy: 'stranger' })],
    ['an altered token', provider.tokenFor(north, { tampered: true })],
    ['an unsigned token', provider.tokenFor(north, { algorithm: 'none' })],
    ['a token that uses the public key as a secret', provider.tokenFor(north, { algorithm: 'HS256' })],
    ['a token without a subject', provider.tokenFor(north, { without: ['sub'] })],
    ['9,000 characters', 'x'.repeat(9_000)],
  ])('answers 401 to %s', async (_, token) => {
    const [before] = await sql`select clock_timestamp()::text as now`
    await expect(open(token === undefined ? {} : { token })).rejects.toThrow('refused: 401')
    if (token !== undefined && token !== '')
      await expect(open({}, { protocols: ['bearer', token] })).rejects.toThrow('refused: 401')
    expect(
      await sql`select from table_control.sockets where connected_at > ${before?.['now']}::text::timestamptz`,
    ).toEqual([])
  })

  it.each([[['bearer']], [['other', 'bearer']]])(
    'answers 401 to the subprotocols %j without a token',
    async (protocols) => {
      await expect(open({}, { protocols })).rejects.toThrow('refused: 401')
    },
  )

  it.each(['https://evil.example.test', `${origin}.evil.test`, 'null'])(
    'answers 403 to the origin %s',
    async (from) => {
      const { sub } = north
      const token = provider.tokenFor({ sub })
      await expect(open({ token }, { headers: { origin: from } })).rejects.toThrow('refused: 403')
    },
  )
})

describe('$connect when something is down', () => {
  it('refuses with 503 while the keys of tokens cannot be fetched', async () => {
    const other = await startPushInstallation({ JWKS_URL: 'http://127.0.0.1:1/jwks.json' })
    const token = other.provider.tokenFor(north)
    await expect(other.open({ token })).rejects.toThrow('refused: 503')
    await other.stop()
  })

  it('refuses with 504 when storing the connection takes longer than a request may', async () => {
    const other = await startPushInstallation({ REQUEST_DEADLINE_MS: '2000' })
    const token = other.provider.tokenFor(north)
    await other.sql.begin(async (holding) => {
      await holding`lock table table_control.sockets`
      await expect(other.open({ token })).rejects.toThrow('refused: 504')
    })
    await other.stop()
  })

  it('refuses with 500 when it cannot store the connection, and a ticket can be used again afterwards', async () => {
    const other = await startPushInstallation()
    const { ticket } = (await other.post('socket-ticket')).json
    await other.sql`alter table table_control.sockets rename to elsewhere`
    const log = recordLog()
    await expect(other.connect()).rejects.toThrow('refused: 500')
    await expect(other.open({ ticket })).rejects.toThrow('refused: 500')
    log.restore()
    expect(log.text()).toContain('socketConnect')
    expect(log.text()).not.toContain(ticket)
    await other.sql`alter table table_control.elsewhere rename to sockets`
    const { close } = await other.open({ ticket })
    await close()
    await other.stop()
  })
})

it('$connect runs the middlewares of the registry, without a table', async () => {
  const seen: unknown[] = []
  const registry = createRegistry([], {
    claims: fixtureClaims,
    middlewares: [
      ({ endpoint, guard, tableName, headers, sourceIp }) => {
        seen.push({ endpoint, guard, tableName, sourceIp, authorization: headers['authorization'] })
        throw forbidden()
      },
    ],
  })
  const connect = socketConnect(registry, () => installation.service)
  const requestContext = {
    connectionId: 'c',
    requestId: 'r',
    routeKey: '$connect',
    identity: { sourceIp: '192.0.2.1' },
  }
  const event = { requestContext, headers: { 'SEC-WebSocket-Protocol': 'bearer, abc' }, isBase64Encoded: false }
  const response = await connect(event as unknown as Parameters<typeof connect>[0])
  expect(response).toMatchObject({ statusCode: 403 })
  expect(seen).toEqual([
    {
      endpoint: 'table_control.socket.connect',
      guard: 'socket',
      tableName: '',
      sourceIp: '192.0.2.1',
      authorization: 'Bearer abc',
    },
  ])
})

describe('a message of a client', () => {
  it.each(['{"event":"ping"}', '{"ping":{}}'])('is answered by a pong if it is %s', async (ping) => {
    const client = await installation.connect()
    client.socket.send(ping)
    expect(await client.received(1)).toEqual([{ event: 'pong' }])
  })

  it('is answered once the gateway is no longer busy', async () => {
    const client = await installation.connect()
    installation.gateway.faults.add({ code: 'LimitExceededException', status: 429, times: 2 })
    client.socket.send('{"event":"ping"}')
    expect(await client.received(1)).toEqual([{ event: 'pong' }])
  })

  it.each([
    [
      'an event that does not exist',
      { event: 'subscrbe' },
      'event: must be one of: ping, count, subscribe, unsubscribe',
    ],
    ['a name that does not exist', { subscrbe: { id: 'page' } }, 'event: is required'],
    ['two names', { subscribe: { id: 'page' }, unsubscribe: { id: 'page' } }, 'event: is required'],
    ['a name without content', { subscribe: 'page' }, 'subscribe: must be an object'],
    ['an event in its content', { unsubscribe: { id: 'page', event: 'count' } }, 'event: is not known here'],
  ])('is answered with what is wrong if it has %s', async (_, sent, message) => {
    const client = await installation.connect()
    client.socket.send(JSON.stringify(sent))
    expect(await client.received(1)).toEqual([expect.objectContaining({ event: 'error', message })])
  })

  it.each([
    ['no JSON', 'hello', 'invalid_body'],
    ['a list', '[]', 'invalid_body'],
    ['nothing', '', 'validation_failed'],
    ['no event', '{}', 'validation_failed'],
    ['an unknown event', '{"event":"watch"}', 'validation_failed'],
    ['deep nesting', `{"event":${'['.repeat(10_000)}`, 'invalid_body'],
    ['a very long event', JSON.stringify({ event: 'x'.repeat(30_000) }), 'validation_failed'],
  ])('is answered by an error and keeps its socket open if it is %s', async (_, text, code) => {
    const client = await installation.connect()
    client.socket.send(text)
    client.socket.send('{"event":"ping"}')
    const responses = [...(await client.received(2))].sort((one, other) => one.event.localeCompare(other.event))
    expect(responses).toEqual([
      expect.objectContaining({
        event: 'error',
        success: false,
        code,
        errors: expect.arrayContaining([expect.any(String)]),
      }),
      { event: 'pong' },
    ])
  })
})
