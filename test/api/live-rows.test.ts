import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, forbidden } from '../../lib/index.ts'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { defineFixture, fixtureClaims, north, south } from '../support/fixtures/identities.ts'
import { ofOrders, orderColumns, ordersTable } from '../support/fixtures/orders-table.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'
import { startWatchingInstallation, type Watcher } from '../support/sockets/watching-installation.ts'

/** Callers who have lost their rights, and the subjects to whom the middleware of `closable` is closed. */
const revoked = new Set<string>()
const closed = new Set<string>()

const longTitles = Array.from({ length: 20 }, (_, index) => `${'x'.repeat(200)}${index}`)
const registry = createRegistry(
  [
    ordersTable,
    defineFixture({
      ...ofOrders,
      name: 'closable',
      maxOffset: 20,
      columns: orderColumns,
      filters: { state: { type: 'text', label: 'State' }, title: { type: 'select', label: '', options: longTitles } },
      sortables: ['id', 'title'],
      rowActions: {
        rename: {
          form: z.strictObject({ title: z.string() }),
          run: async ({ db, row, input }) => {
            await db.update(orders).set({ title: input.title }).where(eq(orders.id, row.id))
          },
        },
      },
      middlewares: [
        ({ identity }) => {
          if (closed.has(identity.subject)) throw forbidden()
        },
      ],
    }),
  ],
  {
    claims: fixtureClaims,
    identityNow: (identity) => (revoked.has(identity.subject) ? undefined : identity),
  },
)

const live = await startWatchingInstallation(registry)
beforeEach(async () => {
  for (const callers of [revoked, closed]) callers.clear()
  await live.clear()
})

const colleague: TestIdentity = { ...north, sub: 'colleague' }
const act = (path: string, body: object = {}, as = colleague) => live.actions.post(path, body, { as })
const open = [{ field: 'state', value: 'open' }]

const subscribe = (watcher: Watcher, query: object = {}, more: object = {}, as = north) =>
  watcher.ask({ event: 'subscribe', id: 'page', table: 'orders', token: live.tokenFor(as), query, ...more })

/** Has the watchers told, and returns what this one has got since its subscription. */
async function listChanges(watcher: Watcher, count: number) {
  await live.drain()
  return (await watcher.received(count + 1)).slice(1)
}

const listEvents = () => live.sql`select * from table_control.row_events where connection_id is null`

