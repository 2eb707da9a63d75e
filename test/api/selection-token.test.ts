import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, manager } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const api = await startWorkApi()
beforeEach(() => api.reset())

const open = [{ field: 'state', operator: '=', value: 'open' }]

const page = async (body: object = {}, table = 'bulk_orders', options = {}) =>
  (await api.post(`query-table/${table}`, { include: ['selection'], perPage: 2, ...body }, options)).json

const touch = (body: object, options = {}) => api.post('bulk-table-action/bulk_orders/touch', body, options)

const readTouched = async () => (await api.sql`select id from orders where runs > 0 order by id`).map(({ id }) => id)

const failure = (status: number, code: string, field?: string) => ({
  status,
  code,
  ...(field !== undefined && { field }),
})

describe('selection_token', () => {
  it('comes with a page that asks for it, and with load-table', async () => {
    const { selection_token: token, items } = await page()
    expect(token).toMatch(/^[\w-]{40,6000}$/)
    expect(items).toHaveLength(2)
    const loaded = await api.get(`load-table/bulk_orders/true?include=${encodeURIComponent('["selection"]')}`)
    expect(loaded.json.selection_token).toMatch(/^[\w-]+$/)
    expect((await api.post('query-table/bulk_orders', {})).json).not.toHaveProperty('selection_token')
    expect((await api.post('query-table/bulk_orders', { include: ['raw'] })).json).not.toHaveProperty('selection_token')
  })

  it('is no part of rows that are read by their ids', async () => {
    const response = await api.post('multi-row-refetch/orders', { row_ids: [1], include: ['selection'] })
    expectFailure(response, failure(422, 'validation_failed', 'include.0'))
  })

  it('lets an action run while the same unchanged rows are selected, regardless of the page and its order', async () => {
    const { selection_token } = await page({ filters: open, sorts: [{ field: 'title', direction: 'desc' }], page: 2 })
    const { json } = await touch({ filters: { state: 'open' }, select_all: true, selection_token })
    expect(json.counts).toEqual({ selected: 8, succeeded: 8, failed: 0 })
  })

  it('may be null, as if it were absent', async () => {
    const { json } = await touch({ selected_ids: [1], selection_token: null })
    expect(json.counts).toEqual({ selected: 1, succeeded: 1, failed: 0 })
  })

  it('is checked against all rows of the page, and runs on those that are not excluded', async () => {
    const { selection_token } = await page({ filters: open })
    const body = { filters: open, select_all: true, excluded_ids: [1, 2], selection_token }
    expect((await touch({ ...body, dry_run: true })).json.counts).toEqual({ selected: 6 })
    expect((await touch(body)).json.counts.selected).toBe(6)
    expect(await readTouched()).toEqual([3, 4, 5, 6, 7, 8])
  })

  it.each<[string, object]>([
    ['other filters', { filters: { state: 'done' } }],
    ['a further filter', { filters: [...open, { field: 'id', operator: '<=', value: 3 }] }],
    ['no filters', {}],
    ['groups of filters', { filters: open, filter_groups: { all: open } }],
    ['a few rows', { selected_ids: [1] }],
    ['a few rows beside the filters', { filters: open, selected_ids: [1, 2] }],
  ])('is refused beside %s', async (_, body) => {
    const { selection_token } = await page({ filters: open })
    expectFailure(await touch({ ...body, selection_token }), failure(422, 'selection_mismatch'))
    expect(await readTouched()).toEqual([])
  })

  it('belongs to one caller, with the same rights, and to one table', async () => {
    const { selection_token } = await page({ filters: open })
    const invalid = failure(422, 'validation_failed', 'selection_token')
    expectFailure(await touch({ filters: open, selection_token }, { as: colleague }), invalid)
    const promoted = { ...manager, sub: 'nora' }
    expectFailure(await touch({ filters: open, selection_token }, { as: promoted }), failure(422, 'selection_mismatch'))
    const elsewhere = await api.post('bulk-table-action/lines/process', { selection_token })
    expectFailure(elsewhere, invalid)
  })

  it.each(['', 'abc', 5, ['x'], {}, 'A'.repeat(5_000)])('refuses %j', async (selection_token) => {
    expectFailure(await touch({ filters: open, selection_token }), failure(422, 'validation_failed', 'selection_token'))
  })

  it('is refused where it was altered by one character', async () => {
    const { selection_token: token } = await page({ filters: open })
    const altered = `${token.slice(0, 50)}${token[50] === 'A' ? 'B' : 'A'}${token.slice(51)}`
    const response = await touch({ filters: open, selection_token: altered })
    expectFailure(response, failure(422, 'validation_failed', 'selection_token'))
  })

  it.each<[string, object]>([
    ['tolerance', { tolerance: 1 }],
    ['tolerance', { tolerance: -1, selection_token: 'x' }],
    ['tolerance', { tolerance: 101, selection_token: 'x' }],
    ['tolerance', { tolerance: 'some', selection_token: 'x' }],
    ['selectionToken', { selectionToken: 'x' }],
  ])('refuses at %s the body %j', async (field, body) => {
    expectFailure(await touch(body), failure(422, 'validation_failed', field))
  })

  it('is refused by an action that names its rows one by one', async () => {
    const body = { selected_ids: [1], selection_token: 'x' }
    const response = await api.post('row-bulk-table-action/orders/flag', body)
    expectFailure(response, failure(422, 'validation_failed', 'selection_token'))
  })
})

