import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, forbidden } from '../../lib/index.ts'
import { sendBehindLock } from '../support/database/send-behind-lock.ts'
import { editingRegistry, renamedRegistry } from '../support/fixtures/edited-orders.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, defineFixture, fixtureClaims, manager, north } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const work = await startWorkApi()
const api = work.variant({ DATABASE_CONNECTIONS: '2' }, editingRegistry)
await work.sql.unsafe('create unique index orders_title on orders (lower(title));')
beforeEach(() => work.reset())

/** Orders of one state, whose cells managers alone may edit. */
const narrowed = defineFixture({
  ...ofOrders,
  name: 'narrowed',
  params: z.object({ state: z.string().optional() }),
  columns: { title: { label: 'Title', editable: true } },
  middlewares: [
    ({ endpoint, identity }) => {
      if (endpoint.endsWith('.rowTableAction') && identity.claims.role !== 'manager') throw forbidden()
    },
  ],
})
const narrow = work.variant({}, createRegistry([narrowed], { claims: fixtureClaims }))

const renamed = work.variant({}, renamedRegistry)

type Options = Parameters<typeof api.post>[2]

const edit = async (id: number, cells: object, options: Options = {}) =>
  (await api.post(`row-table-action/orders/update_cells/${id}`, { cells }, options)).json

const editSeveral = async (ids: readonly number[], cells: object) =>
  (await api.post('row-bulk-table-action/orders/update_cells', { selected_ids: ids, cells })).json

/** Calls the URL of a response, which stands below the base path of the guard. */
const undo = (response: { undo: { url: string } }, options: Options = {}, body: object = {}, on = api) =>
  on.post(new URL(response.undo.url).pathname.split('/control-tables/')[1] ?? '', body, options)

const readOrder = async (id: number) => (await work.sql`select * from orders where id = ${id}`)[0]

const conflict = { status: 422, code: 'undo_conflict' }