describe('a subscription', () => {
  it.each([
    ['an hour', {}],
    ['longer than any date of Postgres', { exp: 9e15 }],
  ])('begins with the page as query-table returns it, under a token that lasts %s', async (_, claims) => {
    const watcher = await live.watch()
    const query = { filters: open, sorts: [{ field: 'id', direction: 'desc' }], perPage: 3 }
    const reply = await subscribe(watcher, query, { table: 'closable' }, { ...north, ...claims })
    const page = await live.actions.post('query-table/closable', query)
    expect(page.json.items.map(({ id }: { id: number }) => id)).toEqual([8, 7, 6])
    const data = { table: 'closable', items: page.json.items }
    expect(reply).toEqual({ event: 'rows.subscribed', channel: 'rows:page', id: 'page', seq: 0, data })
  })

  it('brings a row that another caller has changed, with the number of the message', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    expect((await act('row-table-action/orders/count/2')).status).toBe(200)
    const [changed] = await listChanges(watcher, 1)
    const page = await live.actions.post('query-table/orders')
    const data = { items: page.json.items.filter(({ id }: { id: number }) => id === 2) }
    expect(changed).toEqual({ event: 'rows.changed', channel: 'rows:page', id: 'page', seq: 1, data })
  })

  it('names the row that has left by the filter, the one that has entered, and their order', async () => {
    const watcher = await live.watch()
    await subscribe(watcher, { filters: open, perPage: 3 })
    await act('row-table-action/orders/mark_reviewed/2')
    const [left, entered] = await listChanges(watcher, 2)
    expect(left).toMatchObject({ event: 'rows.left', seq: 1, data: { ids: [2] } })
    expect(entered).toMatchObject({ event: 'rows.entered', seq: 2, data: { items: [{ id: 4 }], order: [1, 3, 4] } })
  })

  it('sends the order after a row has moved by the sort', async () => {
    const watcher = await live.watch()
    const query = { sorts: [{ field: 'title', direction: 'asc' }], perPage: 12 }
    await subscribe(watcher, query, { table: 'closable' })
    await act('row-table-action/closable/rename/1', { title: 'Z' })
    const [changed] = await listChanges(watcher, 1)
    expect(changed?.event).toBe('rows.changed')
    expect(changed?.data.items).toMatchObject([{ id: 1, title: 'Z' }])
    expect(changed?.data.order.at(-1)).toBe(1)
  })

  it('hears of an action on several rows once', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    await act('row-bulk-table-action/orders/mark_reviewed', { selected_ids: [1, 2, 3] })
    const [changed] = await listChanges(watcher, 1)
    expect(changed?.data.items.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3])
  })

  it('hears nothing of a change that its page does not show', async () => {
    const watcher = await live.watch()
    await subscribe(watcher, { columns: ['title'], perPage: 3 })
    await act('row-table-action/orders/count/1')
    await act('row-table-action/orders/count/9')
    await live.drain()
    expect(await watcher.listReceived()).toEqual(['rows.subscribed'])
  })

  it('hears of a change in a cell that its caller does not see only if it shows versions', async () => {
    const watcher = await live.watch()
    const versioned = await live.watch()
    await subscribe(watcher, { columns: ['title'] })
    await subscribe(versioned, { columns: ['title'], include: ['version'] })
    await act('row-table-action/orders/count/2')
    const [changed] = await listChanges(versioned, 1)
    const page = await live.actions.post('query-table/orders', { columns: ['title'], include: ['version'] })
    expect(changed).toMatchObject({ event: 'rows.changed', data: { items: [page.json.items[1]] } })
    expect(await watcher.received(1)).toHaveLength(1)
  })

  it('hears nothing of rows outside its scope, and only the id of one that has left it', async () => {
    const watcher = await live.watch(south)
    await subscribe(watcher, {}, {}, south)
    await act('row-table-action/orders/count/1')
    await live.drain()
    expect(await watcher.listReceived()).toEqual(['rows.subscribed'])
    const mine = await live.watch()
    await subscribe(mine)
    await act('row-table-action/orders/give_away/1')
    const [left] = await listChanges(mine, 1)
    expect(left).toMatchObject({ event: 'rows.left', data: { ids: [1] } })
    expect(left?.data).not.toHaveProperty('items')
    const [entered] = (await watcher.received(3)).slice(2)
    expect(entered).toMatchObject({ event: 'rows.entered', data: { items: [{ id: 1 }] } })
  })

  it('is numbered anew when a client subscribes again after a gap', async () => {
    const watcher = await live.watch()
    await subscribe(watcher, { perPage: 2 })
    await act('row-table-action/orders/count/1')
    await listChanges(watcher, 1)
    const again = await subscribe(watcher, { perPage: 2 })
    expect(again).toMatchObject({ event: 'rows.subscribed', seq: 0, data: { items: [{ id: 1, runs: 1 }, {}] } })
    expect(await live.sql`select seq from table_control.subscriptions`).toEqual([{ seq: 0 }])
  })

  it('ends by unsubscribe and with its socket, and then nothing is stored for it', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    expect(await watcher.ask({ event: 'unsubscribe', id: 'page' })).toMatchObject({ event: 'rows.unsubscribed' })
    await act('row-table-action/orders/count/1')
    expect(await listEvents()).toEqual([])
    await subscribe(watcher)
    await watcher.close()
    await expect.poll(() => live.sql`select id from table_control.subscriptions`).toEqual([])
  })
})

