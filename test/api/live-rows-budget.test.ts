import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { createRegistry, forbidden, type TransactionSession, tableDefiner } from '../../lib/index.ts'
import { sealingContext } from '../../lib/operations/watch-rows.ts'
import { insertRowEvent } from '../../lib/push/subscriptions.ts'
import { sealColumn } from '../../lib/storage/sealed-column.ts'
import { fixtureClaims, north } from '../support/fixtures/identities.ts'
import { ofOrders, oneMore, orderColumns } from '../support/fixtures/orders-table.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'
import { serviceSecret } from '../support/requests/service-environment.ts'
import { startWatchingInstallation, type Watcher } from '../support/sockets/watching-installation.ts'

const count = {
  run: async ({ db, row }: { readonly db: TransactionSession; readonly row: { readonly id: number } }) => {
    await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
  },
}

const plain = { ...ofOrders, columns: orderColumns, rowActions: { count } } as const

const claims = fixtureClaims.extend({ regions: z.array(z.string()).transform((all): Iterable<string> => new Set(all)) })
const defineWatched = tableDefiner<z.output<typeof claims>>()

/** Is called for each watcher of `guarded` who is admitted. */
let onAdmission: () => Promise<unknown> = async () => undefined

const registry = createRegistry(
  [
    defineWatched({ ...plain, name: 'plain' }),
    defineWatched({
      ...plain,
      name: 'personal',
      columns: {
        ...orderColumns,
        viewer: { label: 'By', value: ({ runs }, { identity: by }) => `${[by.subject, ...by.claims.regions, runs]}` },
      },
    }),
    defineWatched({
      ...plain,
      name: 'guarded',
      middlewares: [
        async ({ identity }) => {
          if (identity.subject === 'nobody') throw forbidden()
          await onAdmission()
        },
      ],
    }),
  ],
  { claims },
)

const live = await startWatchingInstallation(registry)
beforeEach(() => {
  onAdmission = async () => undefined
  live.gateway.faults.clear()
  return live.clear()
})

const nora = { ...north, regions: ['coast', 'hills'] }
const caller = (place: number): TestIdentity => ({ ...nora, sub: `caller-${place}` })
const change = (table: string, id = 1) => live.actions.post(`row-table-action/${table}/count/${id}`, {}, { as: nora })

/** Lets the caller of a socket watch a page. */
const subscribe = (watcher: Watcher | undefined, table: string, query: object, { id = 'page', place = 0 } = {}) =>
  watcher?.ask({ event: 'subscribe', id, table, token: live.tokenFor(caller(place)), query })

/** Opens sockets of as many callers on so many different pages, which all show the first order. */
async function watchPages(table: string, sockets: number, windows: number): Promise<readonly Watcher[]> {
  const watchers: Watcher[] = []
  for (let place = 0; place < sockets; place++) {
    const watcher = await live.watch(caller(place))
    const reply = await subscribe(watcher, table, { perPage: 1 + (place % windows) }, { place })
    expect(reply.event).toBe('rows.subscribed')
    watchers.push(watcher)
  }
  await live.sql`delete from table_control.row_events`
  await live.empty()
  return watchers
}

/** Lets the messages be sent that wait for their time. */
const passTime = async () => {
  await live.sql`update table_control.subscriptions set sent_at = now() - interval '1 minute'`
  await live.sql`update table_control.row_events set due_at = now()`
}

/** Has the watchers of a table told, and returns the worker's statements by what they are about. */
async function countStatements(table: string): Promise<{ readonly pages: number; readonly others: number }> {
  live.statements.length = 0
  await live.wake(table)
  const pages = live.statements.filter((text) => text.includes('"orders"')).length
  return { pages, others: live.statements.length - pages }
}

describe('the statements that notify watchers of changes', () => {
  it.each([
    { table: 'plain', sockets: 1, windows: 1 },
    { table: 'plain', sockets: 12, windows: 1 },
    { table: 'plain', sockets: 12, windows: 4 },
    { table: 'personal', sockets: 12, windows: 4 },
    { table: 'guarded', sockets: 12, windows: 4 },
  ])('are one for each of $windows pages and five others, for $sockets sockets on the table $table', async (of) => {
    const watchers = await watchPages(of.table, of.sockets, of.windows)
    await change(of.table)
    expect(await countStatements(of.table)).toEqual({ pages: of.windows, others: 5 })
    for (const watcher of watchers)
      expect((await watcher.received(2))[1]).toMatchObject({ event: 'rows.changed', seq: 1 })
  })

  it('are one for the page and four others if no watcher shows what has changed', async () => {
    await watchPages('plain', 4, 1)
    await change('plain', 5)
    expect(await countStatements('plain')).toEqual({ pages: 1, others: 4 })
  })
})

