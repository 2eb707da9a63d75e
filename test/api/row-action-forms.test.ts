import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { publicUrl } from '../support/fixtures/fixture-api.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import type { ApiResponse } from '../support/requests/api.ts'

const api = await startWorkApi()
beforeEach(() => api.reset())

const act = (path: string, id: number | string, body: unknown = {}, options = {}) =>
  api.post(`row-table-action/${path}/${id}`, body, options)

const assignee = async (id: number) => (await api.sql`select assignee from orders where id = ${id}`)[0]?.['assignee']

describe('a form', () => {
  it('is sent to clients as JSON Schema in the action’s entry, with its fields in payload_keys', async () => {
    const { rowActions } = (await api.get('load-table/orders')).json
    expect(rowActions.assign.payload_keys).toEqual(['assignee', 'hours', 'address'])
    expect(rowActions.assign.form).toMatchObject({
      type: 'object',
      required: ['assignee'],
      properties: {
        assignee: { type: 'string', minLength: 2, maxLength: 20 },
        hours: { type: 'integer', minimum: 1, maximum: 40, default: 8 },
      },
    })
    expect(rowActions.mark_reviewed).not.toHaveProperty('form')
  })

  it('has the labels of its fields as their titles, in the language of the request', async () => {
    const titles = async (headers: Record<string, string>) => {
      const { rowActions } = (await api.get('load-table/orders', { headers })).json
      const { assignee, hours, address } = rowActions.assign.form.properties
      return [assignee.title, hours.title, address.title, rowActions.reschedule.form.properties.due.title]
    }
    expect(await titles({ ln: 'en' })).toEqual(['Assignee', 'Hours', undefined, 'Due'])
    expect(await titles({ ln: 'ar' })).toEqual(['المكلَّف', 'Hours', undefined, 'Due'])
    expect(await titles({ ln: 'en' })).toEqual(['Assignee', 'Hours', undefined, 'Due'])
  })

  it('reaches the action as its schema parses it', async () => {
    const { json } = await act('orders/assign', 2, { assignee: 'نورة', unknown: 1 })
    expect(json).toMatchObject({ success: true, message: 'Assigned to نورة', hours: 8 })
    expect(json.data.row.assignee).toBe('نورة')
  })

  it.each<[string, unknown, string]>([
    ['a missing field', {}, 'assignee'],
    ['a short one', { assignee: 'x' }, 'assignee'],
    ['a long one', { assignee: 'x'.repeat(21) }, 'assignee'],
    ['another type', { assignee: ['nora'] }, 'assignee'],
    ['null', { assignee: null }, 'assignee'],
    ['half a number', { assignee: 'nora', hours: 1.5 }, 'hours'],
    ['a number of another range', { assignee: 'nora', hours: 41 }, 'hours'],
    ['a number as a text', { assignee: 'nora', hours: '8' }, 'hours'],
    ['a field further down', { assignee: 'nora', address: { city: 7 } }, 'address.city'],
  ])('refuses %s by the field’s name, in both languages', async (_, body, field) => {
    const english = await act('orders/assign', 2, body)
    expectFailure(english, { status: 422, code: 'validation_failed', field })
    const { json } = await act('orders/assign', 2, body, { headers: { ln: 'ar' } })
    expect(json.fields[field][0]).toMatch(/\p{Script=Arabic}/u)
    expect(english.json.fields[field][0]).toMatch(/\p{Script=Latin}/u)
    expect(json.errors).toEqual(english.json.errors)
    expect(await assignee(2)).toBeNull()
  })

  it('names all wrong fields at once', async () => {
    const { json } = await act('orders/assign', 2, { assignee: 'x', hours: 0 })
    expect(Object.keys(json.fields)).toEqual(['assignee', 'hours'])
  })

  it('takes no prototype for a field', async () => {
    expectFailure(await act('orders/assign', 2, '{"__proto__": {"assignee": "nora"}}'), {
      status: 422,
      code: 'validation_failed',
      field: 'assignee',
    })
  })

  it('is filled in for several rows at once', async () => {
    const body = { selected_ids: [2, 4], assignee: 'nora' }
    const { json } = await api.post('row-bulk-table-action/orders/assign', body)
    expect(json.items.map((item: { assignee: string }) => item.assignee)).toEqual(['nora', 'nora'])
    const refused = await api.post('row-bulk-table-action/orders/assign', { selected_ids: [5], assignee: '' })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'assignee' })
    expect(await assignee(5)).toBeNull()
  })

  it('does not receive the keys that have a meaning of their own', async () => {
    const body = { selected_ids: [2], dry_run: false, params: {}, title: 'New' }
    const { status, json } = await api.post('row-bulk-table-action/orders/rename', body)
    expect([status, json.items?.[0].title]).toEqual([200, 'New'])
    expectFailure(await act('orders/rename', 2, { title: 'New', more: 1 }), { status: 422, code: 'validation_failed' })
  })

  it('is checked for a bulk action, too', async () => {
    const refused = await api.post('bulk-table-action/bulk_orders/assign_all', { selected_ids: [2] })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'assignee' })
    const body = { selected_ids: [2], assignee: 'nora' }
    expect((await api.post('bulk-table-action/bulk_orders/assign_all', body)).status).toBe(200)
    expect(await assignee(2)).toBe('nora')
  })
})

