import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { encodePathId } from '../../lib/rows/row-id.ts'
import { expectEnvelope, expectFailure } from '../support/fixtures/expect-envelope.ts'
import { documentRows } from '../support/fixtures/fixture-rows.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { anyRequestBody } from '../support/requests/any-body.ts'

const api = await startDeliveringApi({ MAIL_DOMAINS: 'example.test' })
beforeEach(() => api.reset())

const invalid = (field: string) => ({ status: 422, code: 'validation_failed', field })
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('the id in a path', () => {
  it.each([
    ...[
      '0',
      '-1',
      '2147483648',
      '-2147483649',
      '9223372036854775808',
      '1e1',
      '1.0',
      '+2',
      '02',
      '0x2',
      '2 ',
      ' 2',
      '²',
    ],
    ...['NaN', 'null', 'undefined', '[object Object]', '__proto__', "2' or '1'='1", '2;drop table orders', '~', '~!!'],
    ...['عربي', '٢', '2\u0000', '😀', '\ud83d'.toWellFormed(), '../2', '%', 'x'.repeat(2_000)],
  ])('is row_not_found if no row has it: %j', async (id) => {
    const segment = encodeURIComponent(id).replaceAll('%2F', '~')
    expectFailure(await api.post(`row-table-action/orders/count/${segment}`), { status: 404, code: 'row_not_found' })
    expect((await api.runs(2))[0]).toBe(0)
  })

  it('may be written in base64url', async () => {
    expect((await api.post('row-table-action/orders/count/~Mg')).status).toBe(200)
  })

  it.each(documentRows.map(({ path }) => path))('reaches a row of any name: %j', async (path) => {
    expect((await api.post(`row-table-action/papers/read/${encodePathId(path)}`)).json.read).toBe(path)
  })

  it.each(['9007199254740993', '-9007199254740995', '9223372036854775807', '7'])('keeps every digit: %s', async (id) =>
    expect((await api.post(`row-table-action/accounts/read/${id}`)).json.read).toBe(id),
  )
})

describe('ids in a body', () => {
  const paths = documentRows.map(({ path }) => path)

  it('run once each, for rows of any name', async () => {
    const { json } = await api.post('row-bulk-table-action/papers/read', { selected_ids: paths })
    expect(json.items.map((item: { id: string }) => item.id)).toEqual(paths)
    const bulk = await api.post('bulk-table-action/papers/read_all', { selected_ids: paths })
    expect(bulk.json.data.read.flat().toSorted()).toEqual(paths.toSorted())
  })

  it('keep every digit if they are texts', async () => {
    const ids = ['9007199254740993', '9007199254740994', '-9007199254740995']
    const { json } = await api.post('row-bulk-table-action/accounts/read', { selected_ids: ids })
    expect(json.items.map((item: { id: string }) => item.id)).toEqual(ids)
  })

  it.each<[string, string, string]>([
    ['absent', '', 'selected_ids'],
    ['null', 'null', 'selected_ids'],
    ['empty', '[]', 'selected_ids'],
    ['a number', '7', 'selected_ids'],
    ['a text', '"1,2"', 'selected_ids'],
    ['an object', '{"0":1,"length":1}', 'selected_ids'],
    ['a list with null', '[1,null]', 'selected_ids.1'],
    ['a list with true', '[true]', 'selected_ids.0'],
    ['a list with an object', '[1,2,{"id":3}]', 'selected_ids.2'],
    ['a list in a list', '[[1]]', 'selected_ids.0'],
    ['a number that JSON has changed', '[9007199254740993]', 'selected_ids.0'],
    ['the same, below zero', '[-9007199254740993]', 'selected_ids.0'],
    ['a half', '[1.5]', 'selected_ids.0'],
    ['infinity', '[1e400]', 'selected_ids.0'],
  ])('are refused where they are %s', async (_, ids, field) => {
    const body = ids === '' ? '{}' : `{"selected_ids": ${ids}}`
    for (const path of ['orders/flag', 'accounts/read', 'refusing_orders/explode'])
      expectFailure(await api.post(`row-bulk-table-action/${path}`, body), invalid(field))
  })

  it.each([1_001, 65_536, 100_000])('are refused where they are %s', async (count) => {
    const body = { selected_ids: upTo(count) }
    expectFailure(await api.post('row-bulk-table-action/orders/flag', body), invalid('selected_ids'))
  })

  it('are row_not_found if they are texts of no row', async () => {
    const ids = [
      '1e1',
      '02',
      ' 2',
      '',
      '\u0000',
      '\ud800',
      'x'.repeat(5_000),
      "'; drop table orders",
      '{1,2}',
      '9'.repeat(400),
    ]
    const response = await api.post('row-bulk-table-action/orders/flag', { selected_ids: ids })
    expectFailure(response, { status: 422, code: 'row_not_found' })
    expect(response.json.counts).toEqual({ succeeded: 0, failed: ids.length })
    expect((await api.post('bulk-table-action/bulk_orders/touch', { selected_ids: ids })).json.counts.selected).toBe(0)
  })
})

