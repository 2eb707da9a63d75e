import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'

const api = await startDeliveringApi()
beforeEach(() => api.reset())

const run = (path: string, body: object) => api.post(`bulk-table-action/${path}`, body)

const readTouched = async () => (await api.sql`select id from orders where runs > 0 order by id`).map(({ id }) => id)

const open = [{ field: 'state', operator: '=', value: 'open' }]

describe('select_all with excluded_ids', () => {
  it('selects all that the filters select, without these rows', async () => {
    const { json } = await run('bulk_orders/touch', { select_all: true, excluded_ids: [2, '4', 4], filters: open })
    expect(json.counts).toEqual({ selected: 6, succeeded: 6, failed: 0 })
    expect(await readTouched()).toEqual([1, 3, 5, 6, 7, 8])
  })

  it('selects all where no row is excluded', async () => {
    expect((await run('bulk_orders/touch', { select_all: true, excluded_ids: [] })).json.counts.selected).toBe(12)
    expect((await run('bulk_orders/touch', { select_all: true, selected_ids: [] })).json.counts.selected).toBe(12)
  })

  it('says nothing of excluded rows that are out of scope or do not exist', async () => {
    const { json } = await run('bulk_orders/touch', { select_all: true, excluded_ids: [1, 13, 999, 'x', -1] })
    expect(json).toMatchObject({ counts: { selected: 11, succeeded: 11, failed: 0 } })
    expect(json).not.toHaveProperty('not_found')
    expect(await readTouched()).not.toContain(1)
  })

  it('counts what is left for a dry run and for expected_count', async () => {
    const body = { select_all: true, excluded_ids: [1, 2], filters: open }
    expect((await run('bulk_orders/touch', { ...body, dry_run: true })).json.counts).toEqual({ selected: 6 })
    expectFailure(await run('bulk_orders/touch', { ...body, expected_count: 8 }), {
      status: 422,
      code: 'unexpected_count',
    })
    expect((await run('bulk_orders/touch', { ...body, expected_count: 6 })).status).toBe(200)
  })

  it('may leave no row', async () => {
    const { json } = await run('bulk_orders/touch', { select_all: 'true', excluded_ids: [1, 2], filters: { id: '2' } })
    expect(json.counts.selected).toBe(0)
  })

  it('takes 10,000 excluded rows', async () => {
    const excluded = Array.from({ length: 10_000 }, (_, index) => index + 3)
    expect((await run('bulk_orders/touch', { select_all: true, excluded_ids: excluded })).json.counts.selected).toBe(2)
    const more = await run('bulk_orders/touch', { select_all: true, excluded_ids: [...excluded, 1] })
    expectFailure(more, { status: 422, code: 'validation_failed', field: 'excluded_ids' })
  })

  it.each<[string, object]>([
    ['selected_ids', { select_all: true, selected_ids: [1] }],
    ['selected_ids', { select_all: true, selected_ids: [1], excluded_ids: [2] }],
    ['selected_ids', { select_all: false }],
    ['selected_ids', { select_all: false, selected_ids: [] }],
    ['excluded_ids', { excluded_ids: [1] }],
    ['excluded_ids', { select_all: false, selected_ids: [1, 2], excluded_ids: [1] }],
    ['excluded_ids', { select_all: true, excluded_ids: null }],
    ['excluded_ids', { select_all: true, excluded_ids: 'all' }],
    ['excluded_ids.1', { select_all: true, excluded_ids: [1, null] }],
    ['select_all', { select_all: 'yes', excluded_ids: [1] }],
    ['select_all', { select_all: [] }],
    ['selectAll', { selectAll: true, excluded_ids: [1] }],
    ['excludedIds', { select_all: true, excludedIds: [1] }],
    ['exclude_ids', { select_all: true, exclude_ids: [1] }],
    ['excluded', { select_all: true, excluded: [1] }],
    ['select_ids', { select_ids: [1] }],
    ['row_ids', { row_ids: [1] }],
    ['ids', { ids: [1] }],
  ])('refuses at %s the body %j', async (field, body) => {
    expectFailure(await run('bulk_orders/touch', body), { status: 422, code: 'validation_failed', field })
    expect(await readTouched()).toEqual([])
  })

  it('leaves other names of lists of rows to forms that read them', async () => {
    const forms = {
      named: z.object({ ids: z.array(z.number()) }),
      united: z.union([z.object({ ids: z.array(z.number()) }), z.object({ excluded: z.string() })]),
      open: z.looseObject({}),
    }
    const bulkActions = Object.fromEntries(Object.entries(forms).map(([key, form]) => [key, { form, run: () => {} }]))
    const table = defineFixture({ ...ofOrders, name: 'orders', columns: { title: { label: 'Title' } }, bulkActions })
    const own = api.variant({}, createRegistry([table], { claims: fixtureClaims }))
    for (const key of Object.keys(forms)) {
      const { json } = await own.post(`bulk-table-action/orders/${key}`, { ids: [1], selected_ids: [2, 3] })
      expect(json.counts, key).toEqual({ selected: 2, succeeded: 2, failed: 0 })
    }
    const refused = await own.post('bulk-table-action/orders/named', { ids: [1], row_ids: [2] })
    expectFailure(refused, { status: 422, code: 'validation_failed', field: 'row_ids' })
  })

  it.each([{ select_all: true }, { excluded_ids: [2] }])(
    'is refused by an action that names its rows one by one: %j',
    async (body) => {
      const refused = await api.post('row-bulk-table-action/orders/flag', { selected_ids: [1], ...body })
      expectFailure(refused, { status: 422, code: 'validation_failed', field: Object.keys(body)[0] ?? '' })
    },
  )
})

