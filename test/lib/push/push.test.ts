import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRegistry } from '../../../lib/index.ts'
import { postTo } from '../../../lib/push/post-to-connection.ts'
import { push } from '../../../lib/push/push.ts'
import { maxMessageBytes, type PushData } from '../../../lib/push/push-message.ts'
import { colleague, north } from '../../support/fixtures/identities.ts'
import { recordLog } from '../../support/log/recorded-log.ts'
import { startPushInstallation } from '../../support/sockets/push-installation.ts'

const installation = await startPushInstallation()
afterAll(() => installation.stop())
afterEach(() => gateway.faults.clear())
const { connect, gateway, service, sql } = installation

const message = (seq = 1, data: PushData = {}) => ({ event: 'test', channel: 'test', id: 'x', seq, data })
const pushOne = (subject: string, seq?: number, data?: PushData) => push(service, subject, message(seq, data))

/** Connections that the gateway does not know, or knows no longer. */
const strangers = async (subject: string, count: number, age = '1 minute') =>
  await sql`insert into table_control.sockets (connection_id, subject, connected_at, expires_at)
    select ${`${subject}-`} || n, ${subject}, now() - ${age}::text::interval, now() + interval '1 hour'
    from generate_series(1, ${count}::integer) n`

const readStored = async (subject: string) => await sql`select from table_control.sockets where subject = ${subject}`

describe('a push', () => {
  it('reaches every socket of its subject and no other socket', async () => {
    const one = await connect()
    const two = await connect()
    const others = await connect(colleague)
    expect(await pushOne(north.sub)).toEqual({ delivered: 2, gone: 0, failed: 0 })
    await pushOne(colleague.sub, 7)
    expect(await one.received(1)).toEqual([message()])
    expect(await two.received(1)).toEqual([message()])
    expect(await others.received(1)).toEqual([message(7)])
    expect([one.messages.length, two.messages.length]).toEqual([1, 1])
  })

  it('arrives in order', async () => {
    const client = await connect({ sub: 'ordered' })
    for (let seq = 1; seq <= 50; seq++) await pushOne('ordered', seq)
    expect((await client.received(50)).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 1),
    )
  })

  it('keeps text of any script and every JSON value as it is', async () => {
    const client = await connect({ sub: 'texts' })
    const data = { text: 'تقرير 🛩 "\\ \u0000 \u2028', list: [1.5, null, true, { a: [] }] }
    await pushOne('texts', 1, data)
    expect((await client.received(1))[0]?.data).toEqual(data)
  })

  it.each([
    ['no client is connected', 'nobody'],
    ['the subject is hostile', "' or true --"],
    ['the subject is empty', ''],
  ])('does nothing when %s', async (_, subject) => {
    expect(await pushOne(subject)).toEqual({ delivered: 0, gone: 0, failed: 0 })
  })

  it('does nothing where there is no WebSocket API', async () => {
    await strangers('unreachable', 1)
    expect(await push({ ...service, config: {} }, 'unreachable', message())).toEqual({
      delivered: 0,
      gone: 0,
      failed: 0,
    })
  })

  it('goes to the gateway that is named also where the SDK is told to choose endpoints with IPv6 addresses', async () => {
    vi.stubEnv('AWS_USE_DUALSTACK_ENDPOINT', 'true')
    const post = await postTo('http://127.0.0.1:1/live')
    const refused = await post('x', 'text', AbortSignal.timeout(4_000))
    vi.unstubAllEnvs()
    // A client that refuses its own settings would be `failed`; here only nothing listens.
    expect(refused.outcome).toBe('busy')
  })

  it('is the same after a new log-in, but not with other claims, if no schema declares them', async () => {
    const unclaimed = await startPushInstallation({}, createRegistry([]))
    onTestFinished(() => unclaimed.stop())
    const as = (sid: string, role: string) => ({ ...north, sid, jti: sid, role })
    const sockets = [await unclaimed.connect(as('first', 'clerk'))]
    const [row] = await unclaimed.sql`select identity from table_control.sockets`
    sockets.push(await unclaimed.connect(as('second', 'clerk')), await unclaimed.connect(as('third', 'manager')))
    const to = { subject: north.sub, claims: row?.['identity'].claims }
    const options = { restricted: { to, otherwise: {} } }
    await push(unclaimed.service, north.sub, message(1, { rows: 1 }), options)
    const received = await Promise.all(sockets.map((socket) => socket.received(1)))
    expect(received.map(([first]) => first?.data)).toEqual([{ rows: 1 }, { rows: 1 }, {}])
  })

  it('leaves an expired socket alone', async () => {
    const client = await connect({ sub: 'late' })
    await sql`update table_control.sockets set expires_at = now() where subject = 'late'`
    expect(await pushOne('late')).toEqual({ delivered: 0, gone: 0, failed: 0 })
    expect(client.messages).toEqual([])
  })
})

describe('a connection that is gone', () => {
  it('is forgotten at the first push that it fails, for any number of such connections', async () => {
    const client = await connect({ sub: 'half' })
    await strangers('half', 150)
    const log = recordLog()
    let pushes = 0
    // A loaded machine may not reach all of them in the time of one push, which then says so.
    do {
      pushes += 1
      await pushOne('half', pushes)
    } while (log.take() !== '')
    log.restore()
    expect(await readStored('half')).toHaveLength(1)
    expect(await pushOne('half', pushes + 1)).toEqual({ delivered: 1, gone: 0, failed: 0 })
    expect((await client.received(2)).length).toBeGreaterThanOrEqual(2)
  })

  it('is tried again while it is being opened, and deleted when it does not open', async () => {
    const client = await connect({ sub: 'opening' })
    await sql`update table_control.sockets set connected_at = now() + interval '1 minute' where subject = 'opening'`
    const [connection = ''] = gateway.connectionIds().slice(-1)
    gateway.faults.add({ code: 'GoneException', status: 410, connection, times: 2 })
    expect(await pushOne('opening')).toEqual({ delivered: 1, gone: 0, failed: 0 })
    expect(await client.received(1)).toHaveLength(1)
    await strangers('opening', 1, '-1 minute')
    expect(await pushOne('opening', 2)).toEqual({ delivered: 1, gone: 1, failed: 0 })
    expect(await readStored('opening')).toHaveLength(1)
  })
})

