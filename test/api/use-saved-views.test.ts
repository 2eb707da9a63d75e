import { setImmediate } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, north } from '../support/fixtures/identities.ts'
import { listIds } from '../support/fixtures/list-ids.ts'
import { viewRegistry } from '../support/fixtures/view-tables.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { waitFor } from '../support/run/patience.ts'

const work = await startDeliveringApi()
const api = work.variant({}, viewRegistry)
beforeEach(() => work.reset())

const query = {
  filters: [{ field: 'state', operator: '=', value: 'done' }],
  sorts: [{ field: 'id', direction: 'desc' }],
  per_page: 3,
  aggregates: [{ field: 'amount', fn: 'sum' }],
}
const saveOne = async (asked: object = query, settings: object = {}) =>
  (await api.post('views/shared_orders', { name: 'Done', query: asked, ...settings })).json.view
const change = (id: string, body: unknown) =>
  api.request({ method: 'PATCH', path: `/api/api-table/control-tables/views/shared_orders/${id}`, body }, { as: north })
const page = (body: object, as = north) => api.post('query-table/shared_orders', body, { as })
const act = (path: string, body: object, headers = {}) => api.post(`bulk-table-action/${path}`, body, { headers })

describe('a page with a view', () => {
  it('has the rows, order, size and totals of the view, and says which revision it was', async () => {
    const { id, revision } = await saveOne()
    const response = await page({ view: id })
    expect(listIds(response)).toEqual([12, 11, 10])
    expect(response.json.pagination).toMatchObject({ per_page: 3, total: 4 })
    expect(response.json.aggregates).toEqual({ amount: { sum: { value: 44, text: '44.00' } } })
    expect(response.json.view).toEqual({ id, revision })
  })

  it.each([
    ['filters', { filters: [{ field: 'id', operator: '<=', value: 2 }] }, [2, 1]],
    ['sorts', { sorts: [{ field: 'id', direction: 'asc' }] }, [9, 10, 11]],
    ['perPage', { perPage: 1 }, [12]],
    ['sorts, cleared by []', { sorts: [] }, [9, 10, 11]],
    ['filters, cleared by []', { filters: [], perPage: 2 }, [12, 11]],
  ])('has the body’s own %s in place of those of the view', async (_, body, ids) => {
    const { id } = await saveOne()
    expect(listIds(await page({ view: id, ...body }))).toEqual(ids)
  })

  it('has no groups of the view where the body clears them', async () => {
    const { id } = await saveOne({ filter_groups: { any: [{ field: 'id', value: 1 }] } })
    expect(listIds(await page({ view: id }))).toEqual([1])
    expect((await page({ view: id, filter_groups: [] })).json.pagination.total).toBe(12)
  })

  it('keeps the order of sorts that are one object', async () => {
    const { id } = await saveOne({ sorts: { title: 'desc', id: 'asc' } })
    const same = await page({ sorts: { title: 'desc', id: 'asc' } })
    expect(listIds(await page({ view: id }))).toEqual(listIds(same))
  })

  it('resolves periods of the view when the page is read', async () => {
    const { id } = await saveOne({ filters: [{ field: 'due_from', operator: 'within', value: 'last_7_days' }] })
    expect((await page({ view: id })).json.resolved).toMatchObject([{ field: 'due_from', value: 'last_7_days' }])
  })

  it('goes on with the cursor of the page before', async () => {
    const { id } = await saveOne()
    const { json } = await page({ view: id })
    expect(listIds(await page({ view: id, cursor: json.pagination.next_cursor }))).toEqual([9])
  })

  it('shows only rows of the reader’s own scope', async () => {
    const { id } = await saveOne(query, { visibility: 'shared' })
    expect(listIds(await page({ view: id }, colleague))).toEqual([12, 11, 10])
  })

  it.each([
    ['a text that is no id', { view: 'mine' }, { status: 422, code: 'validation_failed', field: 'view' }],
    ['a list', { view: ['x'] }, { status: 422, code: 'validation_failed', field: 'view' }],
    ['an id of no view', { view: '7b8f3a52-2f7a-4a8e-9d3e-222222222222' }, { status: 404, code: 'view_not_found' }],
  ] as const)('is refused for %s', async (_, body, failure) => {
    expectFailure(await page(body), failure)
  })

  it('is refused for the private view of another caller', async () => {
    const { id } = await saveOne()
    expectFailure(await page({ view: id }, colleague), { status: 404, code: 'view_not_found' })
  })

  it('is refused for another revision than the request names', async () => {
    const { id } = await saveOne()
    expectFailure(await page({ view: id, view_revision: 2 }), { status: 422, code: 'view_changed' })
    expectFailure(await page({ view: id, view_revision: 'x' }), {
      status: 422,
      code: 'validation_failed',
      field: 'view_revision',
    })
  })

  it('is the first page of load-table with data', async () => {
    const { id } = await saveOne()
    const { json } = await api.get(`load-table/shared_orders/true?view=${id}`)
    expect(json.data.map((item: { readonly id: number }) => item.id)).toEqual([12, 11, 10])
    expect(json.view).toEqual({ id, revision: 1 })
  })
})

