import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry, type LoadedRegistry } from '../../lib/index.ts'
import { defineFixture, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { startWatchingInstallation } from '../support/sockets/watching-installation.ts'

const columns = {
  title: { label: { en: 'Title', ar: 'العنوان' }, editable: true, sortable: true },
  state: { label: { en: 'State', ar: 'الحالة' }, editable: true },
  amount: { label: { en: 'Amount', ar: 'المبلغ' } },
} as const
const filters = { state: { type: 'text', label: 'State' } } as const
const formerly = (name: string) => ({ formerly: { name, since: '2026-02-01', sunset: '2126-08-01' } })

/** Registers the orders with other parts. */
const define = (parts: object): LoadedRegistry => {
  const table = { ...ofOrders, name: 'changing', columns, filters, ...parts }
  return createRegistry([defineFixture(table as never)], { claims: fixtureClaims })
}
const before = define({})
/** The registry of the functions that run: a deployment replaces its tables. */
const running = { ...before }
const live = await startWatchingInstallation(running)
beforeEach(async () => {
  await live.clear()
  Object.assign(running, before)
})

const drain = async (): Promise<void> => {
  while ((await live.drain()) > 0);
}
const old = live.variant({}, before)

/** Deploys another version of the table. Returns its endpoints. */
function deploy(registry: LoadedRegistry) {
  Object.assign(running, registry)
  return live.variant({}, registry)
}

describe('a page that is watched while its table changes', () => {
  async function watch(query: object) {
    const watcher = await live.watch()
    const about = { event: 'subscribe', id: 'page', table: 'changing', token: live.tokenFor(north) }
    expect(await watcher.ask({ ...about, query: { perPage: 20, ...query } })).toMatchObject({
      event: 'rows.subscribed',
    })
    return watcher
  }
  /** Deploys a table, and edits the order 9, which is done. Resolves with the message about it. */
  async function readNext(watcher: Awaited<ReturnType<typeof watch>>, registry: LoadedRegistry) {
    const edited = await deploy(registry).post('row-table-action/changing/update_cells/9', {
      cells: { title: 'Edited' },
    })
    expect(edited.status, edited.text).toBe(200)
    await drain()
    return (await watcher.received(2))[1]
  }

  it.each([
    ['filter', 'filters.state: is not a filter of this table', { filters: { state: 'open' } }, { filters: {} }],
    [
      'sort',
      'sorts.title: must be one of: ',
      { sorts: { title: 'desc' } },
      { columns: { ...columns, title: { label: 'Title', editable: true } } },
    ],
  ])('ends with a reason where a %s is removed, and shows no other rows', async (_, error, query, parts) => {
    const message = await readNext(await watch(query), define(parts))
    expect(message).toMatchObject({ event: 'rows.ended', data: { code: 'validation_failed' } })
    expect(message?.data.errors).toEqual([expect.stringContaining(error), expect.stringMatching(/[\u0600-\u06ff]/)])
    expect(message?.data.message).toBe(message?.data.errors[0])
  })

  it('goes on where a filter and a column are renamed, with the keys that it was asked for', async () => {
    const watcher = await watch({ filters: { state: 'done' }, columns: ['amount', 'title'] })
    const renamed = {
      computed: { price: sql`${orders.amount}` },
      columns: { title: columns.title, price: { label: 'Price', type: 'number', ...formerly('amount') } },
      filters: { situation: { type: 'text', label: 'State', source: 'state', ...formerly('state') } },
    }
    const message = await readNext(watcher, define(renamed))
    expect(message).toMatchObject({ event: 'rows.changed', data: { items: [{ id: 9, title: 'Edited', amount: 9.5 }] } })
  })

  it('goes on without a filter that the table never had', async () => {
    const watcher = await watch({ filters: { nothing: 'x' }, columns: ['title'] })
    const message = await readNext(watcher, before)
    expect(message).toMatchObject({ event: 'rows.changed', data: { items: [{ id: 9 }] } })
  })
})

describe('a response that is repeated after its table has changed', () => {
  const edit = { path: 'row-table-action/changing/update_cells/1', body: { cells: { state: 'done' } } }
  const headers = { 'idempotency-key': 'edit' }
  const hidden = define({ columns: { ...columns, amount: { ...columns.amount, loadIf: () => false } } })

  it('has no rows if a column is hidden by now, and says that the change was made', async () => {
    const first = await old.post(edit.path, edit.body, { headers })
    expect(first.json.data.row).toMatchObject({ id: 1, amount: 1.5 })
    const same = await old.post(edit.path, edit.body, { headers })
    expect(same.json).toEqual(first.json)
    const repeated = await deploy(hidden).post(edit.path, edit.body, { headers })
    expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expect(repeated.json).toEqual({ success: true, onSuccess: 'reload', message: first.json.message })
    expect(await live.sql`select from table_control.cell_changes`).toHaveLength(1)
  })

  it('has no rows if it is that of a plan', async () => {
    const path = 'row-bulk-table-action/changing/update_cells'
    const planned = await old.post(path, { selected_ids: [1], ...edit.body, plan: true })
    const plan = { plan_id: planned.json.plan.id }
    const first = await old.post(path, plan)
    expect(first.json.items).toMatchObject([{ id: 1, amount: 1.5 }])
    expect((await old.post(path, plan)).json.items).toEqual(first.json.items)
    const repeated = await deploy(hidden).post(path, plan)
    expect(repeated.json).toMatchObject({ code: 'plan_already_applied', onSuccess: 'reload', items: [] })
    expect(repeated.text).not.toContain('amount')
  })
})
