import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { holdOrders } from '../support/fixtures/held-orders.ts'
import { manager } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { askUntilDecided } from '../support/requests/ask-until-decided.ts'

const api = await startWorkApi({ DATABASE_CONNECTIONS: '4' })
beforeEach(() => api.reset())

const act = (path: string, id: number | string, body: unknown = {}, options = {}) =>
  api.post(`row-table-action/${path}/${id}`, body, options)

describe('an action that does not exist for the caller', () => {
  const undefinedAction = { status: 422, code: 'action_not_defined' }

  it.each(['nothing', '__proto__', 'constructor', 'only_row', 'export_excel', 'internal_bulk', '%20', '--', 'عربي'])(
    'is answered “Action is not defined”: %s',
    async (key) => {
      const response = await act(`orders/${key}`, 2)
      expectFailure(response, undefinedAction)
      expect(response.json.errors[0]).toBe('Action is not defined')
      expect(response.json.errors[2]).toContain(`There is no action "${decodeURIComponent(key)}" here`)
    },
  )

  it('names the action and the nearest one that the caller may run', async () => {
    const { json } = await act('orders/mark_reveiwed', 2, {}, { headers: { ln: 'ar' } })
    expect(json.errors).toEqual([
      'Action is not defined',
      'الإجراء غير معرّف',
      'There is no action "mark_reveiwed" here; use "mark_reviewed"',
      'لا يوجد هنا إجراء باسم "mark_reveiwed"؛ استخدم "mark_reviewed"',
    ])
    expect(json.message).toBe('الإجراء غير معرّف')
    expect((await act('orders/managers_onl', 2)).text).not.toContain('managers_only')
  })

  it('is not defined on web if it is not for web clients, and runs elsewhere', async () => {
    expectFailure(await act('orders/internal', 2, {}, { guard: 'web' }), undefinedAction)
    expect((await act('orders/internal', 2)).status).toBe(200)
  })

  it('is not defined if its condition is false', async () => {
    expectFailure(await act('orders/managers_only', 2), undefinedAction)
    expect((await act('orders/managers_only', 2, {}, { as: manager })).status).toBe(200)
  })

  it('is not defined whether or not the row exists', async () => {
    expectFailure(await act('orders/nothing', 999), undefinedAction)
  })
})

describe('an action that does not apply to the row', () => {
  it('is refused, and changes nothing', async () => {
    expectFailure(await act('orders/mark_reviewed', 9), { status: 422, code: 'action_not_applicable' })
    expect(await api.runs(9)).toEqual([0])
  })

  it.each([1, 2, 5])('is looked at again in the transaction of the change, over %s connections', async (count) => {
    const pool = count === 5 ? api : api.variant({ DATABASE_CONNECTIONS: String(count) })
    const clicks = Array.from({ length: 50 }, () =>
      askUntilDecided(() => pool.post('row-table-action/orders/mark_reviewed/2')),
    )
    const responses = await Promise.all(clicks)
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const response of responses.filter(({ status }) => status !== 200))
      expectFailure(response, { status: 422, code: 'action_not_applicable' })
    expect(await api.runs(2)).toEqual([1])
  })

  it('is refused to the second of two processes that run it at once', async () => {
    const responses = await Promise.all(
      [api, api.variant({})].map((one) => one.post('row-table-action/orders/slowly/2')),
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 422])
    expect(await api.runs(2)).toEqual([1])
  })

  it('counts each of many runs on a row that it applies to', async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => act('orders/count', 2)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await api.runs(2)).toEqual([50])
  })

  it('is answered row_busy while another session keeps the row locked', async () => {
    await api.sql.begin(async (sql) => {
      await sql`select from orders where id = 2 for update`
      expectFailure(await act('orders/mark_reviewed', 2), { status: 409, code: 'row_busy' })
    })
    expect((await act('orders/mark_reviewed', 2)).status).toBe(200)
  })
})

