import { beforeEach, describe, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import { defineFixture, fixtureClaims, manager, south } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const api = await startWorkApi()
beforeEach(() => api.reset())

const act = (path: string, id: number | string, body: unknown = {}, options = {}) =>
  api.post(`row-table-action/${path}/${id}`, body, options)
const queryRow = async (id: number, options = {}) =>
  (await api.post('query-table/orders', {}, options)).json.items.find((item: { id: number }) => item.id === id)

describe('an action on one row', () => {
  it('changes no other row', async () => {
    expect((await act('orders/mark_reviewed', 2)).status).toBe(200)
    expect(await api.runs(1, 2, 3)).toEqual([0, 1, 0])
  })

  it.each(['Mark Reviewed', 'mark-reviewed', 'MARK  REVIEWED', 'mark_reviewed'])(
    'runs under its key however it is written: %s',
    async (key) => expect((await act(`orders/${encodeURIComponent(key)}`, 2)).status).toBe(200),
  )

  it.each([
    ['no body', undefined],
    ['an empty text', ''],
    ['an empty object', {}],
    ['empty selected_ids', { selected_ids: [] }],
    ['unknown keys', { '0': 'x', '1': { y: [1] }, __proto__: null }],
  ])('runs with %s as its body', async (_, body) => {
    expect((await act('orders/mark_reviewed', 2, body)).status).toBe(200)
    expect(await api.runs(2)).toEqual([1])
  })

  it.each(['api', 'web'])('runs on the guard %s', async (guard) => {
    expect((await act('orders/mark_reviewed', 2, {}, { guard })).status).toBe(200)
  })

  it('runs at the URL that the row names', async () => {
    const { action } = (await queryRow(2)).actions.mark_reviewed
    expect(action.api).toBe(`${publicUrl}/api/api-table/control-tables/row-table-action/orders/mark_reviewed/2`)
    const { status } = await api.request({ method: 'POST', path: new URL(action.api).pathname })
    expect(status).toBe(200)
  })
})

describe('the response of an action', () => {
  it.each([
    ['a text', 'done', { value: 'done' }],
    ['a list', [1, 2], { value: [1, 2] }],
    ['an object', { total: 3 }, { total: 3 }],
  ])('has the row beside %s of its author', async (_, data, expected) => {
    const table = defineFixture({
      ...ofOrders,
      name: 'orders',
      columns: { title: { label: 'Title' } },
      rowActions: { tell: { run: () => ({ data }) } },
    })
    const served = api.variant({}, createRegistry([table], { claims: fixtureClaims }))
    const { json } = await served.post('row-table-action/orders/tell/2')
    expect(json.data).toEqual({ ...expected, row: expect.objectContaining({ id: 2 }) })
  })

  it('is by refetchRow the row exactly as query-table now returns it', async () => {
    const { json } = await act('orders/mark_reviewed', 2)
    expect(json).toEqual({
      success: true,
      onSuccess: 'refetchRow',
      message: 'Done',
      data: { row: await queryRow(2) },
    })
    expect(json.data.row).toMatchObject({ id: 2, state: 'done', runs: 1 })
    expect(json.data.row.actions).not.toHaveProperty('mark_reviewed')
  })

  it('is deleteRow instead of refetchRow if the row left the filters of the caller', async () => {
    const { json } = await act('orders/give_away', 2, {}, { headers: { ln: 'ar' } })
    expect(json).toEqual({ success: true, onSuccess: 'deleteRow', message: 'أُعطي' })
    expect((await queryRow(2, { as: south })).title).toBe('Order 2')
  })

  it('is deleteRow instead of refetchData if the row left the scope of the caller', async () => {
    expect((await act('orders/hand_over', 2)).json).toEqual({ success: true, onSuccess: 'deleteRow', message: 'Done' })
  })

  it('is by refetchData the items and, at the top level, what the callback returns', async () => {
    const { json } = await act('orders/refresh', 2)
    expect(json).toEqual({
      success: true,
      onSuccess: 'refetchData',
      message: 'Done',
      details: ['more', '1'],
      items: [await queryRow(2)],
    })
  })

  it('has nothing more by deleteRow and reload', async () => {
    expect((await act('orders/archive', 2)).json).toEqual({ success: true, onSuccess: 'deleteRow', message: 'Done' })
    expect((await act('orders/restart', 3)).json).toEqual({ success: true, onSuccess: 'reload', message: 'Done' })
    expect(await queryRow(2)).toBeUndefined()
  })

  it('is what the callback decides for this row', async () => {
    expect((await act('orders/decide', 2)).json).toEqual({ success: true, onSuccess: 'no_action', message: 'Order 2' })
    await act('orders/flag', 2)
    expect((await act('orders/decide', 2)).json).toMatchObject({ onSuccess: 'reload' })
  })

  it('has url and filename by downloadData', async () => {
    const data = { url: 'https://files.example.test/2', filename: 'statement.pdf' }
    expect((await act('orders/statement', 2)).json).toEqual({
      success: true,
      onSuccess: 'downloadData',
      message: 'Done',
      data: { ...data, file: data.url, name: data.filename },
    })
  })

  it('has what the callback shows by DisplayOnModal', async () => {
    const data = { who: { label: 'Who', value: 'nora 2' } }
    expect((await act('orders/explain', 2)).json).toMatchObject({ onSuccess: 'DisplayOnModal', data })
  })

  it('is the row with the other value for a toggle, there and back', async () => {
    for (const value of [true, false]) {
      const { json } = await act('orders/flag', 2)
      expect(json.data.row.actions.flag.toggle_current_value).toBe(value)
      expect(json.data.row.flagged).toBe(value)
    }
  })

  it('has the target or the text by redirect, external_redirect and copy', async () => {
    const route = '/orders/2'
    expect((await act('orders/open', 2)).json).toMatchObject({ redirect_routes: { api: route, web: route } })
    expect((await act('orders/visit', 2)).json).toEqual({
      success: true,
      onSuccess: 'no_action',
      message: 'Done',
      redirect_routes: { api: 'https://example.test/2', web: 'https://example.test/2' },
    })
    expect((await act('orders/copy_title', 2)).json).toMatchObject({ onSuccess: 'no_action', copy_value: 'Order 2' })
  })

  it.each([
    ['en', 'Done'],
    ['ar', 'تم'],
  ])('has a message in the caller’s language: %s', async (ln, message) => {
    expect((await act('orders/restart', 2, {}, { headers: { ln } })).json.message).toBe(message)
  })
})

describe('the default show_details', () => {
  it('shows label, value and type of each column', async () => {
    const [text, number] = ['text', 'number'].map((value_type) => ({ type: 'text', value_type }))
    const { json } = await act('orders/show_details', 2)
    expect(json).toEqual({
      success: true,
      onSuccess: 'DisplayOnModal',
      message: 'Done',
      data: {
        id: { label: 'ID', value: 2, ...number },
        title: { label: 'Title', value: 'Order 2', ...text },
        state: { label: 'State', value: 'open', ...text },
        assignee: { label: 'Assignee', value: '-', ...text },
        runs: { label: 'Runs', value: 0, ...number },
        flagged: { label: 'Flagged', value: 'No', ...text },
        amount: { label: 'Amount', value: 2.5, ...number },
        due: { label: 'Due', value: (await queryRow(2)).due, ...text },
      },
    })
  })

  it('shows details with labels in Arabic', async () => {
    const { data } = (await act('orders/show_details', 2, {}, { headers: { ln: 'ar' } })).json
    expect([data.title.label, data.amount.label, data.runs.label]).toEqual(['العنوان', 'المبلغ', 'Runs'])
  })

  it('shows details of every column that the caller may know of, and of no other', async () => {
    expect((await act('orders/show_details', 2, {}, { as: manager })).json.data.tenant).toMatchObject({
      value: 'north',
    })
    const { text } = await act('orders/show_details', 2)
    expect(text).not.toMatch(/tenant/i)
  })

  it('is there if the table has no action of its own', async () => {
    const { json } = await api.post('row-table-action/products/show_details/5')
    expect(json.data.category).toEqual({ label: 'Category', value: 'TOY', type: 'text', value_type: 'text' })
  })
})
