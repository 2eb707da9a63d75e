import { inArray, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, defineFixture, fixtureClaims, manager, south } from '../support/fixtures/identities.ts'
import { isManager, ofOrders, oneMore, orderColumns } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { lines, orders } from '../support/fixtures/work-schema.ts'

const orderTable = defineFixture({
  ...ofOrders,
  name: 'orders',
  columns: {
    ...orderColumns,
    title: { label: 'Title', editable: true, search: true },
    state: { label: 'State', editable: true },
    tenant: { label: 'Tenant', editable: true, loadIf: isManager },
  },
  filters: { state: {}, runs: {}, assignee: {} },
  bindings: { states: async () => [] },
  rowActions: {
    close: {
      bulk: true,
      run: async ({ db, where }) => {
        await db.update(orders).set({ state: 'done', runs: oneMore }).where(where)
      },
    },
    rename: {
      form: z.strictObject({ title: z.string() }),
      bulk: true,
      run: async ({ db, where, input }) => {
        await db.update(orders).set({ title: input.title }).where(where)
      },
    },
    give_away: {
      bulk: true,
      run: async ({ db, where }) => {
        await db.update(orders).set({ tenant: 'south' }).where(where)
      },
    },
    remove: {
      onSuccess: 'deleteRow',
      bulk: true,
      run: async ({ db, where }) => {
        await db.delete(orders).where(where)
      },
    },
    open: { type: 'redirect', to: ({ id }) => `/orders/${id}` },
    own_include: { form: z.object({ include: z.string() }), run: ({ input }) => ({ echo: input.include }) },
    any_form: { form: z.looseObject({}), run: ({ input }) => ({ echo: input }) },
  },
  bulkActions: {
    touch: {
      atomic: false,
      run: async ({ db, rows }) => {
        const ids = rows.map(({ id }) => id)
        await db.update(orders).set({ runs: oneMore }).where(inArray(orders.id, ids))
      },
    },
    touch_and_tell: {
      response: 'notification',
      run: async ({ db, rows }) => {
        const ids = rows.map(({ id }) => id)
        await db.update(orders).set({ runs: oneMore }).where(inArray(orders.id, ids))
      },
    },
  },
})

const lineTable = defineFixture({
  name: 'lines',
  from: lines,
  key: 'id',
  scope: () => sql`true`,
  columns: { id: { label: 'ID' }, label: { label: 'Label' }, hits: { label: 'Hits' } },
  bulkActions: {
    hit: {
      run: async ({ db, rows }) => {
        const ids = rows.map(({ id }) => id)
        await db.update(lines).set({ hits: sql`hits + 1` }).where(inArray(lines.id, ids))
      },
    },
  },
})

const work = await startWorkApi()
const api = work.variant({}, createRegistry([orderTable, lineTable], { claims: fixtureClaims }))
beforeEach(() => work.reset())

type Options = Parameters<typeof api.post>[2]

const effects = { include: ['effects'] }
interface Case {
  readonly page: object
  readonly action?: string
  readonly form?: object
}

const act = (action: string, id: number, body: object = {}, options: Options = {}) =>
  api.post(`row-table-action/orders/${action}/${id}`, { ...effects, ...body }, options)
const actOnSeveral = (action: string, ids: readonly number[], body: object = {}, options: Options = {}) =>
  api.post(`row-bulk-table-action/orders/${action}`, { selected_ids: ids, ...effects, ...body }, options)
const ask = async (body: object = {}, options: Options = {}) =>
  (await api.post('query-table/orders', { perPage: 100, ...body }, options)).json.items
const listIds = (items: readonly { readonly id: number }[]) => items.map(({ id }) => id)