describe('an action whose statement the database does not finish', () => {
  const open = async () => (await api.sql`select state from orders where id = 2`)[0]?.['state'] === 'open'

  it('is answered timed_out and changes nothing if the database is too slow', async () => {
    const impatient = api.variant({ DATABASE_STATEMENT_TIMEOUT_MS: '100' })
    expectFailure(await impatient.post('row-table-action/orders/slowly/2'), { status: 504, code: 'timed_out' })
    expect(await open()).toBe(true)
  })

  it('is answered unavailable, changes nothing and can be repeated with its key if the database is gone', async () => {
    const headers = { 'idempotency-key': 'one' }
    const release = await holdOrders(api.sql, 'statement')
    const asked = act('orders/slowly', 2, {}, { headers })
    const killBackend = () => api.sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like 'update %'`
    while ((await killBackend()).length === 0) await sleep(5)
    const response = await asked
    await release()
    expectFailure(response, { status: 503, code: 'unavailable' })
    expect(response.headers).toHaveProperty('retry-after')
    expect(await open()).toBe(true)
    expect((await act('orders/slowly', 2, {}, { headers })).status).toBe(200)
    expect(await api.runs(2)).toEqual([1])
  })
})

describe('a callback that refuses', () => {
  it('has its own code and text, and has changed nothing', async () => {
    const response = await act('refusing_orders/refuse_odd', 3)
    expectFailure(response, { status: 422, code: 'odd_order' })
    expect(response.json.errors).toEqual(['Odd orders are refused', 'الطلبات الفردية مرفوضة'])
    expect((await act('refusing_orders/refuse_odd', 3, {}, { headers: { ln: 'ar' } })).json.message).toBe(
      'الطلبات الفردية مرفوضة',
    )
    expect(await api.runs(3)).toEqual([0])
    expect((await act('refusing_orders/refuse_odd', 4)).status).toBe(200)
  })

  it('is answered action_failed if it names no code', async () => {
    expectFailure(await act('refusing_orders/refuse_plainly', 4), { status: 422, code: 'action_failed' })
  })

  it('may refuse rows of a set as well', async () => {
    expectFailure(await act('refusing_orders/all_but_odd', 3), { status: 422, code: 'odd_order' })
    expectFailure(await act('refusing_orders/refuse_all', 4), { status: 422, code: 'odd_order' })
    expect(await api.runs(3, 4)).toEqual([0, 0])
    expect((await act('refusing_orders/all_but_odd', 4)).status).toBe(200)
  })

  it('is answered 403 if it throws forbidden()', async () => {
    expectFailure(await act('refusing_orders/forbid', 4), { status: 403, code: 'forbidden' })
  })

  it('is answered conflicting_data if a constraint of the database refuses', async () => {
    expectFailure(await act('refusing_orders/collide', 3), { status: 422, code: 'conflicting_data' })
    expect(await api.runs(3)).toEqual([0])
  })

  it('is answered conflicting_data for the rows whose refusal by a constraint it hides', async () => {
    expectFailure(await act('refusing_orders/hide_collision', 3), { status: 422, code: 'conflicting_data' })
    const { json } = await api.post('row-bulk-table-action/refusing_orders/hide_collision', { selected_ids: [1, 2, 3] })
    expect(json.results).toMatchObject([{ code: 'conflicting_data' }, { success: true }, { code: 'conflicting_data' }])
    expect(await api.runs(1, 2, 3)).toEqual([0, 1, 0])
  })

  it.each(['explode', 'mistake', 'answer_badly'])(
    'is answered 500 without details and has changed nothing if it throws: %s',
    async (action) => {
      const { status, json, text } = await act(`refusing_orders/${action}`, 3)
      expect({ status, code: json.code }).toEqual({ status: 500, code: 'internal_error' })
      expect(json.errors).toEqual([
        'Something went wrong on the server; try again later, or report it',
        'حدث خطأ في الخادم؛ حاول لاحقًا أو أبلغ عنه',
      ])
      expect(text).not.toMatch(/hunter2|secrets|relation|\.ts/)
      expect(await api.runs(3)).toEqual([0])
    },
  )
})
