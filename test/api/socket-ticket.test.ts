import { afterAll, describe, expect, it } from 'vitest'
import { push } from '../../lib/push/push.ts'
import { storeSocketByTicket } from '../../lib/push/sockets.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, north } from '../support/fixtures/identities.ts'
import { recordLog } from '../support/log/recorded-log.ts'
import { startPushInstallation } from '../support/sockets/push-installation.ts'

const installation = await startPushInstallation()
afterAll(() => installation.stop())
const { gateway, open, post, service, sql } = installation

const newTicket = async (as = north): Promise<string> => (await post('socket-ticket', {}, { as })).json.ticket

describe('socket-ticket', () => {
  it('answers with a ticket, the URL that it opens, and its lifetime', async () => {
    const { status, json } = await post('socket-ticket')
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      ticket: expect.stringMatching(/^[\w-]{43}$/),
      url: `${gateway.url}?ticket=${json.ticket}`,
      expires_in: 60,
    })
  })

  it('opens one socket of the caller who requested it', async () => {
    const client = await open({ ticket: await newTicket(colleague) })
    const message = { event: 'test', channel: 'test', id: 1, seq: 1, data: {} }
    expect(await push(service, colleague.sub, message)).toEqual({ delivered: 1, gone: 0, failed: 0 })
    expect(await client.received(1)).toEqual([message])
  })

  it('is stored by its hash alone, for a minute', async () => {
    const ticket = await newTicket()
    const [row] = await sql`select t::text as text, expires_at between now() + interval '50 seconds' and
      now() + interval '60 seconds' as soon from table_control.socket_tickets t order by expires_at desc limit 1`
    expect(row?.['text']).toContain(north.sub)
    expect(row?.['text']).not.toContain(ticket)
    expect(row?.['soon']).toBe(true)
  })

  it('assigns a reused connection id to the caller of the newer ticket', async () => {
    const { database } = service
    for (const caller of [colleague, north]) {
      expect(await storeSocketByTicket(database, 'reused', await newTicket(caller))).toBe(true)
    }
    expect(await sql`select subject from table_control.sockets where connection_id = 'reused'`).toEqual([
      { subject: north.sub },
    ])
  })

  it('needs a token', async () => {
    expectFailure(await post('socket-ticket', {}, { as: null }), { status: 401, code: 'unauthenticated' })
  })

  it('is 404 where the service has no WebSocket', async () => {
    const other = await startPushInstallation({ SOCKET_URL: '' })
    expectFailure(await other.post('socket-ticket'), { status: 404, code: 'route_not_found' })
    await other.stop()
  })
})

describe('opening a WebSocket', () => {
  it('refuses a ticket that was used before, also if both requests are simultaneous', async () => {
    const ticket = await newTicket()
    const attempts = await Promise.allSettled(Array.from({ length: 5 }, () => open({ ticket })))
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(open({ ticket })).rejects.toThrow('refused: 401')
  })

  it('refuses a ticket that is older than a minute', async () => {
    const ticket = await newTicket()
    await sql`update table_control.socket_tickets set expires_at = now()`
    await expect(open({ ticket })).rejects.toThrow('refused: 401')
  })

  it.each([
    ['nothing', ''],
    ['a letter', 'x'],
    ['as many letters as a ticket has', 'A'.repeat(43)],
    ['SQL', "' or true --"],
    ['3,000 letters', 'x'.repeat(3_000)],
    ['a null character', '\u0000'],
    ['half of a character', '\ud800'],
  ])('refuses a text that is no ticket: %s', async (_, ticket) => {
    // Sockets of other tests may still be closing.
    const before = (await sql`select connection_id from table_control.sockets`).map((row) => row['connection_id'])
    await expect(open({ ticket })).rejects.toThrow('refused: 401')
    const added = sql`select from table_control.sockets where connection_id <> all(${before}::text[])`
    expect(await added).toEqual([])
  })

  it('refuses a ticket as a token, and a token as a ticket', async () => {
    await expect(open({ token: await newTicket() })).rejects.toThrow('refused: 401')
    await expect(open({ ticket: installation.provider.tokenFor(north) })).rejects.toThrow('refused: 401')
  })
})

it('neither tickets nor tokens are logged', async () => {
  const talkative = await startPushInstallation({ LOG_LEVEL: 'info' })
  const log = recordLog()
  const { ticket } = (await talkative.post('socket-ticket')).json
  await talkative.open({ ticket })
  await expect(talkative.open({ ticket })).rejects.toThrow('refused: 401')
  await expect(talkative.open({ token: talkative.provider.tokenFor(north, { expiresIn: -5 }) })).rejects.toThrow('401')
  log.restore()
  await talkative.stop()
  expect(log.text()).toContain('socketConnect')
  expect(log.text()).not.toMatch(/eyJ|ticket/)
  expect(log.text()).not.toContain(ticket)
})
