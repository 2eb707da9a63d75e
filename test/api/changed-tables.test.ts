import { readFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { integer, numeric, pgTable, text } from 'drizzle-orm/pg-core'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { createRegistry, everyRow, type LoadedRegistry, undoBy } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims, north } from '../support/fixtures/identities.ts'
import { createImportCalls, editSheet, findCell } from '../support/fixtures/import-api.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { startWatchingInstallation } from '../support/sockets/watching-installation.ts'

const columns = {
  title: { label: { en: 'Title', ar: 'العنوان' }, editable: true, sortable: true },
  state: { label: { en: 'State', ar: 'الحالة' }, editable: true },
  amount: { label: { en: 'Amount', ar: 'المبلغ' } },
} as const
const filters = { state: { type: 'text', label: 'State' } } as const
const rowActions = { close: { bulk: true, run: () => {} } } as const
const bulkActions = { close_all: { run: () => {} }, report: { export: 'csv', response: 'websocket' } } as const
const formerly = (name: string) => ({ formerly: { name, since: '2026-02-01', sunset: '2126-08-01' } })

/** Registers the orders with other parts. */
const define = (parts: object): LoadedRegistry => {
  const table = { ...ofOrders, name: 'changing', columns, filters, rowActions, bulkActions, ...parts }
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
const orderAttributes = {
  tenant: text().notNull(),
  title: text().notNull(),
  state: text().notNull(),
  amount: numeric({ precision: 12, scale: 2 }),
}
const old = live.variant({}, before)

/** The table whose parts have been renamed. */
const renamed = pgTable('orders', {
  ...orderAttributes,
  id: integer().primaryKey(),
  title: text(),
  heading: text('title'),
})
const afterRenaming = define({
  from: renamed,
  columns: { heading: { label: 'Heading', editable: true, ...formerly('title') } },
  filters: { situation: { type: 'text', label: 'State', source: 'state', ...formerly('state') } },
  rowActions: { finish: { bulk: true, run: () => {}, ...formerly('close') } },
  bulkActions: { finish_all: { run: () => {}, ...formerly('close_all') } },
})

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

  it('has no rows if an action is gone that they offered', async () => {
    await old.post(edit.path, edit.body, { headers })
    const repeated = await deploy(define({ rowActions: {} })).post(edit.path, edit.body, { headers })
    expect(repeated.json).toMatchObject({ success: true, onSuccess: 'reload' })
    expect(repeated.json.data).toBeUndefined()
  })

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

describe('a request that is repeated after its parts were renamed', () => {
  it.each([
    ['an edit of one row', 'row-table-action/changing/update_cells/1', { cells: { title: 'Edited' } }],
    [
      'an edit of several rows',
      'row-bulk-table-action/changing/update_cells',
      { selected_ids: [1], cells: { title: 'A' } },
    ],
    ['an action', 'row-table-action/changing/close/1', {}],
    [
      'an action of the toolbar',
      'bulk-table-action/changing/close_all',
      { filters: { state: 'done' }, expected_count: 4 },
    ],
  ])('is known by its idempotency-key as %s', async (_, path, body) => {
    const headers = { 'idempotency-key': 'renamed' }
    const first = await old.post(path, body, { headers })
    expect(first.status, first.text).toBe(200)
    const repeated = await deploy(afterRenaming).post(path, body, { headers })
    expect([repeated.status, repeated.headers['idempotency-replayed']], repeated.text).toEqual([200, 'true'])
    expect(repeated.json.message).toBe(first.json.message)
  })
})

describe('what was kept before a column or the key changed its type', () => {
  const coded = pgTable('orders', { ...orderAttributes, code: text().primaryKey() })
  const numbered = pgTable('orders', { ...orderAttributes, code: integer().primaryKey() })
  const ofCodes = { key: 'code', columns: { ...columns, code: { label: 'Code', sortable: true } } }
  const scope = () => everyRow()
  const withCodes = define({ ...ofCodes, from: coded, scope })
  const withNumbers = define({ ...ofCodes, from: numbered, scope })

  it('is refused by its name, or no row is found by it', async () => {
    onTestFinished(async () => void (await live.sql.unsafe('alter table orders drop code')))
    await live.sql.unsafe(
      "alter table orders add code text unique; update orders set code = 'K' || id; alter table orders alter code set not null",
    )
    const texts = deploy(withCodes)
    const { exportRows, upload, show } = createImportCalls(texts, drain)
    const page = await texts.post('query-table/changing', {
      perPage: 1,
      group_by: [{ field: 'code' }],
      groups_page: { limit: 1 },
    })
    const planned = await texts.post('row-bulk-table-action/changing/update_cells', {
      selected_ids: ['K1'],
      cells: { title: 'Planned' },
      plan: true,
    })
    const edited = await texts.post('row-table-action/changing/update_cells/K2', { cells: { title: 'Edited' } })
    const file = await editSheet(await exportRows({}, { table: 'changing' }), (sheet) => {
      findCell(sheet, 'Title', 4).value = 'Imported'
    })
    const sent = await upload(file, { table: 'changing' })
    await show(sent, '', { table: 'changing' })
    await drain()
    const { token } = page.json.groups[0]
    const queued = await texts.post('bulk-table-action/changing/report', { group: token })

    await live.sql.unsafe("alter table orders alter code type integer using substring(code from '\\d+')::int")
    const numbers = deploy(withNumbers)
    const cursor = await numbers.post('query-table/changing', { perPage: 1, cursor: page.json.pagination.next_cursor })
    expectFailure(cursor, { status: 422, code: 'validation_failed', field: 'cursor' })
    for (const path of ['query-table/changing', 'bulk-table-action/changing/close_all'])
      expectFailure(await numbers.post(path, { group: token }), {
        status: 422,
        code: 'validation_failed',
        field: 'group',
      })
    await drain()
    const [job] = await live.sql`select state, failure from table_control.jobs where id = ${queued.json.job.id}`
    expect(job).toMatchObject({ state: 'failed', failure: { code: 'validation_failed' } })
    expect(job?.['failure'].en).toMatch(/^group: /)
    const next = { group_by: [{ field: 'code' }], groups_page: { limit: 1, after: page.json.groups_next } }
    const groups = await numbers.post('query-table/changing', next)
    expectFailure(groups, { status: 422, code: 'validation_failed', field: 'groups_page.after' })
    const plan = { plan_id: planned.json.plan.id }
    expectFailure(await numbers.post('row-bulk-table-action/changing/update_cells', plan), {
      status: 422,
      code: 'plan_expired',
    })
    const undone = await numbers.post(edited.json.undo.url.replace(/^.*control-tables\//, ''))
    expectFailure(undone, { status: 422, code: 'row_not_found' })
    const shown = await numbers.get(`imports/changing/${sent}`)
    expect(shown.json.plan.cells).toMatchObject([{ kind: 'change', field: 'title' }])
    const applied = await numbers.post(`imports/changing/${sent}`, { plan_id: shown.json.plan.id })
    expect(applied.json.results).toMatchObject([{ code: 'row_not_found' }])
  })

  it('is written by an import that was planned while its column was sensitive, and not shown', async () => {
    const sensitive = deploy(define({ columns: { ...columns, title: { ...columns.title, sensitive: true } } }))
    const { exportRows, upload, show } = createImportCalls(sensitive, drain)
    const file = await editSheet(await exportRows({}, { table: 'changing' }), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Imported'
    })
    const sent = await upload(file, { table: 'changing' })
    await show(sent, '', { table: 'changing' })
    await drain()
    const now = deploy(before)
    const shown = await now.get(`imports/changing/${sent}`)
    expect(shown.json.plan.cells).toEqual([
      { kind: 'change', place: 'A2', id: 1, field: 'title', label: 'Title', sensitive: true },
    ])
    const applied = await now.post(`imports/changing/${sent}`, { plan_id: shown.json.plan.id })
    expect(applied.json.cells).toEqual({ changed: 1, refused: 0 })
  })
})

describe('a workbook that is sent back after its table has changed', () => {
  async function sendEdited(registry: LoadedRegistry) {
    const file = await editSheet(await createImportCalls(old, drain).exportRows({}, { table: 'changing' }), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Imported'
    })
    const calls = createImportCalls(deploy(registry), drain)
    const sent = await calls.send(file, { table: 'changing' })
    return { sent, applied: await calls.apply(sent, { table: 'changing' }) }
  }

  it.each([
    ['renamed', afterRenaming, 'heading'],
    [
      'given the label of another',
      define({
        columns: {
          title: { ...columns.title, label: columns.state.label },
          state: { ...columns.state, label: columns.title.label },
        },
      }),
      'title',
    ],
  ])('changes the column that it was exported from, which was %s', async (_, registry, field) => {
    const { sent, applied } = await sendEdited(registry)
    expect(sent.json.plan.cells).toMatchObject([{ kind: 'change', field, file: 'Imported' }])
    expect(applied.json.cells).toEqual({ changed: 1, refused: 0 })
    expect(await live.sql`select title, state from orders where id = 1`).toEqual([{ title: 'Imported', state: 'open' }])
  })

  it('is written into the renamed column if it was planned before, and shows no values of a column that has a format', async () => {
    const calls = createImportCalls(old, drain)
    const file = await editSheet(await calls.exportRows({}, { table: 'changing' }), (sheet) => {
      findCell(sheet, 'Title', 2).value = 'Imported'
    })
    const id = (await calls.send(file, { table: 'changing' })).json.import.id
    const masked = deploy(define({ columns: { ...columns, title: { label: 'Title', format: () => '***' } } }))
    const hidden = await masked.get(`imports/changing/${id}`)
    expect(hidden.text).not.toMatch(/Imported|Order 1/)
    const now = deploy(afterRenaming)
    const shown = await now.get(`imports/changing/${id}`)
    expect(shown.json.plan.cells).toMatchObject([{ field: 'heading', label: 'Heading', file: 'Imported' }])
    const applied = await now.post(`imports/changing/${id}`, { plan_id: shown.json.plan.id })
    expect(applied.json.cells).toEqual({ changed: 1, refused: 0 })
  })

  it('is refused at the cells of a column that is hidden by now, without its values', async () => {
    const { sent } = await sendEdited(
      define({ columns: { ...columns, title: { ...columns.title, loadIf: () => false } } }),
    )
    expect(sent.json.plan.cells).toMatchObject([{ kind: 'refused', id: 1, code: 'not_editable' }])
    expect(sent.text).not.toMatch(/Imported|Order 1/)
  })
})

it('a job that was queued before its filter was removed fails with the reason, and is not tried again', async () => {
  const asked = await old.post('bulk-table-action/changing/report', { filters: { state: 'done' } })
  deploy(define({ filters: {} }))
  await drain()
  const [job] = await live.sql`select state, attempts, failure from table_control.jobs where id = ${asked.json.job.id}`
  expect(job).toMatchObject({ state: 'failed', attempts: 1, failure: { code: 'validation_failed' } })
  expect(job?.['failure'].en).toBe('filters.state: is not a filter of this table')
})

it.each([
  ['of a kind that only a later version knows', before, { kind: 'later_report' }],
  ['whose rows are selected by a key of a later version', before, { request: { near: 'Riyadh' } }],
  ['for a file, and whose action changes rows now', define({ bulkActions: { report: { run: () => {} } } }), {}],
])('a job %s fails once, and says to request it again', async (_, registry, stored) => {
  const { json } = await old.post('bulk-table-action/changing/report')
  await live.sql`update table_control.jobs set ${live.sql({ kind: 'report', ...stored })} where id = ${json.job.id}`
  deploy(registry)
  await drain()
  const [job] = await live.sql`select state, attempts, failure from table_control.jobs where id = ${json.job.id}`
  expect(job).toMatchObject({ state: 'failed', attempts: 1, failure: { code: 'action_not_defined' } })
  expect(job?.['failure'].en).toBe('The service has changed since this was requested; request it again')
  expect(await live.sql`select from table_control.downloads`).toEqual([])
})

it('a view keeps its revision and works in the version before if only its name is changed after a renaming', async () => {
  const saved = await old.post('views/changing', { name: 'Done', query: { filters: { state: 'done' } } })
  const { id } = saved.json.view
  const path = `/api/api-table/control-tables/views/changing/${id}`
  const renaming = { method: 'PATCH', path, body: { name: 'Finished' } } as const
  const changed = await deploy(afterRenaming).request(renaming, { as: north })
  expect(changed.json.view).toMatchObject({ name: 'Finished', revision: 1, query: { filters: { situation: 'done' } } })
  const page = await deploy(before).post('query-table/changing', { view: id })
  expect(page.json).toMatchObject({ pagination: { total: 4 }, view: { id, revision: 1 } })
})

it('the statements of tables/README.md take saved views and the history to another name of the table', async () => {
  const statements =
    /```sql\n( *update table_control.*?)```/s.exec(
      readFileSync(new URL('../../tables/README.md', import.meta.url), 'utf8'),
    )?.[1] ?? ''
  await old.post('views/changing', { name: 'Done', query: { filters: { state: 'done' } } })
  await old.post('row-table-action/changing/update_cells/1', { cells: { title: 'Edited' } })
  await live.sql.unsafe(statements.replaceAll("'old'", "'changing'").replaceAll("'new'", "'moved'"))
  const now = deploy(define({ name: 'moved' }))
  expect((await now.get('views/changing')).json.code).toBe('table_not_found')
  expect((await now.get('views/moved')).json.items).toMatchObject([
    { name: 'Done', query: { filters: { state: 'done' } } },
  ])
  expect((await now.get('history/moved/1')).json.changes).toMatchObject([{ cells: [{ field: 'title' }] }])
})

it('an undo whose data another version of its action has kept is over', async () => {
  const reopen = (schema: z.ZodType) => ({
    close: { run: () => ({ undo: { state: 'open' } }), undo: undoBy(schema, async () => {}) },
  })
  const closed = await deploy(define({ rowActions: reopen(z.object({ state: z.string() })) })).post(
    'row-table-action/changing/close/1',
  )
  const undo = closed.json.undo.url.replace(/^.*control-tables\//, '')
  const refused = await deploy(define({ rowActions: reopen(z.object({ before: z.string() })) })).post(undo)
  expectFailure(refused, { status: 422, code: 'undo_expired' })
})