describe('OpenModalForm', () => {
  const submit = (url: string, body: unknown, options = {}) => {
    const { pathname, search } = new URL(url)
    return api.request({ method: 'POST', path: pathname + search, body }, options)
  }

  it('answers its first step with the form, its first values, the URL and the onSuccess of its second step', async () => {
    const { status, json } = await act('orders/reschedule', 2)
    const [row] = await api.sql`select due from orders where id = 2`
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      onSuccess: 'refetchData',
      message: 'Reschedule',
      payload: {
        schema: (await api.get('load-table/orders')).json.rowActions.reschedule.form,
        values: { due: expect.any(String) },
      },
      method: 'post',
      url: `${publicUrl}/api/api-table/control-tables/row-table-action/orders/reschedule/2?step=submit`,
    })
    expect(new Date(json.payload.values.due)).toEqual(row?.['due'])
    expect(await api.runs(2)).toEqual([0])
  })

  it('leads to the second step, which changes the row', async () => {
    const { json } = await act('orders/reschedule', 2)
    const response = await submit(json.url, { due: '2027-01-01T00:00:00Z' })
    expect(response.json).toMatchObject({ success: true, onSuccess: 'refetchData', items: [{ id: 2, runs: 1 }] })
    expect(await api.runs(2)).toEqual([1])
  })

  it('takes a second step in which every field was left empty', async () => {
    const { json } = await act('orders/reschedule', 2)
    expect((await submit(json.url, {})).json).toMatchObject({ onSuccess: 'refetchData', items: [{ due: null }] })
  })

  it('validates the second step', async () => {
    const { json } = await act('orders/reschedule', 2)
    expectFailure(await submit(json.url, { due: 'soon' }), { status: 422, code: 'validation_failed', field: 'due' })
    expectFailure(await act('orders/reschedule', 2, { due: 'soon' }), {
      status: 422,
      code: 'validation_failed',
      field: 'due',
    })
    expect(await api.runs(2)).toEqual([0])
  })

  it('names the URL with its /api on every guard, as action.api does, for clients that delete it', async () => {
    const { url } = (await act('orders/reschedule', 2, {}, { guard: 'web' })).json
    expect(url).toBe((await act('orders/reschedule', 2)).json.url)
    expect((await submit(url.replace('/api', ''), {})).status).toBe(200)
  })

  it.each([
    ['mobile,web', 'mobile', '/mobile'],
    ['mobile,web', 'web', ''],
    ['mobile,api', 'mobile', '/api'],
  ])('leads to a guard that the service has: %s, on %s', async (GUARDS, guard, prefix) => {
    const variant = api.variant({ GUARDS })
    const { json } = await variant.post('row-table-action/orders/reschedule/2', {}, { guard })
    const { pathname, search } = new URL(json.url)
    expect(pathname.split('/api-table/')[0]).toBe(prefix)
    expect((await variant.request({ method: 'POST', path: pathname + search, body: {} })).status).toBe(200)
  })

  it('says where its second step goes for every id', async () => {
    const { actions } = (await api.post('query-table/orders', {})).json.items[0] as ApiResponse['json']
    expect(actions.reschedule).toMatchObject({ onSuccess: 'OpenModalForm', payload_keys: ['due'] })
  })

  it.each([
    ['a row that it does not apply to', 9, { status: 422, code: 'action_not_applicable' }],
    ['a row that is not there', 999, { status: 404, code: 'row_not_found' }],
    ['a row of another scope', 13, { status: 404, code: 'row_not_found' }],
  ])('opens nothing for %s', async (_, id, failure) => {
    expectFailure(await act('orders/reschedule', id), failure)
    expectFailure(await act('orders/reschedule', `${id}?step=submit`), failure)
  })
})