describe('the effects of an action', () => {
  const afterAChange = ['aggregates', 'facets', 'bindings']

  it('show the row as a page would, and what is to be asked again', async () => {
    const { json } = await act('close', 2)
    expect(json.effects).toEqual({ rows: (await ask()).slice(1, 2), removed: [], refetch: afterAChange })
    expect(json.onSuccess).toBe('refetchRow')
  })

  it('show the row in the shape of the page', async () => {
    const shape = { columns: ['id', 'state'], row_actions: 'keys' }
    const { json } = await act('close', 2, { ...shape, include: ['effects', 'version', 'raw'] })
    const [, row] = await ask({ ...shape, include: ['version', 'raw'] })
    expect(json.effects.rows).toEqual([row])
    const edited = await api.post('row-table-action/orders/update_cells/2', {
      cells: { state: 'open' },
      expected_version: row._version,
    })
    expect(edited.status).toBe(200)
  })

  const pages: Readonly<Record<string, Case>> = {
    filters: { page: { filters: { state: 'open' } } },
    'a group of filters': { page: { filter_groups: { any: [{ field: 'state', operator: '=', value: 'open' }] } } },
    'a search': { page: { search: 'Order' }, action: 'rename', form: { title: 'Other' } },
  }
  it.each(Object.entries(pages))('name a row as removed that does not match %s any more', async (_, asked) => {
    const { page, action = 'close', form = {} } = asked
    const { json } = await act(action, 2, { ...page, ...form })
    expect(json.effects).toMatchObject({ rows: [], removed: [2] })
    const several = await actOnSeveral(action, [3, 4], { ...page, ...form })
    expect(several.json.effects).toMatchObject({ rows: [], removed: [3, 4] })
  })

  it.each(['give_away', 'remove'])('name a row as removed that has left the scope: %s', async (action) => {
    expect((await act(action, 2)).json.effects).toMatchObject({ rows: [], removed: [2] })
    const { json } = await actOnSeveral(action, [3, 14, 5])
    expect(json.effects).toMatchObject({ rows: [], removed: [3, 5] })
  })

  it('are those of the rows that were changed alone', async () => {
    const { json } = await actOnSeveral('update_cells', [3, 14, 1], { cells: { title: 'New' } })
    expect(listIds(json.effects.rows)).toEqual([3, 1])
    expect(json.effects.rows[0].title).toBe('New')
  })

  it.each(['touch', 'touch_and_tell'])(
    'belong to the response of a bulk action that runs at once: %s',
    async (action) => {
      const { json } = await api.post(`bulk-table-action/orders/${action}`, {
        filters: { runs: 0, state: 'done' },
        ...effects,
      })
      expect(json.effects).toEqual({ rows: [], removed: [9, 10, 11, 12], refetch: afterAChange })
      const picked = await api.post(`bulk-table-action/orders/${action}`, { selected_ids: [9, 1], ...effects })
      expect(listIds(picked.json.effects.rows)).toEqual([1, 9])
    },
  )

  it('belong to the response of a plan that is applied', async () => {
    const path = 'row-bulk-table-action/orders/update_cells'
    const { json } = await actOnSeveral('update_cells', [1, 2], { cells: { title: 'New' }, plan: true })
    expect(json).not.toHaveProperty('effects')
    const applied = await api.post(path, { plan_id: json.plan.id, ...effects, columns: ['id', 'title'] })
    expect(applied.json.effects.rows).toEqual([1, 2].map((id) => ({ id, title: 'New' })))
    const refused = await api.post(path, { plan_id: json.plan.id, ...effects, filters: {} })
    expectFailure(refused, { status: 422, code: 'validation_failed' })
  })

  it('are those of a saved view where the body names one', async () => {
    const view = { name: 'Open', query: { filters: { state: 'open' } } }
    const { id } = (await api.post('views/orders', view)).json.view
    const { json } = await act('rename', 9, { view: id, title: 'Done order' })
    expect(json.effects).toMatchObject({ rows: [], removed: [9] })
    expect((await act('rename', 1, { view: id, title: 'Open order' })).json.effects.rows).toHaveLength(1)
  })

  it('have the column of actions that a saved view of a bulk action has', async () => {
    const query = { filters: { runs: 0 }, columns: ['id', 'NA'] }
    const { id, revision } = (await api.post('views/orders', { name: 'Idle', query })).json.view
    const path = 'bulk-table-action/orders/touch_and_tell'
    const { json } = await api.post(path, {
      selected_ids: [1],
      view: id,
      view_revision: revision,
      ...effects,
      filters: [],
      row_actions: 'keys',
    })
    const [row] = await ask({ columns: ['id', 'NA'], row_actions: 'keys' })
    expect(json.effects.rows, JSON.stringify(json)).toEqual([row])
    expect(row.row.actions).toHaveProperty('close')
  })

  it('name the parts of the page that were ignored, as a page does', async () => {
    const { json } = await act('close', 2, { filters: { no_such: 1 } })
    const page = await api.post('query-table/orders', { filters: { no_such: 1 } })
    expect(json.effects.warnings).toEqual(page.json.warnings)
    expect(json.effects.warnings).toMatchObject([{ code: 'unknown_filter', field: 'no_such' }])
    expect(listIds(json.effects.rows)).toEqual([2])
  })

  it('are empty where nothing was changed', async () => {
    expect((await act('open', 2)).json.effects).toEqual({ rows: [], removed: [], refetch: [] })
  })

  it('are repeated with the first response', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await act('close', 2, {}, { headers })
    const again = await act('close', 2, {}, { headers })
    expect(again.json).toEqual(first.json)
    expect(await work.runs(2)).toEqual([1])
  })

  it.each(['row-table-action/orders/close/2', 'row-bulk-table-action/orders/close'])(
    'are repeated with the first response although their saved view is gone: %s',
    async (path) => {
      const { id } = (await api.post('views/orders', { name: 'Open', query: { filters: { state: 'open' } } })).json.view
      const body = { ...effects, view: id, ...(path.endsWith('close') && { selected_ids: [2] }) }
      const headers = { 'idempotency-key': 'once' }
      const first = await api.post(path, body, { headers })
      expect(first.json.effects).toMatchObject({ removed: [2] })
      await work.sql`delete from table_control.views`
      const again = await api.post(path, body, { headers })
      expect([again.status, again.json]).toEqual([200, first.json])
      expectFailure(await api.post(path, body), { status: 404, code: 'view_not_found' })
      expect(await work.runs(2)).toEqual([1])
    },
  )

  it('have the page asked again where there are more than 1,000 rows', async () => {
    const { json } = await api.post('bulk-table-action/lines/hit', {
      filters: [],
      select_all: true,
      excluded_ids: [1],
      columns: ['id'],
      ...effects,
    })
    expect(json.effects).toEqual({ rows: [], removed: [], refetch: ['rows', 'aggregates', 'facets'] })
  })

  it('have the page asked again where the rows are very long', async () => {
    await work.sql`update orders set title = repeat('x', 600000) where id in (1, 2)`
    const { json } = await actOnSeveral('close', [1, 2])
    expect(json.effects).toEqual({ rows: [], removed: [], refetch: ['rows', ...afterAChange] })
  })

  it('are no part of a response whose request does not ask for them', async () => {
    const path = 'row-table-action/orders/close/2'
    expect((await api.post(path, {})).json).not.toHaveProperty('effects')
    expect((await api.post(path, { include: ['version'] })).json).not.toHaveProperty('effects')
    expect((await api.post(path, { include: [] })).json).not.toHaveProperty('effects')
  })

  it('are not asked for by a field of a form that is called include', async () => {
    const own = await api.post('row-table-action/orders/own_include/2', { include: 'effects' })
    expect(own.json).toMatchObject({ echo: 'effects' })
    const open = await api.post('row-table-action/orders/any_form/2', effects)
    expect(open.json).toMatchObject({ echo: effects })
    expect(open.json).not.toHaveProperty('effects')
  })
})

