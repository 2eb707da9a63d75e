import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const whole = await startWorkApi()
// Without a limit to how long a lock is waited for, so that a slow machine has time to look.
const api = whole.variant({ DATABASE_TIMEOUTS: 'role' })
beforeEach(() => whole.reset())

// An index would give the rows in the order of their keys by itself.
await whole.sql.unsafe(`do $$ declare setting text; begin
  foreach setting in array array['enable_indexscan', 'enable_indexonlyscan', 'enable_bitmapscan'] loop
    execute format('alter database %I set %I = off', current_database(), setting);
  end loop; end $$`)

it.each([
  ['a row action on several rows', 'row-bulk-table-action/orders/flag', { selected_ids: [1, 2] }],
  ['a bulk action in several chunks', 'bulk-table-action/bulk_orders/finish_all', { selected_ids: [1, 2, 4] }],
])(
  '%s locks its rows in the order of their keys, regardless of their place in the table',
  async (_what, path, body) => {
    // An updated row moves behind the others, and a small table is read from its beginning to its end.
    await whole.sql`update orders set title = title where id = 1`
    const asked = await whole.sql.begin(async (holding) => {
      await holding`select from orders where id = 2 for update`
      const response = api.post(path, { ...body, sorts: { id: 'desc' } })
      // Other files use other databases of the same server.
      const waiting = () => whole.sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
      while ((await waiting()).length === 0) await sleep(5)
      const free = await whole.sql`select id from orders where id in (1, 3, 4) order by id for update skip locked`
      expect(free).toEqual([{ id: 3 }, { id: 4 }])
      return { response }
    })
    expect((await asked.response).status).toBe(200)
  },
)