describe('the views of load-table', () => {
  it('are listed where the request asks for them, and cost no other request anything', async () => {
    const { id } = await saveOne()
    expect((await api.get('load-table/shared_orders')).json).not.toHaveProperty('views')
    expect((await api.get('load-table/shared_orders?views=false')).json).not.toHaveProperty('views')
    expect((await api.get('load-table/shared_orders?views=true')).json.views).toMatchObject([{ id, query }])
    expect((await api.get('load-table/shared_orders/true?views=1')).json.views).toMatchObject([{ id }])
  })

  it.each(['all', '["true"]', '{"toString":null}'])('are refused for the value %s', async (asked) => {
    const response = await api.get(`load-table/shared_orders?views=${asked}`)
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'views' })
  })

  it('end no process if they are asked for wrongly, beside another mistake', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    const response = await api.get('load-table/shared_orders?views=all&columns=["nothing"]')
    expectFailure(response, { status: 422, code: 'validation_failed' })
    await setImmediate()
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('change its entity tag', async () => {
    const path = 'load-table/shared_orders?views=true'
    const { headers } = await api.get(path)
    const tag = { headers: { 'if-none-match': headers['etag'] ?? '' } }
    expect((await api.get(path, tag)).status).toBe(304)
    await saveOne()
    expect((await api.get(path, tag)).status).toBe(200)
  })
})