describe('an action on a table that no page watches', () => {
  it('stores no change and sends no message', async () => {
    const watcher = await live.watch()
    await subscribe(watcher, {}, { table: 'closable' })
    await act('row-table-action/orders/count/1')
    expect(await listEvents()).toEqual([])
    expect(await live.drain()).toBe(0)
  })
})

describe('subscriptions of the same page', () => {
  it('receive a change that is in their scope, also for different callers', async () => {
    const watchers = [await live.watch(), await live.watch(colleague), await live.watch(south)]
    const callers = [north, colleague, south]
    for (const [index, watcher] of watchers.entries())
      await subscribe(watcher, { perPage: 3 }, { table: 'closable' }, callers[index])
    await act('row-table-action/closable/rename/1', { title: 'Z' })
    const [first, second] = await Promise.all([listChanges(watchers[0] as Watcher, 1), watchers[1]?.received(2)])
    expect(first).toMatchObject([{ event: 'rows.changed' }])
    expect(second?.[1]).toEqual(first[0])
    expect(await watchers[2]?.listReceived()).toEqual(['rows.subscribed'])
  })

  it('receive the same change once, even if several messages wake the worker', async () => {
    const watcher = await live.watch()
    await subscribe(watcher, { perPage: 3 })
    await act('row-table-action/orders/count/1')
    await Promise.all([live.wake('orders'), live.wake('orders'), live.wake('orders')])
    await live.drain()
    expect(await watcher.listReceived()).toEqual(['rows.subscribed', 'rows.changed'])
  })
})

describe('the rights of a watcher', () => {
  it.each([
    ['whose identity is withdrawn', revoked],
    ['whom a middleware no longer admits', closed],
  ])('are those of the moment of sending: one %s hears why, and nothing more', async (_, refused) => {
    const watcher = await live.watch()
    await subscribe(watcher, {}, { table: 'closable' })
    refused.add(north.sub)
    await live.sql`insert into table_control.row_events (table_name) values ('closable')`
    await live.sql`update orders set runs = 9 where id = 1`
    await live.wake('closable')
    const [, ended] = await watcher.received(2)
    expect(ended).toMatchObject({ event: 'rows.ended', seq: 1, data: { success: false, code: 'forbidden' } })
    expect(ended?.data.errors).toHaveLength(2)
    expect(await live.sql`select id from table_control.subscriptions`).toEqual([])
  })

  it('do not go beyond the caller who opened the socket', async () => {
    const reply = await subscribe(await live.watch(), {}, {}, south)
    expect(reply).toMatchObject({ event: 'error', code: 'forbidden', id: 'page' })
  })

  it('leave a filter out that names a hidden column, with the warning of the page', async () => {
    const watcher = await live.watch()
    const query = { filters: [{ field: 'tenant', value: 'south' }] }
    const reply = await subscribe(watcher, query)
    const page = await live.actions.post('query-table/orders', query)
    expect(reply.data.warnings).toEqual(page.json.warnings)
    expect(await subscribe(watcher, { columns: ['tenant'] })).toMatchObject({ code: 'validation_failed' })
  })
})