describe('the effects of an undo', () => {
  const shape = { columns: ['id', 'state'] }
  const undo = (response: { readonly undo: { readonly url: string } }, body: object = {}, options: Options = {}) =>
    api.post(response.undo.url.replace(/^.*control-tables\//, ''), body, options)

  it('show the rows as the page shows them again', async () => {
    const { json } = await actOnSeveral('update_cells', [2, 9], { cells: { state: 'archived' } })
    const undone = await undo(json, { ...effects, ...shape, filters: { state: 'open' } })
    expect(undone.json.effects, undone.text).toEqual({
      rows: [{ id: 2, state: 'open' }],
      removed: [9],
      refetch: ['aggregates', 'facets', 'bindings'],
    })
    expect(undone.json.items).toHaveLength(2)
    const redone = await undo(undone.json, effects)
    expect(redone.json.effects.rows).toEqual((await ask()).filter(({ id }: { id: number }) => id === 2 || id === 9))
  })

  it('name the row that an undo takes out of the page', async () => {
    const { json } = await act('update_cells', 9, { cells: { state: 'open' } })
    const undone = await undo(json, { ...effects, filters: { state: 'open' } })
    expect(undone.json.effects).toMatchObject({ rows: [], removed: [9] })
  })

  it('are not there unless they are asked for, and a page without them is refused', async () => {
    const { json } = await act('update_cells', 2, { cells: { state: 'done' } })
    const refused = await undo(json, { filters: { state: 'open' } })
    expectFailure(refused, { status: 422, code: 'validation_failed' })
    const wrong = await undo(json, { ...effects, columns: ['tenant'] })
    expectFailure(wrong, { status: 422, code: 'validation_failed' })
    expect((await ask(shape))[1]).toEqual({ id: 2, state: 'done' })
    expect((await undo(json)).json).not.toHaveProperty('effects')
  })

  it('are repeated with the first response although their saved view is gone', async () => {
    const { id } = (await api.post('views/orders', { name: 'Open', query: { filters: { state: 'open' } } })).json.view
    const { json } = await act('update_cells', 2, { cells: { state: 'done' } })
    const asked = [{ ...effects, view: id }, { headers: { 'idempotency-key': 'once' } }] as const
    const first = await undo(json, ...asked)
    await work.sql`delete from table_control.views`
    expect((await undo(json, ...asked)).json).toEqual(first.json)
    expect(first.json.effects.rows).toHaveLength(1)
  })
})

it('row_actions shapes each item of a response to an action or a plan as it does those of a page', async () => {
  const post = async (path: string, body: object = {}) => (await api.post(path, { row_actions: 'keys', ...body })).json
  const read = async (id: number, include: readonly string[] = []) =>
    (await ask({ row_actions: 'keys', include }))[id - 1]
  const one = 'row-table-action/orders/rename/2'
  const several = 'row-bulk-table-action/orders/update_cells'
  const edit = { selected_ids: [3], cells: { state: 'done' } }
  const conflict = await post(one, { title: 'New', expected_version: 'old' })
  expect(conflict.current).toEqual(await read(2, ['version']))
  const conflicts = await post(several, { ...edit, versions: { 3: 'old' } })
  expect(conflicts.results[0].current).toEqual(await read(3, ['version']))
  const { plan } = await post(several, { ...edit, plan: true })
  const before = await read(3)
  expect(plan.sample).toEqual([{ id: 3, before, after: { ...before, state: 'done' } }])
  const applied = await post(several, { plan_id: plan.id })
  expect(applied.items).toEqual([await read(3)])
  const undone = await post(applied.undo.url.replace(/^.*control-tables\//, ''))
  expect(undone.items).toEqual([before])
  expect((await post(one, { title: 'New' })).data.row).toEqual(await read(2))
  expect(await post('row-table-action/orders/any_form/2')).toMatchObject({ echo: { row_actions: 'keys' } })
})

describe('a request for effects that does not fit', () => {
  it.each([
    ['include', { include: 'effects' }],
    ['include.0', { include: ['effect'] }],
    ['includes', { includes: ['effects'] }],
    ['columns.0', { ...effects, columns: ['tenant'] }],
    ['row_actions', { ...effects, row_actions: 'none' }],
    ['filters.runs', { ...effects, filters: { runs: 'many' } }],
    ['view', { ...effects, view: 'mine' }],
  ])('is refused by the name of %s, and changes nothing', async (field, body) => {
    for (const headers of [{}, { ln: 'ar' }]) {
      const single = await api.post('row-table-action/orders/close/2', body, { headers })
      expectFailure(single, { status: 422, code: 'validation_failed' })
      expect(Object.keys(single.json.fields ?? single.json.errors)).toContain(field)
      const several = await api.post('row-bulk-table-action/orders/close', { selected_ids: [2], ...body }, { headers })
      expectFailure(several, { status: 422, code: 'validation_failed' })
    }
    expect(await work.runs(2)).toEqual([0])
  })
})

it('effects say of any change what a page says after it, to any caller', async () => {
  const callers = [{}, { as: manager }, { as: colleague }, { as: south }]
  const page = fc.record(
    {
      filters: fc.constantFrom({}, { state: 'open' }, { state: 'done' }, { runs: '0' }),
      search: fc.constantFrom('order', 'Secret', 'Order 1', 'new'),
      columns: fc.constantFrom([], ['id', 'state'], ['id', 'title', 'runs']),
      row_actions: fc.constant('keys'),
    },
    { requiredKeys: [] },
  )
  const change = fc.constantFrom(
    ['close', {}],
    ['rename', { title: 'New title' }],
    ['give_away', {}],
    ['remove', {}],
    ['update_cells', { cells: { state: 'archived' } }],
    ['update_cells', { cells: { title: 'Order 1 new' } }],
  )
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...callers), page, change, ids, async (caller, asked, [action, form], chosen) => {
      await work.reset()
      const { json } = await actOnSeveral(action as string, chosen, { ...asked, ...(form as object) }, caller)
      const changed = (json.results ?? [])
        .filter((one: { success: boolean }) => one.success)
        .map((one: { id: number }) => one.id)
      if (json.success !== true) {
        expect(json).not.toHaveProperty('effects')
        return
      }
      const items = await ask(asked, caller)
      const shown = changed.flatMap((id: number) => items.filter((item: { id: number }) => item.id === id))
      expect(json.effects.rows).toEqual(shown)
      expect(json.effects.removed).toEqual(changed.filter((id: number) => !listIds(shown).includes(id)))
    }),
    { numRuns: 40 },
  )
})
