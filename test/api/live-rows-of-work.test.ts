import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { bulkOrdersTable } from '../support/fixtures/bulk-orders-table.ts'
import { fixtureClaims, north } from '../support/fixtures/identities.ts'
import { createImportCalls, editSheet, findCell } from '../support/fixtures/import-api.ts'
import { importedTable } from '../support/fixtures/imported-orders.ts'
import { plannedOrdersTable } from '../support/fixtures/planned-orders-table.ts'
import { startWatchingInstallation, type Watcher } from '../support/sockets/watching-installation.ts'

const registry = createRegistry([importedTable, bulkOrdersTable, plannedOrdersTable], { claims: fixtureClaims })
const live = await startWatchingInstallation(registry)
beforeEach(live.clear)

/** The writer is another session of the same caller: files and undos are its own. */
const act = (path: string, body: object) => live.actions.post(path, body)

async function watch(table: string): Promise<Watcher> {
  const watcher = await live.watch()
  const about = { event: 'subscribe', id: 'page', table, token: live.tokenFor(north), query: { perPage: 12 } }
  expect(await watcher.ask(about)).toMatchObject({ event: 'rows.subscribed' })
  return watcher
}

async function drainAll(): Promise<void> {
  while ((await live.drain()) > 0);
}

/** Works on the messages of the queue until there are none, and returns the ids of the rows that have changed. */
async function listChanged(watcher: Watcher, messages: number) {
  await drainAll()
  // The socket gets what its caller is told of the job too.
  const ofRows = () => watcher.messages.filter(({ event }) => event?.startsWith('rows.'))
  await expect.poll(() => ofRows().length).toBeGreaterThan(messages)
  const last = ofRows()[messages]
  expect(last?.event).toBe('rows.changed')
  return last?.data.items.map(({ id }: { id: number }) => id).toSorted()
}

it('tells a watcher at once if the clock of the database was set back by an hour since the last message', async () => {
  const watcher = await watch('orders')
  await live.sql`update table_control.subscriptions set sent_at = now() + interval '1 hour', sent_count = 2`
  await live.sql`insert into table_control.row_events (table_name, due_at, claimed_until)
    values ('orders', now() + interval '1 hour', now() + interval '1 hour')`
  await act('row-table-action/orders/update_cells/1', { cells: { title: 'Edited' } })
  await live.drain()
  expect((await watcher.received(2))[1]?.event).toMatch(/^rows\.(changed|stale)$/)
  expect(await live.sql`select id from table_control.row_events where connection_id is null`).toEqual([])
})

describe('a watcher hears of', () => {
  it('an edit of cells, and of its undo', async () => {
    const watcher = await watch('orders')
    const edited = await act('row-table-action/orders/update_cells/1', { cells: { title: 'Edited' } })
    expect(edited.status, edited.text).toBe(200)
    expect(await listChanged(watcher, 1)).toEqual([1])
    const undone = await act(edited.json.undo.url.replace(/^.*control-tables\//, ''), {})
    expect(undone.status, undone.text).toBe(200)
    expect(await listChanged(watcher, 2)).toEqual([1])
  })

  it('an edit of the cells of several rows', async () => {
    const watcher = await watch('orders')
    await act('row-bulk-table-action/orders/update_cells', { selected_ids: [1, 2], cells: { assignee: 'J. Roe' } })
    expect(await listChanged(watcher, 1)).toEqual([1, 2])
  })

  it('the rows of an applied import, and of its undo, and not of its plan', async () => {
    const watcher = await watch('orders')
    const { exportRows, send, apply } = createImportCalls(live.actions, drainAll)
    const edited = await editSheet(await exportRows(), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'New title'
      findCell(sheet, 'Amount', 3).value = 99.25
    })
    const sent = await send(edited)
    expect(await live.sql`select from table_control.row_events where connection_id is null`).toHaveLength(0)
    const applied = await apply(sent)
    expect(applied.json.counts, applied.text).toEqual({ succeeded: 2, failed: 0 })
    expect(await listChanged(watcher, 1)).toEqual([1, 2])
    expect((await act(applied.json.undo.url.replace(/^.*control-tables\//, ''), {})).status).toBe(200)
    expect(await listChanged(watcher, 2)).toEqual([1, 2])
  })

  it('the rows of a bulk action that runs as a job', async () => {
    const watcher = await watch('bulk_orders')
    const asked = await act('bulk-table-action/bulk_orders/notify', { selected_ids: [1, 2] })
    expect(asked.status, asked.text).toBe(200)
    expect(await listChanged(watcher, 1)).toEqual([1, 2])
  })

  it('the rows of a plan, once it is applied', async () => {
    const watcher = await watch('planned_orders')
    const path = 'bulk-table-action/planned_orders/touch'
    const { plan } = (await act(path, { plan: true, selected_ids: [1, 2] })).json
    expect(await live.sql`select from table_control.row_events where connection_id is null`).toHaveLength(0)
    expect((await act(path, { plan_id: plan.id })).status).toBe(200)
    expect(await listChanged(watcher, 1)).toEqual([1, 2])
  })

  it('the rows of a plan that is applied as a job', async () => {
    const watcher = await watch('planned_orders')
    const path = 'bulk-table-action/planned_orders/notify'
    const { plan } = (await act(path, { plan: true, selected_ids: [1, 2] })).json
    expect((await act(path, { plan_id: plan.id })).status).toBe(200)
    expect(await listChanged(watcher, 1)).toEqual([1, 2])
  })
})
