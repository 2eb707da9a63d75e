import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { fixtureClaims, north, south } from '../support/fixtures/identities.ts'
import { ordersTable } from '../support/fixtures/orders-table.ts'
import { startWatchingInstallation, type Watcher } from '../support/sockets/watching-installation.ts'

/** Callers who have lost their rights. */
const revoked = new Set<string>()
const live = await startWatchingInstallation(
  createRegistry([ordersTable], {
    claims: fixtureClaims,
    identityNow: (identity) => (revoked.has(identity.subject) ? undefined : identity),
  }),
)
beforeEach(async () => {
  revoked.clear()
  await live.clear()
})

describe('a subscription without a token', () => {
  const query = { filters: [{ field: 'state', value: 'open' }], perPage: 2, sorts: [{ field: 'id', direction: 'asc' }] }
  const send = (watcher: Watcher, more: object = {}) =>
    watcher.ask({ subscribe: { id: 'page', table: 'orders', query, ...more } })

  it.each([
    ['north', north],
    ['south', south],
  ])('shows the page that it names to the caller of %s who opened the socket, and what changes', async (_, as) => {
    const watcher = await live.watch(as)
    const page = await live.actions.post('query-table/orders', { ...query, page: 2 }, { as })
    const { items } = page.json
    expect(await send(watcher, { page: 2 })).toMatchObject({ event: 'rows.subscribed', id: 'page', data: { items } })
    await live.actions.post(`row-table-action/orders/count/${items[0].id}`, {}, { as })
    await live.drain()
    expect((await watcher.received(2)).slice(1)).toMatchObject([
      { event: 'rows.changed', seq: 1, data: { items: [{ id: items[0].id }] } },
    ])
    expect(await watcher.ask({ unsubscribe: { id: 'page' } })).toMatchObject({ event: 'rows.unsubscribed', seq: 1 })
  })

  it('is refused for a page that is no number', async () => {
    const reply = await send(await live.watch(), { page: 'last' })
    expect(reply).toMatchObject({ event: 'error', code: 'validation_failed', id: 'page', fields: { page: {} } })
  })

  it('ends with its socket, and knows the address that the token of the socket has', async () => {
    const watcher = await live.watch({ ...north, email: 'nora@example.test', email_verified: true })
    await send(watcher)
    const [kept] =
      await live.sql`select watch.expires_at = socket.expires_at as "endsTogether", watch.identity->>'email' as email
      from table_control.subscriptions watch join table_control.sockets socket using (connection_id)`
    expect(kept).toEqual({ endsTogether: true, email: 'nora@example.test' })
  })

  it.each([
    ['whose caller has lost the rights', 'forbidden', () => revoked.add(north.sub)],
    ['whose token has expired', 'unauthenticated', () => live.sql`update table_control.sockets set expires_at = now()`],
    [
      'that says nothing of its caller',
      'unauthenticated',
      () => live.sql`update table_control.sockets set identity = null`,
    ],
  ])('is refused over a socket %s', async (_, code, change) => {
    const watcher = await live.watch()
    await change()
    expect(await send(watcher)).toMatchObject({ event: 'error', code, id: 'page' })
    expect(await live.sql`select id from table_control.subscriptions`).toEqual([])
  })
})