describe('the undo of an edit', () => {
  it('writes the cells back as they were, once, and is audited as a change of its own', async () => {
    const edited = await edit(1, { title: 'New', amount: '12.5', due: '2026-03-01T08:30:00', flagged: true })
    expect(edited.undo).toEqual({
      url: expect.stringMatching(/\/api\/api-table\/control-tables\/undo\/orders\/[0-9a-f-]{36}$/),
      expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const before = await work.sql`select title, amount::text, due, flagged from orders where id = 1`
    expect(before[0]).toMatchObject({ title: 'New' })
    const undone = await undo(edited)
    expect(undone.status, undone.text).toBe(200)
    expect(undone.json).toMatchObject({
      onSuccess: 'refetchData',
      items: [{ id: 1, title: 'Order 1', amount: 1.5 }],
      results: [{ id: 1, success: true }],
      counts: { succeeded: 1, failed: 0 },
    })
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1', amount: '1.50', flagged: false })
    expect((await readOrder(1))?.['due']).toEqual(new Date('2026-01-02T22:30:00Z'))
    const audit = await work.audit()
    expect(audit.map(({ action, kind, rows, outcome }) => [action, kind, rows, outcome])).toEqual([
      ['update_cells', 'row', 1, 'succeeded'],
      ['update_cells', 'undo', 1, 'succeeded'],
    ])
    const [first, second] = await work.sql`select change, undoes, cells from table_control.cell_changes order by id`
    expect(second).toMatchObject({ undoes: first?.['change'], cells: { title: { before: 'New', after: 'Order 1' } } })
    expectFailure(await undo(edited), { status: 422, code: 'already_undone' })
    expect(await work.sql`select from table_control.cell_changes`).toHaveLength(2)
  })

  it('can be undone itself, and so can a row of edits, the last one first', async () => {
    const one = await edit(1, { title: 'One' })
    const two = await edit(1, { title: 'Two' })
    expectFailure(await undo(one), conflict)
    const second = (await undo(two)).json
    const first = (await undo(one)).json
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1' })
    expectFailure(await undo(second), conflict)
    await undo(first)
    expect(await readOrder(1)).toMatchObject({ title: 'One' })
    expect((await undo(second)).status).toBe(200)
    expect(await readOrder(1)).toMatchObject({ title: 'Two' })
    expectFailure(await undo(second), { status: 422, code: 'already_undone' })
  })

  it.each<[string, () => Promise<unknown>]>([
    ['another caller has edited the cell', () => edit(1, { title: 'Theirs' }, { as: colleague })],
    ['the database has another value', () => work.sql`update orders set title = 'Theirs' where id = 1`],
  ])('is refused where %s since', async (_, change) => {
    const edited = await edit(1, { title: 'Mine', runs: 5 })
    await change()
    expectFailure(await undo(edited), conflict)
    expect(await readOrder(1)).toMatchObject({ title: 'Theirs', runs: 5 })
  })

  it('is refused where the cell was changed and has its value again', async () => {
    const edited = await edit(1, { title: 'Mine' })
    await edit(1, { title: 'Theirs' }, { as: colleague })
    await edit(1, { title: 'Mine' }, { as: colleague })
    expectFailure(await undo(edited), conflict)
  })

  it('restores columns that have been renamed since', async () => {
    await work.sql`update orders set assignee = 'Jane Roe' where id = 1`
    const edited = await edit(1, { title: 'Mine', assignee: 'John Doe' })
    const undone = await undo(edited, {}, {}, renamed)
    expect(undone.status, undone.text).toBe(200)
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1', assignee: 'Jane Roe' })
    expect((await undo(undone.json, {}, {}, renamed)).status).toBe(200)
    expect(await readOrder(1)).toMatchObject({ title: 'Mine', assignee: 'John Doe' })
  })

  it('notices later changes of a column under both of its names', async () => {
    const edited = await edit(1, { title: 'Mine' })
    await edit(1, { title: 'Theirs' }, { as: colleague })
    await renamed.post('row-table-action/orders/update_cells/1', { cells: { heading: 'Mine' } }, { as: colleague })
    expectFailure(await undo(edited, {}, {}, renamed), conflict)
    const own = await renamed.post('row-table-action/orders/update_cells/2', { cells: { heading: 'Own' } })
    await edit(2, { title: 'Another' }, { as: colleague })
    await edit(2, { title: 'Own' }, { as: colleague })
    expectFailure(await undo(own.json, {}, {}, renamed), conflict)
  })

  it('restores no column that has been renamed and is hidden from the caller', async () => {
    const edited = await edit(1, { runs: 5 })
    expectFailure(await undo(edited, {}, {}, renamed), { status: 422, code: 'action_not_applicable' })
    expect(await readOrder(1)).toMatchObject({ runs: 5 })
  })

  it('leaves changes of other cells alone, also more than 100', async () => {
    const edited = await edit(1, { title: 'Mine' })
    await edit(1, { runs: 3 }, { as: colleague })
    await work.sql`insert into table_control.cell_changes (change, subject, table_name, row_key, cells, request_id)
      select gen_random_uuid(), 'x', table_name, row_key, '{"runs": {}}', 'r' from table_control.cell_changes, generate_series(1, 100)`
    expect((await undo(edited)).status).toBe(200)
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1', runs: 3 })
  })

  it('restores a sensitive cell, whose values stand nowhere in clear', async () => {
    await work.sql`update orders set assignee = 'Jane Roe' where id = 1`
    const edited = await edit(1, { assignee: 'John Doe', runs: 2 })
    const stored = JSON.stringify([
      await work.sql`select * from table_control.undos`,
      await work.sql`select * from table_control.cell_changes`,
    ])
    expect(stored).not.toMatch(/Jane Roe|John Doe/)
    expect((await undo(edited)).status).toBe(200)
    expect(await readOrder(1)).toMatchObject({ assignee: 'Jane Roe', runs: 0 })
    expect(await work.sql`select rows from table_control.undos where undone_at is not null`).toEqual([{ rows: {} }])
  })

  it('cannot restore a sensitive cell that is too long to be kept, which is emptied all the same', async () => {
    await work.sql`update orders set assignee = ${'x'.repeat(70_000)} where id = 1`
    const edited = await edit(1, { assignee: null })
    expect(await readOrder(1)).toMatchObject({ assignee: null })
    expectFailure(await undo(edited), { status: 422, code: 'undo_expired' })
  })

  it('is offered by an edit that has changed a cell only', async () => {
    expect(await edit(1, { title: 'Order 1' })).not.toHaveProperty('undo')
    const dry = await api.post('row-table-action/orders/update_cells/1', { cells: { title: 'x' }, dry_run: true })
    expect(dry.json).not.toHaveProperty('undo')
  })

  it('expires', async () => {
    const edited = await edit(1, { title: 'New' })
    await work.sql`update table_control.undos set expires_at = now() - interval '1 second'`
    expectFailure(await undo(edited), { status: 422, code: 'undo_expired' })
  })

  it('cannot be found by another caller', async () => {
    const edited = await edit(1, { title: 'New' })
    for (const as of [colleague, manager, { ...north, sub: 'stranger' }])
      expectFailure(await undo(edited, { as }), { status: 404, code: 'undo_not_found' })
    const path = `undo/plain/${edited.undo.url.split('/').at(-1)}`
    for (const one of [path, 'undo/orders/x', 'undo/orders/00000000-0000-4000-8000-000000000000'])
      expectFailure(await api.post(one, {}), { status: 404, code: 'undo_not_found' })
    expectFailure(await undo(edited, { guard: 'web' }), { status: 404, code: 'undo_not_found' })
    expect(await readOrder(1)).toMatchObject({ title: 'New' })
  })

  it('needs the params of the edit, and the right to edit', async () => {
    const path = 'row-table-action/narrowed/update_cells/1?state=open'
    const { undo: offer } = (await narrow.post(path, { cells: { title: 'New' } }, { as: manager })).json
    const [own = '', params] = offer.url.split('/control-tables/')[1].split('?')
    expect(params).toBe('state=open')
    for (const other of [own, `${own}?state=done`])
      expectFailure(await narrow.post(other, {}, { as: manager }), { status: 404, code: 'undo_not_found' })
    const demoted = { ...manager, role: 'clerk' }
    expectFailure(await narrow.post(`${own}?${params}`, {}, { as: demoted }), { status: 403, code: 'forbidden' })
    expect((await narrow.post(`${own}?${params}`, {}, { as: manager })).status).toBe(200)
    expect(await readOrder(1)).toMatchObject({ title: 'Order 1' })
  })

  it('is refused beside keys that it would ignore', async () => {
    const edited = await edit(1, { title: 'New' })
    const refused = await undo(edited, {}, { dry_run: true })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'dry_run' })
  })

  it('is refused for a column that its caller may no longer edit', async () => {
    const edited = await edit(13, { title: 'New' }, { as: { sub: 'mona', tenant: 'south', role: 'manager' } })
    const moved = await edit(13, { tenant: 'north' }, { as: { sub: 'mona', tenant: 'south', role: 'manager' } })
    expectFailure(await undo(moved, { as: { sub: 'mona', tenant: 'north' } }), {
      status: 422,
      code: 'action_not_applicable',
    })
    expectFailure(await undo(edited, { as: { sub: 'mona', tenant: 'west' } }), { status: 422, code: 'row_not_found' })
  })

  it('is refused for a row that has left the scope, as if the row did not exist', async () => {
    const edited = await edit(1, { title: 'New' })
    await work.sql`update orders set tenant = 'south' where id = 1`
    expectFailure(await undo(edited), { status: 422, code: 'row_not_found' })
    await work.sql`update orders set title = 'Other' where id = 1`
    expectFailure(await undo(edited), { status: 422, code: 'row_not_found' })
    await work.sql`delete from orders where id = 1`
    expectFailure(await undo(edited), { status: 422, code: 'row_not_found' })
  })

  it('brings a row back that the edit has taken out of the scope, and takes it out again', async () => {
    const edited = await edit(1, { state: 'archived' })
    const undone = await undo(edited)
    expect(undone.json).toMatchObject({ onSuccess: 'reload', items: [{ id: 1, state: 'open' }] })
    const again = await undo(undone.json)
    expect(again.json).toMatchObject({ onSuccess: 'reload', removed: [1] })
    expect(await readOrder(1)).toMatchObject({ state: 'archived' })
  })

  it('opens a cell that the edit has closed, and none that another change has closed', async () => {
    const own = await edit(1, { state: 'done', flagged: true })
    const theirs = await edit(2, { flagged: true })
    await work.sql`update orders set state = 'done' where id = 2`
    expect((await undo(own)).status).toBe(200)
    expectFailure(await undo(theirs), { status: 422, code: 'action_not_applicable' })
    expect(await readOrder(2)).toMatchObject({ flagged: true })
  })

  it('is refused by Postgres for a value that another row has by now', async () => {
    const edited = await edit(1, { title: 'New' })
    await work.sql`update orders set title = 'Order 1' where id = 2`
    expectFailure(await undo(edited), { status: 422, code: 'conflicting_data' })
    await work.sql`update orders set title = 'Order 2' where id = 2`
    expect((await undo(edited)).status).toBe(200)
  })

  it('reveals nothing of a row outside the scope, not even that Postgres refuses its value', async () => {
    const edited = await edit(1, { title: 'New' })
    await work.sql`update orders set tenant = 'south' where id = 1`
    await work.sql`update orders set title = 'Order 1' where id = 2`
    const refused = await undo(edited)
    expectFailure(refused, { status: 422, code: 'row_not_found' })
    expect(refused.json.results).toMatchObject([{ id: 1, code: 'row_not_found' }])
  })

  it.each([
    ['an edit', 'row-bulk-table-action/orders/update_cells', { cells: { flagged: true } }],
    ['an action', 'row-bulk-table-action/orders/close', {}],
  ])('waits for no lock of a row outside the scope, and for that of a row inside: %s', async (_what, path, body) => {
    const changed = (await api.post(path, { selected_ids: [1, 2], ...body }, { as: manager })).json
    await work.sql`update orders set tenant = 'south' where id = 1`
    const lockOrder = (id: number) =>
      work.sql.begin(async (holding) => {
        await holding`select from orders where id = ${id} for update`
        return undo(changed, { as: manager })
      })
    expectFailure(await lockOrder(2), { status: 409, code: 'row_busy' })
    const undone = await lockOrder(1)
    expect(undone.json.results).toMatchObject([
      { id: 1, code: 'row_not_found' },
      { id: 2, success: true },
    ])
  })

  it('restores each row for itself, with what it had', async () => {
    await work.sql`update orders set runs = id where id < 6`
    // A row that was written last is found last.
    await work.sql`update orders set runs = id where id = 1`
    const edited = await editSeveral([1, 2, 3, 4, 5], { runs: 50, amount: '1.50' })
    await edit(2, { runs: 51 }, { as: colleague })
    await work.sql`delete from orders where id = 4`
    const { status, json } = await undo(edited)
    expect(status).toBe(200)
    expect(json.results.map(({ id, code }: { id: number; code?: string }) => [id, code])).toEqual([
      [1, undefined],
      [2, 'undo_conflict'],
      [3, undefined],
      [4, 'row_not_found'],
      [5, undefined],
    ])
    expect(await work.sql`select id, runs, amount::text from orders where id < 6 order by id`).toEqual([
      { id: 1, runs: 1, amount: '1.50' },
      { id: 2, runs: 51, amount: '1.50' },
      { id: 3, runs: 3, amount: '3.50' },
      { id: 5, runs: 5, amount: '5.50' },
    ])
  })

  it('is done once by two calls at once, and once for an idempotency key', async () => {
    const edited = await edit(1, { runs: 9 })
    const again = () => undo(edited)
    const both = await sendBehindLock(work.sql, 'select from orders where id = 1 for update', [again, again])
    expect(new Set(both.map(({ json }) => json.code))).toEqual(new Set([undefined, 'already_undone']))
    const headers = { 'idempotency-key': 'undo-1' }
    const later = await edit(1, { runs: 10 })
    const responses = [await undo(later, { headers }), await undo(later, { headers })]
    const isReplay = responses.map(({ status, headers: sent }) => status === 200 && 'idempotency-replayed' in sent)
    expect(isReplay).toEqual([false, true])
    expect(responses[0]?.status).toBe(200)
  })

  it('follows a plan that was applied', async () => {
    const path = 'row-bulk-table-action/orders/update_cells'
    const { plan } = (await api.post(path, { selected_ids: [1, 2], cells: { runs: 4 }, plan: true })).json
    const applied = (await api.post(path, { plan_id: plan.id })).json
    expect((await undo(applied)).json.counts).toEqual({ succeeded: 2, failed: 0 })
    expect(await work.runs(1, 2)).toEqual([0, 0])
  })
})

