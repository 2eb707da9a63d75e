import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'

const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test' })
beforeEach(() => api.reset())

const invalid = (field: string) => ({ status: 422, code: 'validation_failed', field })
const fault = 'must not hold a null character or half of a character'

describe.each([
  ['a null character', 'a\u0000b'],
  ['half of a character', 'a\ud800'],
])('%s', (_, text) => {
  it.each([
    ['query-table/scoped_orders', { params: { state: text } }, 'params.state'],
    ['query-table/scoped_orders', { params: { nested: { deep: ['x', text] } } }, 'params.nested.deep.1'],
    ['query-table/scoped_orders', { params: { [text]: 1 } }, 'params.a'],
    ['query-table/orders', { filters: { state: text } }, 'filters.state'],
    ['row-table-action/orders/assign/2', { assignee: text }, 'assignee'],
    ['row-bulk-table-action/orders/assign', { selected_ids: [2], assignee: text }, 'assignee'],
    ['bulk-table-action/bulk_orders/recompute', { selected_ids: [2, text] }, 'selected_ids.1'],
    ['bulk-table-action/lines/pushed_report', { filters: { id: { value: 2, label: text } } }, 'filters.id.label'],
    ['bulk-table-action/lines/send_report', { emails: [text] }, 'emails.0'],
    ['bulk-table-action/lines/export_csv', { columns: [text] }, 'columns.0'],
  ])('is refused with the name of its field: %s %j', async (path, body, field) => {
    const response = await api.post(path, body)
    expect(response.status, response.text).toBe(422)
    const named = Object.keys(response.json.fields)
    expect(named).toHaveLength(1)
    expect(named[0]?.startsWith(field)).toBe(true)
    expect(named).not.toContain('body')
    expectFailure(response, { status: 422, code: 'validation_failed' })
  })

  it('is refused in a URL, too', async () => {
    const query = `?state=${encodeURIComponent(text.toWellFormed())}`
    const response = await api.get(`load-table/scoped_orders/true${query}`)
    if (!text.isWellFormed()) return expect(response.status).toBe(200)
    expectFailure(response, invalid('params.state'))
    expect(response.json.fields['params.state']).toEqual([fault])
  })

  it('is ignored in a key that nothing reads', async () => {
    expect((await api.post('row-table-action/orders/count/2', { junk: text })).status).toBe(200)
    expect((await api.post('bulk-table-action/lines/pushed_report', { junk: text })).status).toBe(200)
  })
})