describe('an action with a view', () => {
  it('runs on the rows of the view', async () => {
    const { id } = await saveOne()
    const { json } = await act('shared_orders/touch', { view: id, view_revision: 1 })
    expect(json.counts).toMatchObject({ selected: 4, succeeded: 4 })
    expect(await work.runs(1, 9, 12)).toEqual([0, 1, 1])
  })

  it('needs the revision that its caller saw', async () => {
    const { id } = await saveOne()
    expectFailure(await act('shared_orders/touch', { view: id }), {
      status: 422,
      code: 'validation_failed',
      field: 'view_revision',
    })
    await change(id, { query: {} })
    expectFailure(await act('shared_orders/touch', { view: id, view_revision: 1 }), {
      status: 422,
      code: 'view_changed',
    })
    expect(await work.runs(1, 9)).toEqual([0, 0])
  })

  it('runs on selected rows alone, and on the body’s own filters in place of those of the view', async () => {
    const { id } = await saveOne()
    await act('shared_orders/touch', { view: id, view_revision: 1, selected_ids: [1] })
    await act('shared_orders/touch', { view: id, view_revision: 1, filters: [{ field: 'id', value: 2 }] })
    expect(await work.runs(1, 2, 9)).toEqual([1, 1, 0])
  })

  it.each([
    ['null in place of a view', { view: null, view_revision: 1 }, 'view'],
    ['the revision of a view that is not named', { view_revision: 1 }, 'view'],
    ['a misspelt key', { views: 'x' }, 'views'],
    ['a misspelt revision', { viewRevision: 1 }, 'viewRevision'],
  ])('is refused for %s', async (_, body, field) => {
    expectFailure(await act('shared_orders/touch', body), { status: 422, code: 'validation_failed', field })
    expect(await work.runs(1)).toEqual([0])
  })

  it('is refused where a key of the view is a field of its form', async () => {
    const { id } = await saveOne({ filter_groups: { any: [{ field: 'id', value: 1 }] } })
    const response = await act('shared_orders/regroup', { view: id, view_revision: 1, filter_groups: 'mine' })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'view' })
  })

  it('waits for the first request with its key, even if the view has changed meanwhile', async () => {
    const patient = work.variant({ DATABASE_TIMEOUTS: 'role', DATABASE_CONNECTIONS: '2' }, viewRegistry)
    const { id } = await saveOne()
    const send = () =>
      patient.post(
        'bulk-table-action/shared_orders/touch',
        { view: id, view_revision: 1 },
        { headers: { 'idempotency-key': 'k' } },
      )
    const waitForLocks = (count: number) =>
      waitFor(async () => {
        const waiting = await work.sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        expect(waiting).toHaveLength(count)
      })
    const sent = await work.sql.begin(async (holding) => {
      await holding`select from orders where id = 12 for update`
      const first = send()
      await waitForLocks(1)
      await change(id, { query: { filters: [] } })
      const again = send()
      await Promise.race([again, waitForLocks(2)])
      return { responses: Promise.all([first, again]) }
    })
    const [first, again] = await sent.responses
    expect(first.json).toMatchObject({ success: true, counts: { succeeded: 4 } })
    expect(again.json).toEqual(first.json)
    expect(again.headers['idempotency-replayed']).toBe('true')
  })

  it('gets the first response again for a known key, even if the view has changed', async () => {
    const { id } = await saveOne()
    const body = { view: id, view_revision: 1 }
    const first = await act('shared_orders/touch', body, { 'idempotency-key': 'k' })
    await change(id, { query: {} })
    const again = await act('shared_orders/touch', body, { 'idempotency-key': 'k' })
    expect(again.json).toEqual(first.json)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(await work.runs(9)).toEqual([1])
    const other = await act('shared_orders/touch', { ...body, view_revision: 2 }, { 'idempotency-key': 'k' })
    expectFailure(other, { status: 422, code: 'idempotency_key_reused' })
  })

  it('adds its refusals to the audit', async () => {
    const { id } = await saveOne()
    await act('shared_orders/touch', { view: id, view_revision: 2 })
    expect((await work.audit()).at(-1)).toMatchObject({ action: 'touch', kind: 'bulk', outcome: 'view_changed' })
  })
})

describe('an export with a view', () => {
  it('has the rows and the columns of the view', async () => {
    const { id } = await saveOne({ ...query, columns: ['title', 'id', 'NA'] })
    const { json } = await act('shared_orders/export_excel', { view: id, view_revision: 1 })
    expect(json).toMatchObject({ type: 'stream', rows: 4 })
  })
})

describe('a view that a later version has saved with a key of its own', () => {
  const saveLater = async () => {
    const { id, revision } = await saveOne(query, { visibility: 'shared' })
    await work.sql`update table_control.views set query = (query::jsonb || '{"near": "Riyadh"}')::json where id = ${id}`
    return { view: id, view_revision: revision }
  }

  it('selects no rows, because it would select more than its owner saw', async () => {
    const later = await saveLater()
    const refusal = { status: 422, code: 'validation_failed', field: 'view.near' }
    expectFailure(await page(later), refusal)
    expectFailure(await act('shared_orders/touch', later), refusal)
    expect(await work.sql`select from orders where runs > 0`).toEqual([])
  })

  it('is listed as not usable for its owner, and does not exist for others', async () => {
    const { view: id } = await saveLater()
    const [own] = (await api.get('views/shared_orders')).json.items
    expect(own).toMatchObject({ id, usable: false })
    expect(own).not.toHaveProperty('query')
    expect((await api.get('views/shared_orders', { as: colleague })).json.items).toEqual([])
    expect((await page({ view: id }, colleague)).json.code).toBe('view_not_found')
  })

  it('keeps that key while its name is changed', async () => {
    const { view: id } = await saveLater()
    expect((await change(id, { name: 'Near' })).json.view).toMatchObject({ name: 'Near', usable: false })
    expect(await work.sql`select query ->> 'near' as near from table_control.views`).toEqual([{ near: 'Riyadh' }])
  })
})
