import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import type { TableError } from '../../lib/client/index.ts'
import { createLiveClient, type LiveQuery, type RowsChange, type WatchState } from '../../lib/client/live.ts'
import type { TablesOf } from '../../lib/client/table-types.ts'
import { createRegistry } from '../../lib/index.ts'
import { disconnectFrom } from '../../lib/push/post-to-connection.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { ofOrders, orderColumns, ordersTable } from '../support/fixtures/orders-table.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { createApiFetch } from '../support/requests/api-fetch.ts'
import type { TestIdentity } from '../support/requests/identity-provider.ts'
import { eventually } from '../support/run/patience.ts'
import { startWatchingInstallation } from '../support/sockets/watching-installation.ts'

const changeable = defineFixture({
  ...ofOrders,
  name: 'changeable',
  columns: { ...orderColumns, actions: { label: 'Actions', type: 'actions' } },
  filters: { state: { type: 'text', label: 'State' } },
  sortables: ['id', 'title', 'runs'],
  rowActions: {
    rename: {
      label: 'Rename',
      form: z.strictObject({ title: z.string() }),
      run: async ({ db, row, input }) => {
        await db.update(orders).set({ title: input.title }).where(eq(orders.id, row.id))
      },
    },
    move: {
      label: 'Move',
      form: z.strictObject({ state: z.enum(['open', 'done', 'archived']), runs: z.number() }),
      run: async ({ db, row, input }) => {
        await db.update(orders).set(input).where(eq(orders.id, row.id))
      },
    },
  },
})
const registry = createRegistry([ordersTable, changeable], { claims: fixtureClaims })
const live = await startWatchingInstallation(registry)
beforeEach(live.clear)

const colleague: TestIdentity = { ...north, sub: 'colleague' }
const act = (path: string, body: object = {}) => live.actions.post(`row-table-action/${path}`, body, { as: colleague })
type Row = Readonly<Record<string, unknown>> & { readonly id: string | number }

function createClient(token = () => live.tokenFor(north)) {
  const client = createLiveClient<typeof registry>({
    baseUrl: publicUrl,
    token,
    socketUrl: live.gateway.url,
    fetch: createApiFetch(live.actions),
  })
  onTestFinished(client.close)
  return client
}

/** Watches a page, and keeps what it is told. */
function watch(query: LiveQuery<TablesOf<typeof registry>['changeable']>, client = createClient()) {
  const received: { items: readonly Row[]; changes: RowsChange[]; states: [WatchState, TableError | undefined][] } = {
    items: [],
    changes: [],
    states: [],
  }
  const { stop } = client.watch('changeable', query, {
    onRows: (items, change) => {
      received.items = items as readonly Row[]
      received.changes.push(change)
    },
    onState: (state, error) => received.states.push([state, error]),
  })
  const until = (met: () => boolean) =>
    eventually(
      async () => met() || undefined,
      () => received,
    )
  const isIn = (state: WatchState) => () => received.states.at(-1)?.[0] === state
  return { received, stop, until, isIn }
}

const readPage = async (query: object) => (await live.actions.post('query-table/changeable', query)).json.items
const bySort = (field: 'id' | 'title' | 'runs') => ({ sorts: [{ field, direction: 'asc' }], perPage: 5 }) as const