describe('a change of a table that no page watches', () => {
  it('reads none of 1,000 subscriptions to another table', async () => {
    await watchPages('plain', 1, 1)
    await live.multiply()
    const event = insertRowEvent('audited.table_name', 'true', 'audited')
    const plan = await live.sql.begin(async (sql) => {
      const statement = `with audited as (select $1::text as table_name) ${event}`
      await sql.unsafe(`set local plan_cache_mode = force_generic_plan; prepare written as ${statement}`).simple()
      return sql`explain execute written ('orders')`.simple()
    })
    expect(JSON.stringify(plan)).toContain('using subscriptions_by_table')
    expect(JSON.stringify(plan)).not.toContain('Seq Scan on subscriptions')
  })
})

describe('the messages of changes', () => {
  it('are one for each socket and one for the queue, however many changes come before the worker looks', async () => {
    const watchers = await watchPages('plain', 3, 1)
    await Promise.all([change('plain'), change('plain'), change('plain')])
    await live.drain()
    for (const watcher of watchers) {
      expect(await watcher.listReceived()).toEqual(['rows.subscribed', 'rows.changed'])
    }
  })

  it('are none for the queue while a worker notifies the watchers, which looks again before it ends', async () => {
    const [watcher] = await watchPages('plain', 1, 1)
    await change('plain')
    await live.empty()
    await live.sql`update table_control.row_events set claimed_until = now() + interval '50 seconds'`
    await change('plain')
    expect(await live.drain()).toBe(0)
    await live.wake('plain')
    expect(watcher?.messages).toHaveLength(1)
    await live.sql`update table_control.row_events set claimed_until = now() where claimed_until is not null`
    await live.wake('plain')
    expect((await watcher?.received(2))?.[1]).toMatchObject({ event: 'rows.changed', data: { items: [{ runs: 2 }] } })
    expect(await live.sql`select id from table_control.row_events`).toEqual([])
  })
})

describe('a page that shows who its watcher is', () => {
  it('is each watcher’s own, though their claims and queries are equal', async () => {
    const watchers = await watchPages('personal', 3, 1)
    await change('personal')
    await live.drain()
    for (const [place, watcher] of watchers.entries()) {
      const [, changed] = await watcher.received(2)
      expect(changed?.data.items).toMatchObject([{ id: 1, viewer: `caller-${place},coast,hills,1` }])
    }
  })
})

