import { sql } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { createRegistry, everyRow } from '../../lib/index.ts'
import { defineFixture, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { oneMore } from '../support/fixtures/orders-table.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { startWatchingInstallation } from '../support/sockets/watching-installation.ts'

/** An order with five runs takes far longer than the budget, which the planner does not know. */
const speed = sql<string>`case when ${orders.runs} = 5 then pg_sleep(60)::text else 'fast' end`

const bounded = defineFixture({
  name: 'bounded',
  from: orders,
  key: 'id',
  scope: everyRow,
  pageBudgetMs: 1_000,
  computed: { speed },
  columns: { id: { label: 'ID' }, runs: { label: 'Runs' }, speed: { label: 'Speed', type: 'text', sortable: true } },
  rowActions: { count: { run: ({ db, where }) => db.update(orders).set({ runs: oneMore }).where(where) } },
})

const live = await startWatchingInstallation(createRegistry([bounded], { claims: fixtureClaims }))
beforeEach(live.clear)

const subscribe = (query: object) => ({
  event: 'subscribe',
  id: 'page',
  table: 'bounded',
  token: live.tokenFor(north),
  query,
})
const bySpeed = { sorts: [{ field: 'speed', direction: 'asc' }] }
const costly = {
  code: 'page_too_costly',
  errors: [expect.stringContaining('more than 1000 ms'), expect.stringMatching(/[ء-ي]/)],
}

it('refuses to watch a page that exceeds the budget of its table, in both languages', async () => {
  await live.sql`update orders set runs = 5 where id = 1`
  const watcher = await live.watch()
  expect(await watcher.ask(subscribe(bySpeed))).toMatchObject({ event: 'error', id: 'page', ...costly })
  expect(await watcher.ask(subscribe({ columns: ['id', 'runs'] }))).toMatchObject({ event: 'rows.subscribed' })
})

it('ends a subscription with the reason once its page exceeds the budget', async () => {
  const watcher = await live.watch()
  expect(await watcher.ask(subscribe(bySpeed))).toMatchObject({ event: 'rows.subscribed' })
  await live.sql`update orders set runs = 5 where id = 2`
  await live.actions.post('row-table-action/bounded/count/1', { columns: ['id'] })
  await live.drain()
  expect((await watcher.received(2))[1]).toMatchObject({ event: 'rows.ended', id: 'page', seq: 1, data: costly })
  expect(await live.sql`select id from table_control.subscriptions`).toEqual([])
  expect(await live.sql`select id from table_control.row_events where connection_id is null`).toEqual([])
})
