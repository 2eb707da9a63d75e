import { beforeEach, describe, expect, it } from 'vitest'
import { dataSheet, listValues } from '../lib/reports/workbook.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { colleague, manager, north, south } from '../support/fixtures/identities.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { openedFile, readBytes } from '../support/jobs/opened-file.ts'
import type { ApiResponse, CallOptions } from '../support/requests/api.ts'

const api = await startDeliveringApi()
beforeEach(async () => {
  await api.reset()
  await api.sql`update orders set state = 'archived' where id = 8`
  await api.sql`delete from orders where id = 7`
})

/** Returns a response without the parts that differ between any two requests. */
const comparable = ({ status, headers, json }: ApiResponse) => ({ status, headers, ...json, request_id: '' })

const gone = 7
const archived = 8
const others = [13, 14]

/** Every row as it is now, but for those that the caller may change. */
const untouchable = () => api.sql`select * from orders where id in ${api.sql([archived, 13, 14, 15, 16])} order by id`

describe('a row out of scope is a row that does not exist', () => {
  it.each([
    ['row-table-action/orders', 'count'],
    ['row-table-action/orders', 'mark_reviewed'],
    ['row-table-action/orders', 'give_away'],
    ['row-table-action/orders', 'show_details'],
    ['row-table-action/orders', 'open'],
    ['row-table-action/orders', 'copy_title'],
    ['row-table-action/orders', 'reschedule'],
    ['row-table-action/refusing_orders', 'refuse_odd'],
    ['row-table-action/refusing_orders', 'refuse_all'],
    ['row-table-action/refusing_orders', 'explode'],
  ])('a row out of scope has the response of a missing row, but for the request id: %s/%s', async (path, action) => {
    const before = await untouchable()
    const missing = await api.post(`${path}/${action}/999`)
    expectFailure(missing, { status: 404, code: 'row_not_found' })
    for (const id of [...others, gone, archived])
      expect(comparable(await api.post(`${path}/${action}/${id}`))).toEqual(comparable(missing))
    expect(await untouchable()).toEqual(before)
  })

  it.each<[string, NonNullable<CallOptions['as']> | null, number]>([
    ['a colleague', colleague, 200],
    ['a manager', manager, 200],
    ['a caller of another tenant', south, 404],
    ['a caller of no tenant', { sub: 'nobody' }, 404],
    ['a caller whose tenant is SQL', { sub: 'x', tenant: "north' or true --" }, 404],
    ['a caller without a token', null, 401],
  ])('is answered alike to every caller: %s', async (_, as, status) => {
    expect((await api.post('row-table-action/orders/count/2', {}, { as })).status).toBe(status)
    expect(await api.runs(2)).toEqual([status === 200 ? 1 : 0])
  })
})

describe('several rows', () => {
  const act = (ids: readonly unknown[], options = {}) =>
    api.post('row-bulk-table-action/orders/flag', { selected_ids: ids }, options)

  it('shows rows out of scope, deleted or archived like rows that do not exist', async () => {
    const before = await untouchable()
    const { json } = await act([2, ...others, gone, archived, 999])
    const reasons = json.results.slice(1).map(({ id: _, ...rest }: { id: unknown }) => JSON.stringify(rest))
    expect(new Set(reasons).size).toBe(1)
    expect(json.items.map(({ id }: { id: number }) => id)).toEqual([2])
    expect(await untouchable()).toEqual(before)
  })

  it('get no title or state of a row that is out of their scope', async () => {
    expect((await act(others)).text).not.toMatch(/Secret|south/)
  })

  it('are those of the caller', async () => {
    expect((await act([...others, 2], { as: south })).json.counts).toEqual({ succeeded: 2, failed: 1 })
  })
})