describe('the action in a path', () => {
  const undefinedAction = { status: 422, code: 'action_not_defined' }
  const paths = (action: string) => [
    `row-table-action/orders/${action}/2`,
    `row-bulk-table-action/orders/${action}`,
    `bulk-table-action/orders/${action}`,
  ]

  it.each([
    'nothing',
    'hasOwnProperty',
    '__proto__',
    '%20',
    '%00',
    '_',
    '%F0%9F%98%80',
    'x'.repeat(5_000),
    'mark__reviewed_x',
  ])('is “Action is not defined” everywhere if no action has it: %s', async (action) => {
    for (const path of paths(action)) expectFailure(await api.post(path, { selected_ids: [2] }), undefinedAction)
  })

  it('is not defined where a row action is called as a bulk one, or the reverse', async () => {
    const body = { selected_ids: [2] }
    expectFailure(await api.post('bulk-table-action/orders/mark_reviewed', body), undefinedAction)
    expectFailure(await api.post('bulk-table-action/orders/show_details', body), undefinedAction)
    expectFailure(await api.post('row-table-action/orders/export_excel/2', body), undefinedAction)
    expectFailure(await api.post('row-bulk-table-action/orders/export_excel', body), undefinedAction)
    expectFailure(await api.post('row-bulk-table-action/bulk_orders/touch', body), undefinedAction)
  })

  it('is not defined on several rows where its author does not allow that', async () => {
    const body = { selected_ids: [2] }
    expectFailure(await api.post('row-bulk-table-action/orders/count', body), undefinedAction)
    expectFailure(await api.post('row-bulk-table-action/orders/show_details', body), undefinedAction)
    expect(await api.runs(2)).toEqual([0])
  })

  it('is not defined on web where it is not for web clients: row, row-bulk and bulk', async () => {
    const statuses = (guard: string) =>
      Promise.all(
        [
          'row-table-action/orders/internal/2',
          'row-bulk-table-action/orders/internal',
          'bulk-table-action/orders/internal_bulk',
        ].map(async (path) => (await api.post(path, { selected_ids: [2] }, { guard })).status),
      )
    expect(await statuses('web')).toEqual([422, 422, 422])
    expect(await statuses('api')).toEqual([200, 200, 200])
  })

  it('is never looked for in a table that does not exist', async () => {
    const response = await api.post('row-table-action/Orders/count/2')
    expectFailure(response, { status: 404, code: 'table_not_found' })
    expect(response.json.errors[0]).toBe('Required Orders Table Not Exists')
  })

  it('is called by POST alone', async () => {
    for (const path of paths('count')) {
      const response = await api.request({ method: 'GET', path: `/api/api-table/control-tables/${path}` })
      expectFailure(response, { status: 405, code: 'method_not_allowed' })
    }
  })
})

describe('a body', () => {
  it.each<[string, string, object]>([
    ['no JSON', '{', { status: 400, code: 'invalid_body' }],
    ['a list', '[1]', { status: 400, code: 'invalid_body' }],
    ['more than a megabyte', `{"x":"${'x'.repeat(1_048_576)}"}`, { status: 413, code: 'body_too_large' }],
  ])('is refused by every action endpoint if it is %s', async (_, body, failure) => {
    const paths = [
      'row-table-action/orders/count/2',
      'row-bulk-table-action/orders/flag',
      'bulk-table-action/orders/export_excel',
    ]
    for (const path of paths) expectFailure(await api.post(path, body), failure as { status: number; code: string })
    expect(await api.runs(2)).toEqual([0])
  })

  it.each([
    'row-table-action/orders/assign/2',
    'row-bulk-table-action/orders/assign',
    'row-bulk-table-action/orders/flag',
    'bulk-table-action/bulk_orders/finish_all',
    'bulk-table-action/bulk_orders/mail_summary',
    'bulk-table-action/lines/send_report',
    'bulk-table-action/orders/export_excel',
  ])(
    'is answered in the envelope for any content, and never by internal_error: %s',
    async (path) => {
      await fc.assert(
        fc.asyncProperty(anyRequestBody, async ({ body, isBase64Encoded }) => {
          const sent = isBase64Encoded ? Buffer.from(body, 'base64') : body
          const response = await api.post(path, sent, { isJunk: true })
          expect(response.status, response.text).toBeLessThan(500)
          // Names that the client made up are told back to it.
          if (!/undefined|object|select|syntax/i.test(String(sent))) expectEnvelope(response)
        }),
        { numRuns: 150 },
      )
    },
    120_000,
  )
})
