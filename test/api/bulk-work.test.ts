import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims, manager } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { openedFile } from '../support/jobs/opened-file.ts'

const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test' })
beforeEach(() => api.reset())

const act = (path: string, body: unknown = {}, options = {}) => api.post(`bulk-table-action/${path}`, body, options)

describe('instant', () => {
  it('answers with the action’s own conclusion and the number of rows', async () => {
    expect((await act('bulk_orders/finish_all', { selected_ids: [1, 2, 3] })).json).toEqual({
      success: true,
      onSuccess: 'reload',
      message: 'Finished 3',
      counts: { selected: 3, succeeded: 3, failed: 0 },
      data: { selected: 3, failed: 0, chunks: [[1, 2], [3]] },
    })
    expect(await api.runs(1, 2, 3, 4)).toEqual([1, 1, 1, 0])
  })

  it('answers with the number of rows in the caller’s language if the action concludes nothing', async () => {
    const ids = { selected_ids: [1, 2, 3] }
    expect((await act('bulk_orders/touch', ids)).json).toMatchObject({ message: '3 rows done', onSuccess: 'no_action' })
    expect((await act('bulk_orders/touch', ids, { headers: { ln: 'ar' } })).json.message).toBe('تم: 3 صفوف')
  })

  it.each(['Finish All', 'finish-all', 'FINISH_ALL'])('runs under its key in any spelling: %s', async (key) => {
    expect((await act(`bulk_orders/${encodeURIComponent(key)}`, { selected_ids: [1] })).status).toBe(200)
  })

  it('has no link if the action names no file', async () => {
    const none = { run: () => {}, conclude: () => ({ file: null as never }) }
    const table = defineFixture({ ...ofOrders, name: 'plain', columns: {}, bulkActions: { plain: none } })
    const { post } = api.serve(createRegistry([table], { claims: fixtureClaims }))
    const { status, json } = await post('bulk-table-action/plain/plain', { selected_ids: [1] })
    expect([status, json.counts, json.data]).toEqual([200, { selected: 1, succeeded: 1, failed: 0 }, undefined])
  })

  it('answers with a link to the file that the action made', async () => {
    const { json } = await act('bulk_orders/as_file', {})
    expect(json).toMatchObject({ type: 'stream', file_name: 'قائمة.txt', data: { pages: 1, filename: 'قائمة.txt' } })
    expect(await (await openedFile(api, json.data.url)).text()).toBe('12 طلب')
  })
})

describe('an action that refuses', () => {
  it('leaves the other chunks done if it refuses one', async () => {
    const { status, json } = await act('bulk_orders/in_parts', { selected_ids: [1, 2, 3, 4, 5] })
    expect(status).toBe(200)
    expect(json.counts).toEqual({ selected: 5, succeeded: 3, failed: 2 })
    expect(json.results.map(({ id, code }: { id: number; code: string }) => [id, code])).toEqual([
      [3, 'third_order'],
      [4, 'third_order'],
    ])
    expect(await api.runs(1, 2, 3, 4, 5)).toEqual([1, 1, 0, 0, 1])
  })

  it('leaves the other rows of a chunk done if it refuses some', async () => {
    const { json } = await act('bulk_orders/but_the_third', { selected_ids: [2, 3, 4] })
    expect(json.counts).toEqual({ selected: 3, succeeded: 2, failed: 1 })
    expect(json.results).toEqual([
      { id: 3, success: false, code: 'third_order', errors: ['Order 3 is refused', 'الطلب 3 مرفوض'] },
    ])
    expect(await api.runs(2, 3, 4)).toEqual([1, 0, 1])
  })

  it('refuses none if it names rows that it was not given', async () => {
    const { json } = await act('bulk_orders/refuse_strangers', { selected_ids: [1, 2] })
    expect(json.counts).toEqual({ selected: 2, succeeded: 2, failed: 0 })
    expect(json).not.toHaveProperty('results')
  })

  it('is answered 422 if it refuses every row', async () => {
    const response = await act('bulk_orders/in_parts', { selected_ids: [3, 4] })
    expectFailure(response, { status: 422, code: 'third_order' })
    expect(response.json.counts).toMatchObject({ succeeded: 0, failed: 2 })
    expect(await api.runs(3, 4)).toEqual([0, 0])
  })

  it('changes nothing if it is atomic and refuses one row', async () => {
    expectFailure(await act('bulk_orders/all_or_none', { selected_ids: [1, 2, 3] }), {
      status: 422,
      code: 'third_order',
    })
    expect(await api.runs(1, 2, 3)).toEqual([0, 0, 0])
    expect((await act('bulk_orders/all_or_none', { selected_ids: [1, 2, 4] })).json.counts.succeeded).toBe(3)
  })

  it('fails with internal_error and changes nothing if its code throws an unexpected error', async () => {
    const { status, json, text } = await act('bulk_orders/explode', { selected_ids: [1, 2, 3] })
    expect({ status, code: json.code }).toEqual({ status: 500, code: 'internal_error' })
    expect(text).not.toMatch(/hunter2/)
    expect(await api.runs(1, 2, 3)).toEqual([0, 0, 0])
  })
})