describe('a page of the live client', () => {
  it('has what query-table returns, and every change in one step', async () => {
    const query = { filters: [{ field: 'state', value: 'open' }], ...bySort('title'), perPage: 3 } as const
    const { received, until, isIn } = watch(query)
    await until(isIn('live'))
    expect(received.items).toEqual(await readPage(query))
    const [first, , third] = received.items
    await act('changeable/move/2', { state: 'done', runs: 1 })
    await live.drain()
    await until(() => received.changes.length === 2)
    expect(received.changes[1]).toEqual({ entered: [4], changed: [], left: [2], isMoved: true })
    expect(received.items).toEqual(await readPage(query))
    expect([received.items[0], received.items[1]]).toEqual([first, third])
    expect(received.items[0]).toBe(first)
  })

  it('has rows without the shared parts of actions where it is given the structure, and completes them', async () => {
    const { json: structure } = await live.actions.get('load-table/changeable')
    const client = createClient()
    const items: unknown[] = []
    client.watch('changeable', { perPage: 2 }, { structure, onRows: (rows) => items.push(...rows) })
    await eventually(async () => items.length === 2 || undefined)
    expect(items).toMatchObject(await readPage({ perPage: 2 }))
    expect(await live.sql`select query from table_control.subscriptions`).toHaveLength(1)
  })

  it('is asked for again after a connection that was lost, with what was missed', async () => {
    const { received, until, isIn } = watch(bySort('id'))
    await until(isIn('live'))
    const disconnect = await disconnectFrom(live.gateway.managementEndpoint)
    for (const id of live.gateway.connectionIds()) await disconnect(id)
    await until(isIn('lost'))
    await act('changeable/rename/1', { title: 'While nobody listened' })
    await until(isIn('live'))
    expect(received.items).toEqual(await readPage(bySort('id')))
    expect(received.items[0]?.['title']).toBe('While nobody listened')
  })

  it('is asked for by a request if it is too large for a message', async () => {
    const query = { ...bySort('id'), perPage: 10 }
    await live.sql`update orders set title = title || repeat('x', 40000) where id < 6`
    const { received, until, isIn } = watch(query)
    await until(isIn('live'))
    expect(received.items).toEqual(await readPage(query))
  })

  it('is asked for again when it is stale', async () => {
    const { received, until, isIn } = watch(bySort('id'))
    await until(isIn('live'))
    await act('changeable/rename/1', { title: 'x'.repeat(200_000) })
    await live.drain()
    await until(() => received.changes.length === 2)
    await until(isIn('live'))
    expect(received.states.map(([state]) => state)).toEqual(['asking', 'live', 'asking', 'live'])
    expect(received.items).toEqual(await readPage(bySort('id')))
  })

  it('ends with the reason where the service refuses its query, and with none where the caller stops it', async () => {
    const refused = watch({ perPage: 101 })
    await refused.until(refused.isIn('ended'))
    expect(refused.received.states.at(-1)?.[1]).toMatchObject({
      code: 'validation_failed',
      fields: { perPage: [expect.any(String)] },
    })
    const stopped = watch(bySort('title'))
    await stopped.until(stopped.isIn('live'))
    stopped.stop()
    expect(stopped.received.states.at(-1)).toEqual(['ended', undefined])
    await expect.poll(() => live.sql`select id from table_control.subscriptions`).toEqual([])
  })

  it('shares one socket with the other pages of its client', async () => {
    const client = createClient()
    const pages = [watch(bySort('title'), client), watch(bySort('runs'), client), watch({ perPage: 2 }, client)]
    for (const { until, isIn } of pages) await until(isIn('live'))
    expect(live.gateway.connectionIds()).toHaveLength(1)
    expect(await live.sql`select id from table_control.subscriptions`).toHaveLength(3)
    client.close()
    for (const { received } of pages) expect(received.states.at(-1)).toEqual(['ended', undefined])
    await expect.poll(() => live.gateway.connectionIds()).toEqual([])
  })
})

const step = fc.record({
  id: fc.integer({ min: 1, max: 12 }),
  change: fc.oneof(
    fc.record({ title: fc.string({ minLength: 1, maxLength: 3 }) }),
    fc.record({ state: fc.constantFrom('open', 'done', 'archived'), runs: fc.integer({ min: 0, max: 5 }) }),
  ),
})
const window = fc.record(
  {
    filters: fc.constant([{ field: 'state', value: 'open' }] as const),
    sorts: fc
      .record({ field: fc.constantFrom('title', 'runs', 'id'), direction: fc.constantFrom('asc', 'desc') })
      .map((sort) => [sort]),
    page: fc.integer({ min: 1, max: 2 }),
    perPage: fc.integer({ min: 1, max: 6 }),
  },
  { requiredKeys: ['perPage'] },
)

describe('a client that applies messages', () => {
  it('has the same page as a client that requests it, after any changes of others', async () => {
    const client = createClient()
    await fc.assert(
      fc.asyncProperty(
        window,
        fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
        async (query, rounds) => {
          await live.reset()
          const { received, stop, until, isIn } = watch(query, client)
          await until(isIn('live'))
          for (const changes of rounds) {
            for (const { id, change } of changes)
              await act(`changeable/${'title' in change ? 'rename' : 'move'}/${id}`, change)
            await live.sql`update table_control.subscriptions set sent_at = null`
            await live.drain()
            const page = JSON.stringify(await readPage(query))
            await until(() => isIn('live')() && JSON.stringify(received.items) === page)
            expect(received.items).toEqual(JSON.parse(page))
          }
          stop()
        },
      ),
      { numRuns: 40 },
    )
  })
})