describe('a caller whose pages are slow', () => {
  it('does not keep others waiting', async () => {
    const [slow, quick] = await watchPages('guarded', 2, 2)
    await change('guarded')
    const delivery = Promise.withResolvers<void>()
    let isFirst = true
    onAdmission = async () => {
      const waits = isFirst
      isFirst = false
      if (waits) await delivery.promise
    }
    const draining = live.drain()
    const received = Promise.race([quick?.received(2), slow?.received(2)])
    expect((await received)?.[1]).toMatchObject({ event: 'rows.changed' })
    delivery.resolve()
    await draining
    for (const watcher of [slow, quick])
      expect(await watcher?.listReceived()).toEqual(['rows.subscribed', 'rows.changed'])
  })

  it('has them read one after the other', async () => {
    const [watcher] = await watchPages('guarded', 1, 1)
    for (const perPage of [2, 3, 4]) await subscribe(watcher, 'guarded', { perPage }, { id: `page-${perPage}` })
    await change('guarded')
    let running = 0
    let most = 0
    onAdmission = async () => {
      running += 1
      most = Math.max(most, running)
      await live.sql`select 1`
      running -= 1
    }
    await live.drain()
    expect(most).toBe(1)
    expect((await watcher?.listReceived())?.filter((event) => event === 'rows.changed')).toHaveLength(4)
  })

  it('has those read later that are not begun within ten seconds, and each of them once', async () => {
    const [watcher] = await watchPages('guarded', 1, 1)
    for (const perPage of [2, 3, 4]) await subscribe(watcher, 'guarded', { perPage }, { id: `page-${perPage}` })
    const known = watcher?.messages.length ?? 0
    await live.sql`delete from table_control.row_events`
    await live.empty()
    await change('guarded')
    let slowMs = 0
    const now = performance.now.bind(performance)
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + slowMs)
    onTestFinished(() => void clock.mockRestore())
    let admissions = 0
    onAdmission = async () => {
      admissions += 1
      slowMs += 10_001
    }
    await live.drain()
    for (let more = 0; more < 3; more++) {
      expect(admissions).toBe(1 + more)
      expect(await live.sql`select id from table_control.subscriptions where is_held`).toHaveLength(3 - more)
      await passTime()
      await live.wake('guarded')
    }
    await watcher?.listReceived()
    const delivery = watcher?.messages.slice(known).filter(({ event }) => event.startsWith('rows.'))
    expect(delivery?.map(({ event, id }) => [id, event])).toEqual([
      ['page', 'rows.changed'],
      ...['page-2', 'page-3', 'page-4'].map((id) => [id, 'rows.stale']),
    ])
    expect(admissions).toBe(4)
    expect(await live.sql`select id from table_control.row_events`).toEqual([])
  })

  it('releases a delayed page that has not changed, without reading the caller’s other pages', async () => {
    const [watcher] = await watchPages('plain', 1, 1)
    await subscribe(watcher, 'plain', { perPage: 2 }, { id: 'other' })
    await live.sql`delete from table_control.row_events`
    await live.sql`update table_control.subscriptions set is_held = true where id = 'page'`
    await live.sql`insert into table_control.row_events (table_name, connection_id)
      select table_name, connection_id from table_control.subscriptions where id = 'page'`
    live.statements.length = 0
    await live.wake('plain')
    expect(live.statements.filter((text) => text.includes('"orders"'))).toHaveLength(1)
    expect(await live.sql`select is_held, seq from table_control.subscriptions where id = 'page'`).toEqual([
      { is_held: false, seq: 0 },
    ])
    expect(await watcher?.listReceived()).toEqual(['rows.subscribed', 'rows.subscribed'])
  })
})

describe('ten thousand subscriptions', () => {
  it('are read once for thousands of transactions of another program', async () => {
    await watchPages('guarded', 1, 1)
    await live.sql`insert into table_control.row_events (table_name) select 'guarded' from generate_series(1, 5000)`
    let readCount = 0
    onAdmission = async () => (readCount += 1)
    await live.wake('guarded')
    // A worker that is slow leaves the page to a message that comes later.
    await expect.poll(() => live.drain().then(() => readCount)).toBe(1)
  })

  it('are read a thousand at a time, and a page that equals others of them once', async () => {
    const [watcher] = await watchPages('plain', 1, 1)
    await subscribe(watcher, 'plain', { perPage: 12 }, { id: 'whole' })
    const names = Array.from({ length: 9_998 }, (_, place) => ({
      connectionId: `socket ${Math.floor(place / 20)}`,
      id: `page ${place % 20}`,
    }))
    const connectionIds = names.map(({ connectionId }) => connectionId)
    await live.sql`insert into table_control.sockets (connection_id, subject, expires_at)
      select connection_id, 'caller-' || (row_number() over ()) / 20, now() + interval '1 hour'
      from (select distinct unnest(${connectionIds}::text[])) as other(connection_id)`
    await live.sql`insert into table_control.subscriptions
        (connection_id, id, table_name, identity, guard, language, base_url, query, shown, expires_at)
      select other.connection_id, other.id, table_name, subscriptions.identity || jsonb_build_object('subject', sockets.subject), guard,
        language, base_url, other.query, shown, subscriptions.expires_at
      from table_control.subscriptions, unnest(${connectionIds}::text[], ${names.map(({ id }) => id)}::text[],
        ${names.map((name) => sealColumn(serviceSecret, sealingContext(name), '{"perPage":1}'))}::text[]) as other(connection_id, id, query)
        join table_control.sockets on sockets.connection_id = other.connection_id
      where subscriptions.id = 'page'`
    expect(await live.sql`select count(*)::int from table_control.subscriptions`).toEqual([{ count: 10_000 }])
    await live.sql`delete from table_control.row_events`
    await change('plain', 5)
    const statements = await countStatements('plain')
    expect((await watcher?.received(3))?.[2]).toMatchObject({ event: 'rows.changed', id: 'whole' })
    expect(statements).toEqual({ pages: 11, others: 15 })
  })
})

