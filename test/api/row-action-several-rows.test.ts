import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry, forbidden } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, orderColumns } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const api = await startWorkApi()
beforeEach(() => api.reset())

const act = (path: string, id: number | string, body: unknown, options = {}) =>
  api.post(`row-table-action/${path}/${id}`, body, options)
const invalid = { status: 422, code: 'validation_failed', field: 'selected_ids' }

describe('the selected_ids of an action on one row', () => {
  it.each([
    ['several rows, the one of the path among them', [2, 3, 4]],
    ['another row than the path', [5]],
    ['several rows twice, in both spellings', ['2', 3, 2, '3']],
  ])('run the action on all of them where it allows several rows: %s', async (_, selected_ids) => {
    const response = await act('orders/mark_reviewed', 2, { selected_ids })
    const several = [...new Set(selected_ids.map(Number))]
    expect(response.json).toMatchObject({
      success: true,
      onSuccess: 'refetchData',
      counts: { succeeded: several.length, failed: 0 },
      items: several.map((id) => ({ id, state: 'done' })),
    })
    const changed = await api.sql`select id from orders where runs > 0 order by id`
    expect(changed.map(({ id }) => id)).toEqual(several)
  })

  it('are answered as by row-bulk-table-action', async () => {
    const body = { selected_ids: [2, 9, 999, 13] }
    const single = (await act('orders/mark_reviewed', 2, body)).json
    await api.reset()
    expect(single).toEqual((await api.post('row-bulk-table-action/orders/mark_reviewed', body)).json)
    expect(single.counts).toEqual({ succeeded: 1, failed: 3 })
  })

  it('name the removed rows, so that clients drop them', async () => {
    const { json } = await act('orders/discard', 2, { selected_ids: [2, 3] })
    expect(json).toMatchObject({ onSuccess: 'deleteRow', removed: [2, 3], items: [] })
  })

  it.each([
    ['the row of the path', [2]],
    ['the row of the path as a text', ['2']],
    ['no row', []],
  ])('run the action on the row of the path alone: %s', async (_, selected_ids) => {
    expect((await act('orders/mark_reviewed', 2, { selected_ids })).json).toMatchObject({
      onSuccess: 'refetchRow',
      data: {},
    })
    expect(await api.runs(1, 2, 3)).toEqual([0, 1, 0])
  })

  it.each([
    ['several rows', [2, 3]],
    ['another row', [3]],
    ['a row of another scope', [13]],
    ['a text that is no id', ['x']],
  ])('are refused by an action that does not allow several rows: %s', async (_, selected_ids) => {
    expectFailure(await act('orders/count', 2, { selected_ids }), invalid)
    expect(await api.runs(2, 3)).toEqual([0, 0])
  })

  it.each(['mark_reviewed', 'count'])('are refused where they are no list of ids: %s', async (action) => {
    for (const selected_ids of [null, 2, 'all', { 0: 2 }])
      expectFailure(await act(`orders/${action}`, 2, { selected_ids }), invalid)
    expectFailure(await act(`orders/${action}`, 2, { selected_ids: [null] }), { ...invalid, field: 'selected_ids.0' })
    expectFailure(
      await act(`orders/${action}`, 2, { selected_ids: Array.from({ length: 1_001 }, (_, id) => id) }),
      invalid,
    )
    expect(await api.runs(2)).toEqual([0])
  })

  it('take the fields of the form beside them, and do not open a form in two steps', async () => {
    expectFailure(await act('orders/assign', 2, { selected_ids: [2, 3] }), { ...invalid, field: 'assignee' })
    const { json } = await act('orders/assign', 2, { selected_ids: [2, 3], assignee: 'nora' })
    expect(json.items).toMatchObject([{ assignee: 'nora' }, { assignee: 'nora' }])
    expectFailure(await act('orders/reschedule', 2, { selected_ids: [2, 3] }), invalid)
  })

  it('run once with an idempotency key, and are audited with the rows that were changed', async () => {
    const options = { headers: { 'idempotency-key': 'several' } }
    const first = await act('orders/mark_reviewed', 2, { selected_ids: [2, 3] }, options)
    const again = await act('orders/mark_reviewed', 2, { selected_ids: [2, 3] }, options)
    expect(again.json).toEqual(first.json)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(await api.runs(2, 3)).toEqual([1, 1])
    const audit = await api.audit()
    expect(audit).toMatchObject([{ action: 'mark_reviewed', kind: 'row_bulk', rows: 2, outcome: 'succeeded' }])
    await api.sql`delete from table_control.audit`
    await api.post('row-bulk-table-action/orders/flag', { selected_ids: [2, 3] })
    expect((await api.audit())[0]?.['filter_hash']).toBe(audit[0]?.['filter_hash'])
  })

  it('are refused where a middleware does not admit the caller to several rows', async () => {
    const guarded = defineFixture({
      ...ofOrders,
      name: 'guarded',
      columns: orderColumns,
      middlewares: [
        ({ endpoint }) => {
          if (endpoint.endsWith('.rowBulkTableAction')) throw forbidden()
        },
      ],
      rowActions: { look: { bulk: true, run: () => {} } },
    })
    const strict = api.variant({}, createRegistry([guarded], { claims: fixtureClaims }))
    const look = (selected_ids: readonly number[]) => strict.post('row-table-action/guarded/look/2', { selected_ids })
    expect((await look([2])).status).toBe(200)
    expectFailure(await look([2, 3]), { status: 403, code: 'forbidden' })
  })
})

it.each([
  [
    'mark_reviewed',
    { plan: true },
    'row-bulk-table-action with the row in selected_ids',
    'row-bulk-table-action مع الصف',
  ],
  ['mark_reviewed', { plan_id: 'x' }, 'row-bulk-table-action with', 'row-bulk-table-action مع الصف'],
  ['show_details', { plan: true }, 'dry_run checks it', 'أرسل dry_run'],
])('%s on one row refuses %j and says what to send', async (action, body, english, arabic) => {
  const refused = await act(`orders/${action}`, 1, body)
  expectFailure(refused, { status: 422, code: 'validation_failed', field: Object.keys(body)[0] ?? '' })
  expect(refused.json.errors).toEqual([expect.stringContaining(english), expect.stringContaining(arabic)])
  expect(await api.runs(1)).toEqual([0])
})