describe('expected_count and dry_run of a bulk action', () => {
  it.each(['touch', 'notify', 'recompute'])(
    'run nothing if expected_count is another number of rows: %s',
    async (action) => {
      const response = await act(`bulk_orders/${action}`, { selected_ids: [1, 2, 13], expected_count: 3 })
      expectFailure(response, { status: 422, code: 'unexpected_count' })
      expect(response.json.errors[1]).toBe(
        'سيُنفَّذ الإجراء على صفين، لا على 3 صفوف كما كان متوقعًا؛ لم يُعدَّل شيء؛ أعد تحميل الصفحة',
      )
      expect(await api.runs(1, 2)).toEqual([0, 0])
      expect(await api.sql`select from table_control.jobs`).toHaveLength(0)
      expect((await act(`bulk_orders/${action}`, { selected_ids: [1, 2, 13], expected_count: '2' })).status).toBe(200)
    },
  )

  it.each(['touch', 'notify', 'recompute', 'mail_summary'])(
    'tell the number of rows by dry_run and change nothing: %s',
    async (action) => {
      const headers = { 'idempotency-key': 'once' }
      const { json } = await act(
        `bulk_orders/${action}`,
        { filters: { state: 'done' }, dry_run: true, note: 'x' },
        { headers },
      )
      expect(json).toEqual({ success: true, dry_run: true, counts: { selected: 4 } })
      expect(await api.runs(9, 10, 11, 12)).toEqual([0, 0, 0, 0])
      for (const table of ['jobs', 'notifications', 'audit', 'idempotency_keys'])
        expect(await api.sql.unsafe(`select from table_control.${table}`), table).toHaveLength(0)
    },
  )

  it('compare the number of rows by dry_run with expected_count', async () => {
    const body = { filters: { state: 'done' }, dry_run: true, expected_count: 5 }
    expectFailure(await act('bulk_orders/touch', body), { status: 422, code: 'unexpected_count' })
  })

  it.each(['at_most_three', 'recompute'])('run no action on more rows than its author allows: %s', async (action) => {
    const response = await act(`bulk_orders/${action}`, {})
    expectFailure(response, { status: 422, code: 'selection_too_large' })
    expect(await api.sql`select from table_control.jobs`).toHaveLength(0)
    expect((await act(`bulk_orders/${action}`, { selected_ids: [1, 2, 3] })).status).toBe(200)
  })
})

describe('an action that does not exist for the caller', () => {
  const undefinedAction = { status: 422, code: 'action_not_defined' }

  it.each(['nothing', 'only_row', 'show_details', 'managers_only', '__proto__', 'toString', '---'])(
    '%s',
    async (key) => {
      expectFailure(await act(`bulk_orders/${key}`), undefinedAction)
    },
  )

  it('is not defined on the guard web if it is hidden from web clients', async () => {
    expectFailure(await act('bulk_orders/internal', {}, { guard: 'web' }), undefinedAction)
    expect((await act('bulk_orders/internal')).status).toBe(200)
    expect((await act('bulk_orders/managers_only', {}, { as: manager })).status).toBe(200)
  })
})