describe('the undo that an action declares', () => {
  const shelve = async (ids: readonly number[]) =>
    (await api.post('row-bulk-table-action/orders/shelve', { selected_ids: ids })).json

  it('gets what run has returned, for one row and for several', async () => {
    const one = (await api.post('row-table-action/orders/shelve/1')).json
    expect(one.undo.url).toContain('/undo/orders/')
    expect(Object.keys(one)).not.toContain('state')
    const undone = await undo(one)
    expect(undone.json).toMatchObject({ onSuccess: 'reload', items: [{ id: 1, state: 'open', runs: 1 }] })
    expect(undone.json).not.toHaveProperty('undo')
    expectFailure(await undo(one), { status: 422, code: 'already_undone' })
    await work.sql`update orders set state = 'done' where id = 3`
    const several = await undo(await shelve([2, 3]))
    expect(several.json.counts).toEqual({ succeeded: 2, failed: 0 })
    expect([await readOrder(2), await readOrder(3)]).toMatchObject([{ state: 'open' }, { state: 'done' }])
  })

  it('takes back an action that has been renamed since', async () => {
    const shelved = (await api.post('row-table-action/orders/shelve/1')).json
    const undone = await undo(shelved, {}, {}, renamed)
    expect(undone.status, undone.text).toBe(200)
    expect(await readOrder(1)).toMatchObject({ state: 'open' })
    expect((await work.audit()).at(-1)).toMatchObject({ action: 'put_away', kind: 'undo', outcome: 'succeeded' })
  })

  it('is not offered where run returns nothing for it', async () => {
    expect(await shelve([9])).not.toHaveProperty('undo')
  })

  it('is refused for rows that have changed since, as if they were not there while they are outside the scope', async () => {
    const response = await shelve([1, 2])
    await work.sql`update orders set runs = 7 where id = 1`
    const { json } = await undo(response)
    expect(json.results).toMatchObject([
      { id: 1, code: 'row_not_found' },
      { id: 2, success: true },
    ])
    expect(await readOrder(1)).toMatchObject({ state: 'archived', runs: 7 })
  })

  it('leaves a row where it is that would stay outside the scope', async () => {
    const response = await shelve([1])
    expectFailure(await undo(response, { as: { ...north, tenant: 'south' } }), { status: 422, code: 'row_not_found' })
    expect(await readOrder(1)).toMatchObject({ state: 'archived', runs: 0 })
  })

  it('takes back an action that has ended its own condition', async () => {
    const closed = (await api.post('row-table-action/orders/close/1')).json
    expect(await readOrder(1)).toMatchObject({ state: 'done' })
    const again = await api.post('row-table-action/orders/close/1')
    expectFailure(again, { status: 422, code: 'action_not_applicable' })
    expect((await undo(closed)).json).toMatchObject({ items: [{ id: 1, state: 'open' }] })
  })

  it('is refused with the reason for rows to which the action does not apply before the undo nor after it', async () => {
    const closed = await api.post('row-bulk-table-action/orders/close', { selected_ids: [1, 2] })
    const { json } = await undo(closed.json, { as: { ...north, role: 'trainee' } })
    const errors = ['Trainees close order 1 only', 'لا يغلق المتدربون إلا الطلب 1']
    expect(json.results).toEqual([
      { id: 1, success: true },
      { id: 2, success: false, code: 'action_not_applicable', errors },
    ])
    expect([await readOrder(1), await readOrder(2)]).toMatchObject([{ state: 'open' }, { state: 'done' }])
  })

  it('is refused once the caller has lost the right to the action', async () => {
    const response = (await api.post('row-table-action/orders/managers_only/1', {}, { as: manager })).json
    const refused = await undo(response, { as: { sub: 'mona', tenant: 'north' } })
    expectFailure(refused, { status: 422, code: 'action_not_defined' })
    expect((await undo(response, { as: manager })).status).toBe(200)
  })
})
