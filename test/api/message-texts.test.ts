import { describe, expect, it } from 'vitest'
import { startFixtureApi } from '../support/fixtures/fixture-api.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'

const [api, work] = await Promise.all([startFixtureApi(), startDeliveringApi({ MAIL_DOMAINS: 'example.test' })])

describe('the message of a refused field names the rule and the fix', () => {
  it.each([
    [
      'row-bulk-table-action/orders/flag',
      { selected_ids: [] },
      'selected_ids: must not be empty',
      'يجب ألا يكون فارغًا',
    ],
    [
      'row-bulk-table-action/orders/flag',
      { selected_ids: [1.5] },
      'selected_ids.0: must be a row id: a text, or a number of at most 15 digits',
      'يجب أن يكون معرّف صف: نصًا، أو عددًا من 15 رقمًا على الأكثر',
    ],
    [
      'bulk-table-action/lines/export_csv',
      { columns: ['nope'] },
      'columns.0: must be one of: id, label, state',
      'يجب أن يكون واحدًا مما يلي: id، label، state',
    ],
    [
      'bulk-table-action/lines/process',
      { filters: null },
      'filters: must be a list or an object',
      'يجب أن يكون قائمة أو كائنًا',
    ],
    [
      'bulk-table-action/lines/process',
      { filters: { stat: 1 } },
      'filters.stat: is not a filter of this table; use state',
      'ليس من عوامل تصفية هذا الجدول؛ استخدم state',
    ],
    ['query-table/lines', { sorts: 'id' }, 'sorts: must be a list or an object', 'يجب أن يكون قائمة أو كائنًا'],
    [
      'query-table/lines',
      { filters: { id: { operator: 'like', value: 1 } } },
      'filters.id: must use one of the operators =, <=, >=',
      'يجب أن يستخدم أحد عوامل المقارنة \u200e=, <=, >=\u200e',
    ],
  ])('%s %j', async (path, body, en, ar) => {
    const { json } = await work.post(path, body)
    expect(json.errors.slice(0, 2)).toEqual([en, `${en.split(': ')[0]}: ${ar}`])
  })

  it('lists the options of a select, the first twenty of many', async () => {
    const { json } = await api.post('query-table/products', { filters: { category: 'nope' } })
    expect(json.errors[0]).toMatch(/^filters\.category: must be one of: \w+(, \w+)+$/)
  })
})

describe('a range that begins after its end', () => {
  it.each([
    ['products', [{ field: 'stock_any', operator: 'between', value: [2_000, 1_000] }], 'stock_any'],
    ['visits', [{ field: 'day_from', value: { from: '2026-03-02', to: '2026-03-01' } }], 'day_from'],
  ])('has no rows, and a warning says why: %s', async (table, filters, field) => {
    const { json } = await api.post(`query-table/${table}`, { filters })
    expect(json.pagination.total).toBe(0)
    expect(json.warnings).toEqual([{ code: 'empty_range', field }])
  })

  it.each([
    ['products', [{ field: 'stock_any', operator: 'between', value: [10, 10] }]],
    ['products', [{ field: 'stock_any', operator: 'between', value: '-5 - 10' }]],
    ['visits', [{ field: 'day_from', value: { from: '2026-03-01', to: '2026-03-01' } }]],
    ['visits', [{ field: 'day_from', value: { to: '2026-03-01' } }]],
  ])('is not one that has a day or a number in it: %s %j', async (table, filters) => {
    expect((await api.post(`query-table/${table}`, { filters })).json).not.toHaveProperty('warnings')
  })
})

describe('the recipients of a report', () => {
  it.each([undefined, null, []])('are the caller alone where emails is %j', async (emails) => {
    const verified = { sub: 'nora', tenant: 'north', email: 'nora@example.test', email_verified: true }
    const { json, text } = await work.post('bulk-table-action/lines/send_report', { emails }, { as: verified })
    expect(json.success, text).toBe(true)
    const recipients = await work.sql`select address from table_control.job_recipients where job_id = ${json.job.id}`
    expect(recipients.map(({ address }) => address)).toEqual(['nora@example.test'])
  })
})

describe('an expected_count', () => {
  it.each([3, '3'])('may be a number or its digits: %j', async (expected_count) => {
    const filters = [{ field: 'id', operator: '<=', value: 3 }]
    for (const action of ['export_csv', 'send_report']) {
      const body = { filters, expected_count, emails: ['b@example.test'] }
      expect((await work.post(`bulk-table-action/lines/${action}`, body)).status).toBe(200)
    }
    const several = { selected_ids: [1, 2, 3], expected_count }
    expect((await work.post('row-bulk-table-action/lines/hit', several)).status).toBe(200)
  })
})