describe('a push while the gateway fails', () => {
  it.each([
    ['refuses for now', { code: 'LimitExceededException', status: 429, times: 2 }],
    ['has an error of its own', { code: 'InternalServerException', status: 500, times: 2 }],
    ['drops the request', { kind: 'reset', times: 2 }],
  ] as const)('tries again where it %s, once for the client', async (failure, fault) => {
    // The socket of a closed client may be known for a moment longer.
    const subject = `again, ${failure}`
    const client = await connect({ sub: subject })
    gateway.faults.add(fault)
    expect(await pushOne(subject)).toEqual({ delivered: 1, gone: 0, failed: 0 })
    await sleep(50)
    expect(client.messages).toHaveLength(1)
    await client.close()
  })

  it('gives up on what stays refused and keeps the socket', async () => {
    const client = await connect({ sub: 'refused' })
    gateway.faults.add({ times: 100 })
    expect(await pushOne('refused')).toEqual({ delivered: 0, gone: 0, failed: 1 })
    gateway.faults.clear()
    expect(await pushOne('refused', 2)).toEqual({ delivered: 1, gone: 0, failed: 0 })
    expect(await client.received(1)).toEqual([message(2)])
  })

  it.each([
    ['hangs', { kind: 'hang', times: 100 }],
    ['is throttled for ever', { times: 100 }],
  ] as const)('one connection that %s does not hold up the others', async (_, fault) => {
    const subject = `held-${fault.times}-${'kind' in fault}`
    const clients = await Promise.all(Array.from({ length: 20 }, () => connect({ sub: subject })))
    const [connection] = (await sql`select connection_id from table_control.sockets where subject = ${subject}`).map(
      ({ connection_id }) => connection_id,
    )
    gateway.faults.add({ ...fault, connection })
    expect(await pushOne(subject)).toEqual({ delivered: 19, gone: 0, failed: 1 })
    expect(clients.filter(({ messages }) => messages.length === 1)).toHaveLength(19)
    expect(await readStored(subject)).toHaveLength(20)
  })

  it('ends within its bound when every connection hangs', async () => {
    await Promise.all(Array.from({ length: 60 }, () => connect({ sub: 'all' })))
    gateway.faults.add({ kind: 'hang', times: 1_000 })
    const log = recordLog()
    expect(await pushOne('all')).toEqual({ delivered: 0, gone: 0, failed: 60 })
    log.restore()
    expect(log.text()).toContain('NoTimeLeft')
  })

  it('never rejects, regardless of what is down', async () => {
    const log = recordLog()
    await strangers('down', 1)
    const config = { SOCKET_ENDPOINT: 'http://127.0.0.1:1/none' }
    expect(await push({ ...service, config }, 'down', message())).toEqual({ delivered: 0, gone: 0, failed: 1 })
    const database = { ...service.database, read: () => Promise.reject(new Error('down')) }
    expect(await push({ ...service, database }, 'down', message())).toEqual({ delivered: 0, gone: 0, failed: 0 })
    log.restore()
    expect(log.lines().length).toBeGreaterThan(0)
  })
})

describe('what is larger than a message may be', () => {
  const large = { success: true, rows: 'ب'.repeat(maxMessageBytes / 2) }

  it('is sent as a link to all of it, never cut', async () => {
    const client = await connect({ sub: 'large' })
    const links: string[] = []
    const link = async (json: string) => {
      links.push(json)
      return 'https://tables.example.test/file'
    }
    expect(await push(service, 'large', message(1, large), { link })).toEqual({ delivered: 1, gone: 0, failed: 0 })
    expect(await client.received(1)).toEqual([message(1, { success: true, url: 'https://tables.example.test/file' })])
    expect(links.map((json) => JSON.parse(json))).toEqual([large])
  })

  it('is named as left out where there is no link', async () => {
    const client = await connect({ sub: 'linkless' })
    await pushOne('linkless', 1, large)
    expect(await client.received(1)).toEqual([message(1, { success: true, omitted: true })])
  })

  it('is named as left out where the link fails', async () => {
    const log = recordLog()
    const client = await connect({ sub: 'unlinked' })
    await push(service, 'unlinked', message(1, large), { link: () => Promise.reject(new Error('no storage')) })
    expect(await client.received(1)).toEqual([message(1, { success: true, omitted: true })])
    log.restore()
    expect(log.lines()).toHaveLength(1)
  })

  it('starts beyond 128,000 bytes and not at them', async () => {
    const client = await connect({ sub: 'edge' })
    const room = maxMessageBytes - Buffer.byteLength(JSON.stringify(message(1, { text: '' })))
    await pushOne('edge', 1, { text: 'x'.repeat(room) })
    await pushOne('edge', 2, { text: 'x'.repeat(room + 1) })
    const [fits, beyond] = await client.received(2)
    expect([fits?.data.text.length, beyond?.data]).toEqual([room, { omitted: true }])
  })

  it('stores nothing when no client is connected', async () => {
    const link = vi.fn()
    await push(service, 'nobody', message(1, large), { link })
    expect(link).not.toHaveBeenCalled()
  })
})