/** One of 9,000 changes of rows cannot be counted, by chance: the marks before and after it share all of their cells. */
const again = { retry: 1 }

describe('a selection that has moved', () => {
  it.each<[string, string, object]>([
    [
      'came',
      "insert into orders (id, tenant, title, state) values (99, 'north', 'n', 'open')",
      { rows_now: 9, entered: 1 },
    ],
    ['left the filters', "update orders set state = 'done' where id = 1", { rows_now: 7, left: 1 }],
    ['left the scope', "update orders set tenant = 'south' where id = 1", { rows_now: 7, left: 1 }],
    ['was removed', 'delete from orders where id = 1', { rows_now: 7, left: 1 }],
    ['changed', "update orders set title = 'x' where id = 1", { changed: 1 }],
    ['was replaced', 'update orders set id = 50 where id = 1', { entered: 1, left: 1 }],
  ])('is refused with the numbers where a row %s', again, async (_, change, numbers) => {
    const { selection_token } = await page({ filters: open })
    await api.sql.unsafe(change)
    const response = await touch({ filters: open, selection_token })
    expectFailure(response, failure(422, 'selection_moved'))
    const nothing = { rows: 8, rows_now: 8, entered: 0, left: 0, changed: 0, tolerance: 0 }
    expect(response.json.selection).toEqual({ ...nothing, ...numbers })
    expectFailure(await touch({ filters: open, selection_token, dry_run: true }), failure(422, 'selection_moved'))
    expect(await readTouched()).toEqual([])
  })

  it('says nothing of rows that the caller may not see', async () => {
    const { selection_token } = await page({ filters: open })
    await api.sql`update orders set title = 'x' where tenant = 'south'`
    await api.sql`delete from orders where id = 16`
    expect((await touch({ filters: open, selection_token })).status).toBe(200)
  })

  it('may differ by as many rows as the tolerance says', async () => {
    const { selection_token } = await page({ filters: open })
    await api.sql`delete from orders where id in (1, 2)`
    const body = { filters: open, selection_token }
    expectFailure(await touch({ ...body, tolerance: 1 }), failure(422, 'selection_moved'))
    expect((await touch({ ...body, tolerance: '2' })).json.counts.selected).toBe(6)
  })

  it('is found by an action that was begun by another call of the same key only once', async () => {
    const { selection_token } = await page({ filters: open })
    const headers = { 'idempotency-key': 'token-1' }
    const first = await touch({ filters: open, selection_token }, { headers })
    const second = await touch({ filters: open, selection_token }, { headers })
    expect([first.status, second.headers['idempotency-replayed']]).toEqual([200, 'true'])
    expectFailure(await touch({ filters: open, selection_token }), failure(422, 'selection_moved'))
  })

  it('refuses exports, notifications and jobs as well', async () => {
    const { selection_token } = await page({ filters: open })
    await api.sql`delete from orders where id = 2`
    for (const action of ['export_excel', 'notify', 'recompute'])
      expectFailure(
        await api.post(`bulk-table-action/bulk_orders/${action}`, { filters: open, selection_token }),
        failure(422, 'selection_moved'),
      )
    expect(await api.sql`select from table_control.jobs`).toHaveLength(0)
  })

  it('is counted exactly for a few among thousands, and only by its size for many', again, async () => {
    const { selection_token } = await page({}, 'lines')
    const run = (body: object) => api.post('bulk-table-action/lines/export_csv', { selection_token, ...body })
    await api.sql`update lines set hits = 7 where id between 1 and 3`
    await api.sql`delete from lines where id between 100 and 102`
    await api.sql`insert into lines (id, label) select id, 'new' from generate_series(5001, 5002) as id`
    const few = await run({ tolerance: 7 })
    expectFailure(few, failure(422, 'selection_moved'))
    const rows = { rows: 3_001, rows_now: 3_000 }
    expect(few.json.selection).toEqual({ ...rows, entered: 2, left: 3, changed: 3, tolerance: 7 })
    expect((await run({ tolerance: 8, dry_run: true })).json.counts).toEqual({ selected: 3_000 })
    await api.sql`update lines set hits = 8`
    const many = await run({ tolerance: 100 })
    expect(many.json.selection).toEqual({ ...rows, entered: null, left: null, changed: null, tolerance: 100 })
  })

  it('is compared by its size alone beyond 100,000 rows', again, async () => {
    const run = (body: object) => api.post('bulk-table-action/lines/process_later', { dry_run: true, ...body })
    const add = (to: number) =>
      api.sql`insert into lines (id, label) select id, 'new' from generate_series(3002, ${to}::int) as id on conflict do nothing`
    await add(100_000)
    const { selection_token: whole } = await page({}, 'lines')
    await api.sql`update lines set hits = 7 where id < 3`
    const { json } = await run({ selection_token: whole })
    expect(json.selection).toMatchObject({ rows: 100_000, rows_now: 100_000, changed: 2 })
    await add(100_001)
    const { selection_token } = await page({}, 'lines')
    await api.sql`update lines set hits = 8 where id < 3`
    expect((await run({ selection_token })).json.counts).toEqual({ selected: 100_001 })
    await api.sql`insert into lines (id, label) select id, 'new' from generate_series(100002, 100004) as id`
    const moved = await run({ selection_token, tolerance: 2 })
    expectFailure(moved, failure(422, 'selection_moved'))
    expect(moved.json.selection).toMatchObject({ rows: 100_001, rows_now: 100_004, entered: null, changed: null })
    expect((await run({ selection_token, tolerance: 3 })).status).toBe(200)
  })

  it('counts the rows that entered, left and changed, for any few changes', async () => {
    const change = fc.record({ id: fc.integer({ min: 1, max: 20 }), to: fc.constantFrom('x', 'done', 'gone', 'new') })
    let untold = 0
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 8 }), async (changes) => {
        await api.reset()
        const before = await state()
        const { selection_token } = await page({ filters: open })
        for (const { id, to } of changes) await apply(id, to)
        const after = await state()
        const entered = [...after.keys()].filter((id) => !before.has(id)).length
        const left = [...before.keys()].filter((id) => !after.has(id)).length
        const changed = [...after].filter(([id, version]) => before.has(id) && before.get(id) !== version).length
        const { status, json } = await touch({ filters: open, selection_token, dry_run: true })
        expect(status).toBe(entered + left + changed === 0 ? 200 : 422)
        if (status === 200) return
        expect(json.selection.rows_now).toBe(after.size)
        if (changed > 0 && json.selection.changed === null) untold += 1
        else expect(json.selection).toMatchObject({ entered, left, changed })
      }),
      { numRuns: 25 },
    )
    // As above: once in 900 runs, twice in a million.
    expect(untold).toBeLessThan(2)
  })

  const state = async (): Promise<ReadonlyMap<number, string>> => {
    const rows = await api.sql`select id, xmin::text || ctid::text as version from orders
      where tenant = 'north' and state = 'open'`
    return new Map(rows.map(({ id, version }) => [id, version]))
  }

  const apply = async (id: number, to: string) => {
    if (to === 'gone') await api.sql`delete from orders where id = ${id}`
    else if (to === 'new')
      await api.sql`insert into orders (id, tenant, title, state) values (${id}, 'north', 'n', 'open') on conflict do nothing`
    else if (to === 'done') await api.sql`update orders set state = 'done' where id = ${id}`
    else await api.sql`update orders set title = 'x' where id = ${id}`
  }
})

describe('a selection_token of a saved view', () => {
  it('is bound to the view and its revision', async () => {
    const saved = await api.post('views/bulk_orders', { name: 'Open', query: { filters: open } })
    const view = saved.json.view?.id ?? saved.json.id
    const { selection_token } = await page({ view })
    expect((await touch({ view, view_revision: 1, selection_token, dry_run: true })).json.counts).toEqual({
      selected: 8,
    })
    expectFailure(await touch({ filters: open, selection_token }), failure(422, 'selection_mismatch'))
  })
})