describe('a message to subscribe', () => {
  it.each([
    ['no id', { id: undefined }, 'id'],
    ['an empty id', { id: '' }, 'id'],
    ['no table', { table: undefined }, 'table'],
    ['no query', { query: undefined }, 'query'],
    ['an unknown key', { window: 2 }, 'window'],
    ['a guard that does not exist', { guard: 'none' }, 'guard'],
    ['a query that counts', { query: { count: 'exact' } }, 'query.count'],
    ['a page of too many rows', { query: { perPage: 101 } }, 'perPage'],
    ['a page beyond the limit of its table', { table: 'closable', query: { page: 3, perPage: 11 } }, 'page'],
    ['a query that is too long', { query: { params: { note: 'x'.repeat(9_000) } } }, 'query'],
  ])('with %s is refused by the field, in both languages', async (_, more, field) => {
    const reply = await subscribe(await live.watch(), {}, more)
    expect(reply).toMatchObject({ event: 'error', code: 'validation_failed' })
    expect(reply.fields).toHaveProperty([field])
    expect(reply.errors).toHaveLength(2)
    expect(reply.id).toBe(field === 'id' ? undefined : 'page')
  })

  it.each([
    ['a table that does not exist', 'nothing', 'table_not_found'],
    ['a table that a middleware closes', 'closable', 'forbidden'],
  ])('for %s is refused as query-table refuses it, and stores nothing', async (_, table, code) => {
    closed.add(north.sub)
    const reply = await subscribe(await live.watch(), {}, { table })
    const page = await live.actions.post(`query-table/${table}`)
    expect(reply).toMatchObject({ event: 'error', code, id: 'page', errors: page.json.errors })
    expect(await live.sql`select id from table_control.subscriptions`).toEqual([])
    expect(await live.sql`select id from table_control.row_events`).toEqual([])
  })

  it('is refused in fewer words where the refusal would not fit into a message', async () => {
    const query = { filter_groups: { all: Array(100).fill({ field: 'title', operator: '=', value: 'another' }) } }
    const reply = await subscribe(await live.watch(), {}, { table: 'closable', query })
    expect(reply).toMatchObject({ event: 'error', success: false, code: 'validation_failed', id: 'page' })
    expect(reply.errors).toHaveLength(2)
  })

  it('is refused beyond twenty subscriptions of one socket, also if two come at once', async () => {
    const watcher = await live.watch()
    const page = (number: number) => subscribe(watcher, { perPage: 1 }, { id: `page-${number}` })
    for (let number = 1; number <= 19; number++) expect((await page(number)).event).toBe('rows.subscribed')
    const lock = 'lock table table_control.subscriptions in share row exclusive mode'
    await sendBehindLock(live.sql, lock, [() => page(20), () => page(21)])
    const refused = (await watcher.received(21)).find(({ event }) => event === 'error')
    const errors = [expect.stringContaining('no more than 20'), expect.stringMatching(/[ء-ي].* 20 /)]
    expect(refused).toMatchObject({ code: 'too_many_requests', errors })
    expect((await subscribe(watcher, { perPage: 2 }, { id: 'page-3' })).event).toBe('rows.subscribed')
  })
})