describe('a bulk action', () => {
  it('touches nothing out of scope, by ids or by filters', async () => {
    const before = await untouchable()
    for (const body of [{}, { selected_ids: [...others, archived, gone] }, { filters: { state: 'archived' } }])
      expect((await api.post('bulk-table-action/bulk_orders/touch', body)).status).toBe(200)
    expect(await untouchable()).toEqual(before)
  })

  it('counts nothing out of scope', async () => {
    const body = { selected_ids: [1, ...others, archived, gone], dry_run: true }
    expect((await api.post('bulk-table-action/bulk_orders/touch', body)).json.counts).toEqual({ selected: 1 })
    expect((await api.post('row-bulk-table-action/orders/flag', body)).json.counts).toEqual({ succeeded: 1, failed: 4 })
  })

  it('freezes nothing out of scope for a job', async () => {
    await api.post('bulk-table-action/bulk_orders/recompute', { selected_ids: [1, ...others, archived] })
    const chunks = await api.sql`select keys from table_control.job_chunks`
    expect(chunks.map(({ keys }) => keys)).toEqual([['1']])
  })

  it.each([
    { tenant: 'south', identity: { claims: { tenant: 'south' } } },
    { sorts: [{ field: 'tenant', direction: 'asc' }] },
  ])('is not widened by %j', async (body) => {
    expect((await api.post('bulk-table-action/bulk_orders/touch', body)).json.counts.selected).toBe(10)
  })

  it('is refused with params that the table does not take', async () => {
    const body = { params: { tenant: 'south', scope: 'true' } }
    expectFailure(await api.post('bulk-table-action/bulk_orders/touch', body), {
      status: 422,
      code: 'validation_failed',
    })
  })
})

describe('an export', () => {
  it('holds nothing out of scope', async () => {
    const { json } = await api.post('bulk-table-action/orders/export_excel', { selected_ids: [1, ...others, archived] })
    const rows = listValues(await dataSheet(await readBytes(await openedFile(api, json.data.url))))
    expect([json.rows, rows.map(([id]) => id)]).toEqual([1, [1]])
  })
})

describe('params of a body', () => {
  it('narrow the scope of every action', async () => {
    const details = (params: object) => api.post('row-table-action/stocked/show_details/6', { params })
    expect((await details({})).status).toBe(200)
    expectFailure(await details({ min_stock: 0 }), { status: 404, code: 'row_not_found' })
    const body = { params: { min_stock: '50' }, dry_run: true }
    expect((await api.post('bulk-table-action/stocked/export_excel', body)).json.counts).toEqual({ selected: 6 })
  })

  it('are refused where the table cannot read them', async () => {
    const body = { params: { warehouse: 'nowhere' } }
    for (const path of ['row-table-action/stocked/show_details/6', 'bulk-table-action/stocked/export_excel'])
      expectFailure(await api.post(path, body), { status: 422, code: 'validation_failed', field: 'params.warehouse' })
  })
})

describe('a scope that changes while a request waits', () => {
  it('is looked at again when the row is free', async () => {
    const waiting = await api.sql.begin(async (sql) => {
      await sql`update orders set tenant = 'south' where id = 2`
      const asked = api.post('row-table-action/orders/count/2')
      await sql`select pg_sleep(0.3)`
      return [asked]
    })
    expectFailure((await waiting[0]) as ApiResponse, { status: 404, code: 'row_not_found' })
    expect(await api.runs(2)).toEqual([0])
  })

  it('is checked again, and so is whether the action applies', async () => {
    const waiting = await api.sql.begin(async (sql) => {
      await sql`update orders set state = 'done' where id = 2`
      const asked = api.post('row-table-action/orders/mark_reviewed/2')
      await sql`select pg_sleep(0.3)`
      return [asked]
    })
    expectFailure((await waiting[0]) as ApiResponse, { status: 422, code: 'action_not_applicable' })
  })
})

describe('a caller whom the table turns away', () => {
  it.each([
    ['row-table-action/managers_only/show_details/FR', {}],
    ['row-bulk-table-action/managers_only/show_details', { selected_ids: ['FR'] }],
    ['bulk-table-action/managers_only/export_excel', {}],
    ['bulk-table-action/managers_only/nothing', {}],
  ])('is refused before anything else: %s', async (path, body) => {
    expectFailure(await api.post(path, body, { as: north }), { status: 403, code: 'forbidden' })
    expectFailure(await api.post(path, body, { as: null }), { status: 401, code: 'unauthenticated' })
  })
})
