import { finished } from 'node:stream/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { postgresMajor } from '../../infra/local/database/postgres-binaries.ts'
import { adviseOnLiveTables } from '../../infra/scaffold/lint/advise-on-live-tables.ts'
import { writeTriggers } from '../../infra/scaffold/lint/lint-live.ts'
import { takeLiveTables } from '../../infra/smoke/live-step.ts'
import { openSmokeSocket } from '../../infra/smoke/smoke-socket.ts'
import { createSteps } from '../../infra/smoke/steps.ts'
import type { LoadedTable } from '../../infra/smoke/wire.ts'
import { createRegistry } from '../../lib/index.ts'
import { defineFixture, fixtureClaims, north, south } from '../support/fixtures/identities.ts'
import { ofOrders, orderColumns } from '../support/fixtures/orders-table.ts'
import { readmeSamples } from '../support/requests/readme-examples.ts'
import { takeLog } from '../support/run/captured-log.ts'
import { startWatchingInstallation, type Watcher } from '../support/sockets/watching-installation.ts'
import { keyedDdl, keyedTables } from './keyed-tables.ts'
import { showPage } from './shown-page.ts'

const columns = { ...ofOrders, columns: orderColumns, filters: { state: { type: 'text', label: 'State' } } } as const
const registry = createRegistry(
  [
    defineFixture({ ...columns, name: 'live_orders', live: true }),
    defineFixture({ ...columns, name: 'quiet_orders' }),
    ...keyedTables,
  ],
  { claims: fixtureClaims },
)

const live = await startWatchingInstallation(registry)
await live.sql.unsafe(keyedDdl)
await live.sql`create trigger live_orders after insert or update or delete or truncate on orders
  for each statement execute function table_control.record_row_change('live_orders')`
beforeEach(live.clear)

const subscribe = (watcher: Watcher, table = 'live_orders', as = north) =>
  watcher.ask({ event: 'subscribe', id: 'page', table, token: live.tokenFor(as), query: { perPage: 3 } })

const listEvents = () =>
  live.sql`select table_name, is_truncate from table_control.row_events where connection_id is null order by id`
const listPolls = () => live.sql`select table_name, number from table_control.row_polls`
/** Hands the worker the next message of the poll, as the queue does when it is due. */
const poll = async () => {
  const [row] = await listPolls()
  await live.receive([{ v: 1, watched: 'live_orders', poll: row?.['number'] }])
}
const hearsNothing = async (watcher: Watcher) => expect(await watcher.listReceived()).toEqual(['rows.subscribed'])