describe('messages that are too many, too large or lost', () => {
  it('are replaced by rows.stale after two within a second', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    await live.sql`update table_control.subscriptions set sent_at = now() + interval '50 seconds', sent_count = 2`
    await act('row-table-action/orders/count/1')
    await live.drain()
    expect(await live.sql`select is_held, seq from table_control.subscriptions`).toEqual([{ is_held: true, seq: 0 }])
    await live.sql`update table_control.subscriptions set sent_at = now() - interval '1 hour'`
    await live.sql`update table_control.row_events set due_at = now()`
    await live.wake('orders')
    const [, stale] = await watcher.received(2)
    expect(stale).toMatchObject({ event: 'rows.stale', seq: 1, data: { reason: 'too_many' } })
    await act('row-table-action/orders/count/1')
    expect(await listChanges(watcher, 2)).toMatchObject([{}, { event: 'rows.changed', seq: 2 }])
  })

  it('are never more than two within a second, whenever changes come', async () => {
    const watcher = await live.watch()
    await subscribe(watcher, { filters: open, perPage: 3 })
    let skippedMs = 0
    const skip = async (ms: number) => {
      skippedMs += ms
      await live.sql`update table_control.subscriptions set sent_at = sent_at - make_interval(secs => ${ms / 1_000})`
      await live.sql`update table_control.row_events set due_at = due_at - make_interval(secs => ${ms / 1_000})`
    }
    const now = () => performance.now() + skippedMs
    const changes = {
      one: () => live.sql`update orders set runs = runs + 1 where id = 2`,
      two: () => live.sql`update orders set state = case state when 'open' then 'done' else 'open' end where id = 1`,
      none: () => undefined,
    }
    const steps = [
      ...(['two 600', 'one 600', 'one 300', 'one 600', 'two 1200', 'two 600', 'none 600', 'none 600'] as const),
      ...(['two 1200', 'one 300', 'two 1200', 'one 600'] as const),
    ].map((step) => step.split(' ') as [keyof typeof changes, string])
    const sent: { readonly event: string | undefined; readonly from: number; readonly to: number }[] = []
    for (const [change, pauseMs] of steps) {
      const known = watcher.messages.length
      const from = now()
      await changes[change]()
      await live.sql`insert into table_control.row_events (table_name) values ('orders')`
      await live.wake('orders')
      await watcher.ask({ event: 'ping' })
      const ofRows = watcher.messages.slice(known).filter(({ event }) => event?.startsWith('rows.'))
      sent.push(...ofRows.map(({ event }) => ({ event, from, to: now() })))
      await skip(Number(pauseMs))
    }
    const spans = sent.slice(2).map(({ to }, index) => to - (sent[index]?.from ?? 0))
    expect(Math.min(...spans)).toBeGreaterThanOrEqual(1_000)
    expect(new Set(sent.map(({ event }) => event))).toEqual(
      new Set(['rows.left', 'rows.entered', 'rows.changed', 'rows.stale']),
    )
  })

  it('are replaced by rows.stale if one change needs three of them', async () => {
    const watcher = await live.watch()
    await subscribe(watcher, { filters: open, perPage: 3 })
    await live.sql`update orders set runs = 5 where id = 1`
    await act('row-table-action/orders/mark_reviewed/2')
    const [stale] = await listChanges(watcher, 1)
    expect(stale).toMatchObject({ event: 'rows.stale', seq: 1, data: { reason: 'too_many' } })
    expect(await live.sql`select seq from table_control.subscriptions`).toEqual([{ seq: 1 }])
  })

  it('are replaced by rows.stale if an item does not fit into a message', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    await act('row-table-action/orders/rename/1', { title: 'x'.repeat(200_000) })
    const [stale] = await listChanges(watcher, 1)
    expect(stale).toMatchObject({ event: 'rows.stale', data: { reason: 'too_large' } })
    const reply = await subscribe(watcher)
    expect(reply.data).toEqual({ table: 'orders', stale: true })
  })

  it('remove a socket that the gateway calls gone, with its subscriptions', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    const [kept] = await live.sql`select to_jsonb(socket) as socket, to_jsonb(watch) as watch
      from table_control.sockets socket join table_control.subscriptions watch using (connection_id)`
    await watcher.close()
    await expect.poll(() => live.sql`select id from table_control.subscriptions`).toEqual([])
    // These rows stay if the gateway does not report the end of the connection.
    await live.sql`insert into table_control.sockets
      select (jsonb_populate_record(null::table_control.sockets, ${kept?.['socket']})).*`
    await live.sql`insert into table_control.subscriptions
      select (jsonb_populate_record(null::table_control.subscriptions, ${kept?.['watch']})).*`
    await act('row-table-action/orders/count/1')
    await live.drain()
    expect(await live.sql`select id from table_control.subscriptions`).toEqual([])
    expect(await live.sql`select subject from table_control.sockets`).toEqual([])
  })

  it('are sent by the sweep if the queue has lost the message that wakes the worker', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    await act('row-table-action/orders/count/1')
    await live.sql`update table_control.row_events set due_at = now() - interval '1 minute' where connection_id is null`
    await live.empty()
    await live.sweep()
    expect(await listChanges(watcher, 1)).toMatchObject([{ event: 'rows.changed' }])
    expect(await listEvents()).toEqual([])
  })
})