describe('an export of all rows but some', () => {
  const csv = async (body: object) => {
    const { headers, text } = await api.post('bulk-table-action/lines/export_csv', body, {
      headers: { accept: 'text/csv' },
    })
    return { rows: headers['x-total-rows'], text }
  }

  it('leaves them out of the file', async () => {
    const filters = [{ field: 'id', operator: '<=', value: 5 }]
    const { rows, text } = await csv({ select_all: true, excluded_ids: [2, 3], filters })
    expect(rows).toBe('3')
    expect(text).not.toContain('Line 2')
    expect(text).toContain('Line 5')
  })

  it('brings a selection of one row too many below the limit of an instant export', async () => {
    expectFailure(await run('lines/export_csv', {}), { status: 422, code: 'export_too_large' })
    expect((await run('lines/export_csv', { select_all: true, excluded_ids: [7] })).json.rows).toBe(3_000)
  })
})

describe('a response that comes later', () => {
  it('has the excluded rows left out of a notification', async () => {
    const { json } = await run('bulk_orders/notify', { select_all: true, excluded_ids: [1, 2, 3] })
    expect(json.counts).toEqual({ selected: 9, succeeded: 9, failed: 0 })
    expect(await readTouched()).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12])
  })

  it.each([
    ['recompute', 'websocket', {}],
    ['mail_summary', 'email', { note: 'n', emails: [] }],
  ])('freezes the rows of a job without them: %s by %s', async (action, _, body) => {
    await api.sql`update orders set state = 'archived' where id > 9 and tenant = 'north'`
    const email = { as: { sub: 'nora', tenant: 'north', email: 'nora@example.com', email_verified: true } }
    const path = `bulk-table-action/bulk_orders/${action}`
    const { json } = await api.post(path, { select_all: true, excluded_ids: [1, 5], ...body }, email)
    const chunks = await api.sql`select keys from table_control.job_chunks where job_id = ${json.job.id}
      order by position`
    expect(chunks.flatMap(({ keys }) => keys).sort()).toEqual(['2', '3', '4', '6', '7', '8', '9'])
  })

  it('keeps the excluded rows with the job of an export', async () => {
    const { json } = await run('lines/pushed_report', { select_all: true, excluded_ids: [7, 9] })
    const [job] = await api.sql`select request from table_control.jobs where id = ${json.job.id}`
    expect(job?.['request']).toMatchObject({ select_all: true, excluded_ids: [7, 9] })
  })
})