describe('a write of another program', () => {
  const truncated = readmeSamples('### Live rows').at(-1)
  it.each([
    ['an update', 'update orders set runs = 7 where id = 2', [{ event: 'rows.changed', data: { items: [{ id: 2 }] } }]],
    [
      'a delete',
      'delete from orders where id = 1',
      [
        { event: 'rows.left', data: { ids: [1] } },
        { event: 'rows.entered', data: { items: [{ id: 4 }], order: [2, 3, 4] } },
      ],
    ],
    [
      'an insert',
      "insert into orders (id, tenant, title, state) values (0, 'north', 'New', 'open')",
      [
        { event: 'rows.left', data: { ids: [3] } },
        { event: 'rows.entered', data: { items: [{ id: 0 }] } },
      ],
    ],
    [
      'TRUNCATE, as functions/README.md shows it',
      'truncate orders',
      [{ event: truncated?.['event'], seq: 1, data: truncated?.['data'] }],
    ],
  ])('reaches the watchers of a live table by the poll: %s', async (_, statement, messages) => {
    const watcher = await live.watch()
    await subscribe(watcher)
    await live.sql.unsafe(statement)
    await poll()
    expect((await watcher.received(1 + messages.length)).slice(1)).toMatchObject(messages)
    expect(await listEvents()).toEqual([])
  })

  it('is stored once for a transaction, however many statements it has', async () => {
    await subscribe(await live.watch())
    await live.sql.begin(async (sql) => {
      for (const id of [1, 2, 3]) await sql`update orders set runs = 5 where id = ${id}`
      await sql`truncate orders`
      await sql`truncate orders`
    })
    expect(await listEvents()).toEqual([
      { table_name: 'live_orders', is_truncate: false },
      { table_name: 'live_orders', is_truncate: true },
    ])
  })

  it('is stored once for a transaction whose statements run in savepoints, unless its savepoint is rolled back', async () => {
    await subscribe(await live.watch())
    await live.sql.begin(async (sql) => {
      const undone = sql.savepoint(async (inner) => {
        await inner`update orders set runs = 5`
        throw new Error('undone')
      })
      await expect(undone).rejects.toThrow('undone')
      for (const id of [1, 2, 3]) await sql.savepoint((inner) => inner`update orders set runs = 5 where id = ${id}`)
      await sql.savepoint((inner) => inner`truncate orders`)
      await sql`delete from orders`
    })
    expect(await listEvents()).toEqual([
      { table_name: 'live_orders', is_truncate: false },
      { table_name: 'live_orders', is_truncate: true },
    ])
    await live.sql`insert into orders (id, tenant, title, state) values (9, 'north', 'Next', 'open')`
    expect(await listEvents()).toHaveLength(3)
  })

  it('sends no message if it is rolled back', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    const undone = live.sql.begin(async (sql) => {
      await sql`update orders set runs = 5`
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect(await listEvents()).toEqual([])
    await poll()
    await hearsNothing(watcher)
  })

  it('sends no message to a watcher whose scope does not have the row', async () => {
    const watcher = await live.watch(south)
    await subscribe(watcher, 'live_orders', south)
    await live.sql`update orders set runs = 5 where tenant = 'north'`
    await poll()
    await hearsNothing(watcher)
  })

  it('sends no message about TRUNCATE to a watcher whose page had no rows', async () => {
    const elsewhere = { ...north, tenant: 'elsewhere' }
    const watcher = await live.watch(elsewhere)
    await subscribe(watcher, 'live_orders', elsewhere)
    await live.sql`truncate orders`
    await poll()
    await hearsNothing(watcher)
  })

  it('stores nothing while no page watches the table, or only another table with the same rows is watched', async () => {
    await live.sql`update orders set runs = 5`
    await subscribe(await live.watch(), 'quiet_orders')
    await live.sql`update orders set runs = 6`
    expect(await listEvents()).toEqual([])
  })

  it('reads none of 1,000 subscriptions to another table while no page watches its own', async () => {
    await subscribe(await live.watch())
    await live.multiply()
    await live.sql.begin(async (sql) => {
      await sql`create temporary table unwatched (id integer) on commit drop`
      await sql`create trigger live after insert on unwatched for each statement
        execute function table_control.record_row_change('unwatched')`
      // As after five statements of a session.
      await sql`set local plan_cache_mode = force_generic_plan`
      await sql`insert into unwatched values (1)`
      const [read] = await sql`select seq_tup_read::int as rows from pg_stat_xact_all_tables
        where relid = 'table_control.subscriptions'::regclass`
      expect(read?.['rows']).toBeLessThan(1_000)
    })
  })

  it('is stored with the rights of the function’s owner, for a role that may only write to the table', async () => {
    await subscribe(await live.watch())
    await live.sql.begin(async (sql) => {
      await sql`create role importer`
      await sql`grant select, update on orders to importer`
      await sql`set local role importer`
      await sql`set local search_path to pg_temp, public`
      await sql`update orders set runs = 5 where id = 1`
      await sql`reset role`
      expect(await sql`select table_name from table_control.row_events where connection_id is null`).toHaveLength(1)
      await sql`drop owned by importer`
      await sql`drop role importer`
    })
  })
})

describe('keys of type', () => {
  it.each([
    [
      'uuid',
      ['0190f3a0-0000-7000-8000-000000000001', 'ffffffff-ffff-4fff-bfff-ffffffffffff'],
      'A0000000-0000-7000-8000-00000000000A',
    ],
    ['bigint', ['9007199254740993', '9007199254740992', '-9223372036854775808', '0'], '9223372036854775807'],
    [
      'text',
      [
        '',
        ' ',
        '"',
        "it's",
        '\\',
        'a\nb',
        'طلب ٣',
        '👩‍👩‍👧',
        '../..',
        '%2F?#',
        '__proto__',
        '-0',
        '{"a":1}',
        'é',
        'e\u0301',
      ],
      'new\t"key"',
    ],
    ['date', ['2024-02-29', '0001-01-01', 'infinity'], '9999-12-31'],
    ['timestamptz', ['2024-02-29T23:59:59.123456Z', '1970-01-01T00:00:00Z'], '2030-01-01T00:00:00.000001+03'],
  ])(
    '%s reach watchers as query-table shows them: of rows that enter, change, change their key and leave',
    async (type, keys, next) => {
      const table = `keyed_${type}`
      await live.sql.unsafe(`delete from ${table}`)
      const page = await showPage(live, table)
      const write = async (statement: string, ...parameters: readonly string[]) => {
        await live.sql.unsafe(statement.replace(/\$\d/g, `$&::text::${type}`), [...parameters])
        return page.afterPoll()
      }
      for (const key of keys) await live.sql.unsafe(`insert into ${table} values ($1::text::${type}, 'new')`, [key])
      expect((await page.afterPoll()).events).toEqual(['rows.entered'])
      expect((await write(`update ${table} set title = 'changed'`)).events).toEqual(['rows.changed'])
      const renamed = await write(`update ${table} set id = $2 where id = $1`, keys[0] ?? '', next)
      expect(renamed.events).toEqual(['rows.left', 'rows.entered'])
      const left = await write(`delete from ${table} where id <> $1`, next)
      expect(left).toMatchObject({ events: ['rows.left'], items: [{}] })
    },
  )
})

describe('every kind of statement by another program', () => {
  const copyRow = async () => {
    const stream = await live.sql`copy keyed_text (id, title) from stdin`.writable()
    await finished(stream.end('copied\tby COPY\n"\\\\\tquoted\n'))
  }
  const undoPart = () =>
    live.sql.begin(async (sql) => {
      await sql`insert into keyed_text values ('kept', 'before')`
      const undone = sql.savepoint(async (inner) => {
        await inner`delete from keyed_text`
        throw new Error('undone')
      })
      await undone.catch(() => undefined)
      await sql`update keyed_text set title = 'after' where id = 'kept'`
    })
  const cascade = `create table parents (id text primary key); insert into parents select title from keyed_text;
    alter table keyed_text add constraint parent foreign key (title) references parents on delete cascade;
    delete from parents where id = '1'; alter table keyed_text drop constraint parent; drop table parents`
  const run = (statement: string) => () => live.sql.unsafe(statement).simple()
  const merging =
    "merge into keyed_text t using (values ('a'), ('z')) v(id) on t.id = v.id when matched then delete when not matched then insert values (v.id, 'merged')"
  const merge: [string, () => Promise<unknown>] = ['MERGE', run(merging)]
  it.each([
    ['an insert of several rows', run("insert into keyed_text values ('x', ''), ('y', '')")],
    ['an update of several rows', run("update keyed_text set title = title || '!'")],
    ['a delete of several rows', run("delete from keyed_text where id in ('a', 'b')")],
    [
      'INSERT … ON CONFLICT that updates',
      run("insert into keyed_text values ('a', 'met') on conflict (id) do update set title = excluded.title"),
    ],
    ['COPY … FROM STDIN', copyRow],
    ...(postgresMajor() < 15 ? [] : [merge]),
    [
      'a common table expression',
      run(
        "with gone as (delete from keyed_text where id = 'a' returning title) insert into keyed_text select 'moved', title from gone",
      ),
    ],
    ['a transaction of which a savepoint is rolled back', undoPart],
    ['the cascade of a foreign key', run(cascade)],
    [
      'a function',
      run(
        "do $$ begin begin update keyed_text set title = 'caught'; perform 1 / 0; exception when others then delete from keyed_text where id = 'b'; end; end $$",
      ),
    ],
  ])('reaches watchers, whose page then equals that of query-table: %s', async (_, write) => {
    await live.sql
      .unsafe(`delete from keyed_text; insert into keyed_text values ('a', '1'), ('b', '2'), ('c', '3')`)
      .simple()
    const page = await showPage(live, 'keyed_text')
    await write()
    expect((await page.afterPoll()).events).not.toEqual([])
  })

  it('is missed in a session with session_replication_role = replica, unless the trigger is enabled always', async () => {
    await live.sql`delete from keyed_text`
    const page = await showPage(live, 'keyed_text')
    const replicate = () =>
      live.sql.begin(async (sql) => {
        await sql`set local session_replication_role = replica`
        await sql`insert into keyed_text values (gen_random_uuid(), 'replicated')`
      })
    await replicate()
    expect(await listEvents()).toEqual([])
    await live.sql`alter table keyed_text enable always trigger keyed`
    try {
      await replicate()
      expect((await page.afterPoll()).items).toHaveLength(2)
    } finally {
      await live.sql`alter table keyed_text enable trigger keyed`
    }
  })
})

describe('the poll of a live table', () => {
  it('begins with the first subscription, and goes on with one message for any number of subscriptions', async () => {
    await subscribe(await live.watch())
    await subscribe(await live.watch(south), 'live_orders', south)
    expect(await listPolls()).toEqual([{ table_name: 'live_orders', number: 1 }])
    await poll()
    expect(await listPolls()).toEqual([{ table_name: 'live_orders', number: 2 }])
    await live.receive([{ v: 1, watched: 'live_orders', poll: 1 }])
    expect(await listPolls()).toEqual([{ table_name: 'live_orders', number: 2 }])
  })

  it('ends when no page watches any more, and begins again with the next subscription', async () => {
    const watcher = await live.watch()
    await subscribe(watcher)
    await watcher.ask({ event: 'unsubscribe', id: 'page' })
    await live.empty()
    await poll()
    expect(await listPolls()).toEqual([])
    await subscribe(watcher)
    expect(await listPolls()).toEqual([{ table_name: 'live_orders', number: 1 }])
  })

  it('logs an error when it begins without an enabled trigger on the table itself, which npm start reports as well', async () => {
    const watchAnew = async () => {
      await live.sql`delete from table_control.row_polls`
      await subscribe(await live.watch())
      return takeLog()
    }
    expect(await watchAnew()).toBe('')
    expect(await adviseOnLiveTables(live.sql, registry)).toEqual([])
    await live.sql`create trigger of_related after insert or update or delete or truncate on lines
      for each statement execute function table_control.record_row_change('live_orders')`
    await live.sql`alter table orders disable trigger live_orders`
    try {
      expect(await watchAnew()).toMatch(/has no enabled trigger.*"table":"live_orders"/)
      expect(await adviseOnLiveTables(live.sql, registry)).toEqual([
        expect.stringMatching(
          /^table live_orders: .* its trigger is disabled; as its owner: alter table "orders" enable trigger "live_orders"$/,
        ),
      ])
    } finally {
      await live.sql`alter table orders enable trigger live_orders`
      await live.sql`drop trigger of_related on lines`
    }
  })

  it('is checked by npm run smoke, which names the statement of a trigger that is missing or disabled', async () => {
    const target = { baseUrl: '', guards: ['api'], token: live.tokenFor(north), origin: undefined }
    const socket = await openSmokeSocket(live.gateway.url, { likely: '', fix: '' }, ['bearer', target.token])
    onTestFinished(socket.close)
    const tables = ['live_orders', 'quiet_orders'].map((tableName) => ({ table: { tableName } as LoadedTable }))
    const smoke = async () => {
      const steps = createSteps({ ended: () => undefined })
      await takeLiveTables(steps, target, socket, tables, writeTriggers(registry))
      return steps.results()
    }
    expect(await smoke()).toMatchObject([{ outcome: 'passed', detail: 'live_orders' }])
    await live.sql`alter table orders disable trigger live_orders`
    onTestFinished(async () => {
      await live.sql`alter table orders enable trigger live_orders`
    })
    const [failed] = await smoke()
    expect(failed).toMatchObject({ outcome: 'failed', detail: expect.stringMatching(/changes of live_orders$/) })
    expect(failed?.advice?.fix).toMatch(/: create trigger "live_live_orders" .*record_row_change\('live_orders'\)$/)
    expect(await live.sql`select id from table_control.subscriptions`).toEqual([])
  })

  it('does not begin for a table that is not live', async () => {
    await subscribe(await live.watch(), 'quiet_orders')
    expect(await listPolls()).toEqual([])
  })

  it.each([
    ['the queue has lost its message', "now() - interval '1 minute'"],
    ['the clock was set back by an hour', "now() + interval '1 hour'"],
  ])('is taken up by the sweep, or by the next subscription, if %s', async (_, dueAt) => {
    const watcher = await live.watch()
    await subscribe(watcher)
    await live.sql.unsafe(`update table_control.row_polls set due_at = ${dueAt}`)
    await live.sql`update orders set runs = 5 where id = 1`
    await live.empty()
    await live.sweep()
    await live.drain()
    expect((await watcher.received(2))[1]).toMatchObject({ event: 'rows.changed' })
    expect(await listPolls()).toEqual([{ table_name: 'live_orders', number: 3 }])
    await live.sql.unsafe(`update table_control.row_polls set due_at = ${dueAt}`)
    await subscribe(watcher)
    expect(await listPolls()).toEqual([{ table_name: 'live_orders', number: 4 }])
  })
})