describe('a watcher', () => {
  it('must ask again after a message that did not reach the socket', async () => {
    const [watcher] = await watchPages('plain', 1, 1)
    live.gateway.faults.add({ status: 400, code: 'BadRequestException' })
    await change('plain')
    await live.drain()
    expect(watcher?.messages).toHaveLength(1)
    await passTime()
    await live.wake('plain')
    expect((await watcher?.received(2))?.[1]).toMatchObject({ event: 'rows.stale', seq: 2, data: { reason: 'unsent' } })
  })

  it.each([
    ['once the next worker looks', async () => undefined],
    ['also for a page that cannot be read', () => Promise.reject(new Error('the page is broken'))],
  ])('must ask again after a worker lost its database between saving a message and sending it: %s', async (_, read) => {
    const [watcher] = await watchPages('guarded', 1, 1)
    await change('guarded')
    // New connections have no statement prepared, so that its text is sent.
    live.network.resetAll()
    const after = 'for no key update of watch'
    live.network.spoil({ kind: 'cut', from: 'server', containing: 'COMMIT', after })
    await live.drain()
    expect(live.network.isSpoilt()).toBe(false)
    expect(await live.sql`select seq from table_control.subscriptions`).toEqual([{ seq: 1 }])
    expect(watcher?.messages).toHaveLength(1)
    onAdmission = read
    await live.wake('guarded')
    await passTime()
    await live.wake('guarded')
    expect((await watcher?.received(2))?.[1]).toMatchObject({ event: 'rows.stale', seq: 2 })
    expect(await live.sql`select id from table_control.row_events`).toEqual([])
  })

  it('must ask again for a page that cannot be read, and is notified of changes after that', async () => {
    const [watcher] = await watchPages('guarded', 1, 1)
    await change('guarded')
    onAdmission = () => Promise.reject(new Error('the page is broken'))
    await live.drain()
    expect((await watcher?.received(2))?.[1]).toMatchObject({ event: 'rows.stale', seq: 1, data: { reason: 'unread' } })
    onAdmission = async () => undefined
    await change('guarded')
    await passTime()
    await live.drain()
    expect((await watcher?.received(3))?.[2]).toMatchObject({ event: 'rows.stale', seq: 2, data: { reason: 'unsent' } })
  })

  it('is left alone by other workers while pages take longer than a claim lasts', async () => {
    const [watcher] = await watchPages('guarded', 1, 1)
    await change('guarded')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    onAdmission = async () => {
      await live.sql`update table_control.row_events set claimed_until = now() + interval '1 second'`
      vi.advanceTimersByTime(10_000)
      const findRenewal = () =>
        live.sql`select from table_control.row_events where claimed_until > now() + interval '20 seconds'`
      await expect.poll(findRenewal).toHaveLength(1)
    }
    await live.drain()
    expect(await watcher?.listReceived()).toEqual(['rows.subscribed', 'rows.changed'])
  })

  it('is read again if another worker has notified it meanwhile', async () => {
    const [watcher] = await watchPages('guarded', 1, 1)
    await change('guarded')
    onAdmission = async () => {
      onAdmission = async () => undefined
      await live.sql`update table_control.subscriptions set seq = 5`
    }
    await live.drain()
    expect((await watcher?.received(2))?.[1]).toMatchObject({ event: 'rows.changed', seq: 6 })
  })

  it('hears nothing once its token has expired, also if a worker reads its page then', async () => {
    const [watcher] = await watchPages('guarded', 1, 1)
    await change('guarded')
    onAdmission = async () => {
      await live.sql`update table_control.subscriptions set expires_at = now()`
    }
    await live.drain()
    expect(await watcher?.listReceived()).toEqual(['rows.subscribed'])
  })

  it.each([
    ['with other rows', async () => undefined],
    ['whose reading is refused', async () => Promise.reject(forbidden())],
  ])('hears nothing of the page %s that it has replaced while a worker reads it', async (_, read) => {
    const [watcher] = await watchPages('guarded', 1, 1)
    await change('guarded')
    onAdmission = async () => {
      onAdmission = async () => undefined
      await subscribe(watcher, 'guarded', { page: 2, perPage: 1 })
      await read()
    }
    await live.drain()
    expect(await watcher?.listReceived()).toEqual(['rows.subscribed', 'rows.subscribed'])
    await change('guarded', 2)
    await live.drain()
    const changed = (await watcher?.received(4))?.at(-1)
    expect(changed).toMatchObject({ event: 'rows.changed', seq: 1, data: { items: [{ id: 2 }] } })
  })
})
