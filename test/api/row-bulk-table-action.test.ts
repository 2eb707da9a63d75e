import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import type { ApiResponse } from '../support/requests/api.ts'
import { askUntilDecided } from '../support/requests/ask-until-decided.ts'

const api = await startWorkApi()
beforeEach(() => api.reset())

const act = (path: string, ids: unknown, more: object = {}) =>
  api.post(`row-bulk-table-action/${path}`, { selected_ids: ids, ...more })

const listIds = ({ json }: ApiResponse) => json.items.map(({ id }: { id: unknown }) => id)
const failure = (id: number | string, code: string) => ({ id, success: false, code, errors: expect.any(Array) })
const success = (id: number | string) => ({ id, success: true })
const readRuns = (...ids: readonly number[]) => api.runs(...ids)

describe('a row action over several ids', () => {
  it('runs on each of them, and answers with the affected rows in the order of the ids', async () => {
    const response = await act('orders/mark_reviewed', [5, 2, 8, 1])
    expect(response.json).toMatchObject({ success: true, onSuccess: 'refetchData', message: '4 rows done' })
    expect(listIds(response)).toEqual([5, 2, 8, 1])
    expect(response.json.results).toEqual([5, 2, 8, 1].map(success))
    expect(response.json.counts).toEqual({ succeeded: 4, failed: 0 })
    expect(await readRuns(1, 2, 3, 5, 8)).toEqual([1, 1, 0, 1, 1])
  })

  it('names each row by the id that its item has, whatever the client has sent', async () => {
    const { json } = await act('orders/mark_reviewed', ['2', 2, '999', 'x'])
    expect(json.results.map(({ id }: { id: unknown }) => id)).toEqual([2, 999, 'x'])
    expect(json.counts).toEqual({ succeeded: 1, failed: 2 })
  })

  it('answers with items exactly as query-table now returns them', async () => {
    const { json } = await act('orders/mark_reviewed', [2, 1])
    const { items } = (await api.post('query-table/orders', {})).json
    expect(json.items).toEqual([items[1], items[0]])
  })

  it('answers with the onSuccess that its author gave it for several rows', async () => {
    const { json } = await act('orders/archive', [2, 3])
    expect(json).toMatchObject({ onSuccess: 'reload', items: [], counts: { succeeded: 2, failed: 0 } })
  })

  it('says in Arabic how many rows it was', async () => {
    const headers = { ln: 'ar' }
    const { json } = await api.post('row-bulk-table-action/orders/flag', { selected_ids: [1, 2, 999] }, { headers })
    expect(json.message).toBe('تم: صفان، ولم يتم: صف واحد')
  })

  it('answers deleteRow where every row left the caller’s scope, and names the rows as removed', async () => {
    for (const [action, ids] of [
      ['give_away', [2, 3]],
      ['hand_over', [4, 5]],
      ['discard', [6, 7]],
    ] as const) {
      const { json } = await act(`orders/${action}`, ids)
      expect(json, action).toMatchObject({ success: true, onSuccess: 'deleteRow', items: [], removed: ids })
      expect(json.results).toEqual(ids.map(success))
    }
  })

  it('answers reload where some rows left the caller’s scope and others can still be shown', async () => {
    const { json } = await act('orders/discard', [2, 9, 3])
    expect(json).toMatchObject({ onSuccess: 'reload', items: [], removed: [2, 3] })
    expect(json.results).toEqual([success(2), failure(9, 'action_not_applicable'), success(3)])
  })

  it('answers deleteRow where the other rows are not there', async () => {
    expect((await act('orders/discard', [2, 999, 13])).json).toMatchObject({ onSuccess: 'deleteRow', removed: [2] })
  })

  it('answers deleteRow of an action that says so, also for rows that stay in the scope', async () => {
    const { json } = await act('orders/hide', [2, 3])
    expect(json).toMatchObject({ onSuccess: 'deleteRow', items: [{ id: 2 }, { id: 3 }] })
    expect(json).not.toHaveProperty('removed')
  })

  it('answers ids as items have them among the removed', async () => {
    const { json } = await act('orders/give_away', ['2', 3])
    expect(json.removed).toEqual([2, 3])
  })

  it('counts duplicates once, however they are written', async () => {
    const { json } = await act('orders/mark_reviewed', [2, 2, '2', 3, 2])
    expect(json.counts).toEqual({ succeeded: 2, failed: 0 })
    expect(json.results).toHaveLength(2)
    expect(await readRuns(2, 3)).toEqual([1, 1])
    const twice = await act('units/read', [
      'a81bc81b-dead-4e5d-abff-90865d1e13b1',
      'A81BC81B-DEAD-4E5D-ABFF-90865D1E13B1',
    ])
    expect(twice.json.counts).toEqual({ succeeded: 1, failed: 0 })
  })
})

describe('many at once over the same rows', () => {
  it('change each row once, for any order of their ids', async () => {
    const ids = [1, 2, 3, 4, 5, 6, 7, 8]
    const pool = api.variant({ DATABASE_CONNECTIONS: '5' })
    const asked = Array.from({ length: 20 }, (_, index) => [...ids.slice(index % 8), ...ids.slice(0, index % 8)])
    const responses = await Promise.all(
      asked.map((selected_ids) =>
        askUntilDecided(() => pool.post('row-bulk-table-action/orders/mark_reviewed', { selected_ids })),
      ),
    )
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const response of responses.filter(({ status }) => status !== 200))
      expectFailure(response, { status: 422, code: 'action_not_applicable' })
    expect(await readRuns(...ids)).toEqual(ids.map(() => 1))
  })
})

describe('a row action that is done on some of its rows', () => {
  it('is answered 200 with the outcome of every id', async () => {
    const response = await act('orders/mark_reviewed', [9, 2, 999, 13, 'x', 4])
    expect(response.status).toBe(200)
    expect(response.json).toMatchObject({ success: true, message: '2 rows done, 4 rows not' })
    expect(response.json.results).toEqual([
      failure(9, 'action_not_applicable'),
      success(2),
      failure(999, 'row_not_found'),
      failure(13, 'row_not_found'),
      failure('x', 'row_not_found'),
      success(4),
    ])
    expect(listIds(response)).toEqual([2, 4])
    expect(response.json.counts).toEqual({ succeeded: 2, failed: 4 })
  })

  it('undoes only the row that it refuses', async () => {
    const { json } = await act('refusing_orders/refuse_odd', [1, 2, 3, 4])
    expect(json.results).toEqual([failure(1, 'odd_order'), success(2), failure(3, 'odd_order'), success(4)])
    expect(json.results[0].errors).toEqual(['Odd orders are refused', 'الطلبات الفردية مرفوضة'])
    expect(await readRuns(1, 2, 3, 4)).toEqual([0, 1, 0, 1])
  })

  it('undoes only the row that a constraint of the database refuses', async () => {
    const { json } = await act('refusing_orders/collide', [1, 2])
    expect(json.results).toEqual([failure(1, 'conflicting_data'), success(2)])
    expect(await readRuns(1, 2)).toEqual([0, 1])
  })

  it('undoes only the rows that it refuses among all that it sees at once', async () => {
    const { json } = await act('refusing_orders/all_but_odd', [3, 2, 1])
    expect(json.results).toEqual([failure(3, 'odd_order'), success(2), failure(1, 'odd_order')])
    expect(await readRuns(1, 2, 3)).toEqual([0, 1, 0])
  })

  it('undoes only the rows that it refuses by keys that no number holds', async () => {
    const ids = ['9007199254740993', '9007199254740994', 7]
    const { json } = await act('accounts/refuse_by_id', ids)
    expect(json.counts).toEqual({ succeeded: 2, failed: 1 })
  })
})

describe('a row action that is done on none of its rows', () => {
  it('is answered 422 with the first reason and all results', async () => {
    const response = await act('orders/mark_reviewed', [9, 999])
    expectFailure(response, { status: 422, code: 'action_not_applicable' })
    expect(response.json.results).toEqual([failure(9, 'action_not_applicable'), failure(999, 'row_not_found')])
    expect(response.json.counts).toEqual({ succeeded: 0, failed: 2 })
  })

  it('is answered 422 alike for missing rows and for rows out of scope', async () => {
    const missing = await act('orders/flag', [999])
    const foreign = await act('orders/flag', [13])
    expectFailure(missing, { status: 422, code: 'row_not_found' })
    const plain = ({
      json: {
        request_id: _,
        results: [{ id: __, ...result }],
        ...rest
      },
    }: ApiResponse) => ({ rest, result })
    expect(plain(foreign)).toEqual(plain(missing))
  })

  it('is answered 422 if it refuses all at once', async () => {
    expectFailure(await act('refusing_orders/refuse_all', [2, 4]), { status: 422, code: 'odd_order' })
    expect(await readRuns(2, 4)).toEqual([0, 0])
  })
})

describe('an atomic row action', () => {
  it('changes all rows', async () => {
    const { json } = await act('refusing_orders/refuse_odd_atomically', [2, 4])
    expect(json.counts).toEqual({ succeeded: 2, failed: 0 })
    expect(await readRuns(2, 4)).toEqual([1, 1])
  })

  it.each([
    ['one refuses', [2, 3, 4], 'odd_order'],
    ['one is missing', [2, 999], 'row_not_found'],
    ['one is out of scope', [13, 2], 'row_not_found'],
  ])('changes nothing if %s', async (_, ids, code) => {
    const response = await act('refusing_orders/refuse_odd_atomically', ids)
    expectFailure(response, { status: 422, code })
    expect(response.json.results).toHaveLength(1)
    expect(response.json.counts.succeeded).toBe(0)
    expect(await readRuns(2, 4, 13)).toEqual([0, 0, 0])
  })
})

describe.each(['explode', 'mistake'])('an action that fails unexpectedly on one row: %s', (action) => {
  it('is answered 500 without details, and has changed none', async () => {
    const { status, json, text } = await act(`refusing_orders/${action}`, [2, 3, 4])
    expect({ status, code: json.code }).toEqual({ status: 500, code: 'internal_error' })
    expect(text).not.toMatch(/hunter2|secrets|results/)
    expect(await readRuns(2, 3, 4)).toEqual([0, 0, 0])
  })
})

describe('expected_count and dry_run of an action on several rows', () => {
  it('run nothing if expected_count is another number of rows', async () => {
    const response = await act('orders/mark_reviewed', [1, 2, 9], { expected_count: 3 })
    expectFailure(response, { status: 422, code: 'unexpected_count' })
    expect(response.json.errors[0]).toMatch(/2 rows, not on the expected 3/)
    expect(await readRuns(1, 2)).toEqual([0, 0])
    expect((await act('orders/mark_reviewed', [1, 2, 9], { expected_count: 2 })).status).toBe(200)
  })

  it('list by dry_run what would be touched, and change nothing', async () => {
    const { json } = await act('orders/mark_reviewed', [1, 9, 999], { dry_run: true })
    expect(json).toEqual({
      success: true,
      dry_run: true,
      results: [success(1), failure(9, 'action_not_applicable'), failure(999, 'row_not_found')],
      counts: { succeeded: 1, failed: 2 },
    })
    expect(await readRuns(1)).toEqual([0])
    expect(await api.audit()).toEqual([])
  })

  it('let a dry_run wait for no lock and store nothing under its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'one' }
    const path = 'row-bulk-table-action/orders/mark_reviewed'
    await api.sql.begin(async (sql) => {
      await sql`select from orders where id = 1 for update`
      const { json } = await api.post(path, { selected_ids: [1], dry_run: true }, { headers })
      expect(json.counts).toEqual({ succeeded: 1, failed: 0 })
    })
    expect((await api.post(path, { selected_ids: [1] }, { headers })).json.counts.succeeded).toBe(1)
  })

  it.each([
    [{ expected_count: -1 }, 'expected_count'],
    [{ expected_count: 1.5 }, 'expected_count'],
    [{ expected_count: 'many' }, 'expected_count'],
    [{ expected_count: [1] }, 'expected_count'],
    [{ dry_run: 'maybe' }, 'dry_run'],
    [{ dry_run: {} }, 'dry_run'],
  ])('are refused when they cannot be read: %j', async (conditions, field) => {
    expectFailure(await act('orders/mark_reviewed', [1], conditions), { status: 422, code: 'validation_failed', field })
    expect(await readRuns(1)).toEqual([0])
  })
})

describe('up to 1,000 ids', () => {
  const firstLines = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

  it('run an action on each of them', async () => {
    const response = await act('lines/hit', firstLines(1_000))
    expect(response.json.counts).toEqual({ succeeded: 1_000, failed: 0 })
    expect(listIds(response)).toEqual(firstLines(1_000))
    const [row] = await api.sql`select sum(hits)::int as hits from lines`
    expect(row?.['hits']).toBe(1_000)
  })

  it('make the client load its page anew if the rows are more than a response may hold', async () => {
    const { status, json } = await act('heavy_lines/hit', firstLines(1_000))
    expect(status).toBe(200)
    expect(json).toMatchObject({ onSuccess: 'reload', items: [], counts: { succeeded: 1_000, failed: 0 } })
    expect(json.results).toHaveLength(1_000)
    const [row] = await api.sql`select sum(hits)::int as hits from lines`
    expect(row?.['hits']).toBe(1_000)
  })

  it.each([1_001, 100_000])('are accepted, and %s are refused', async (count) => {
    const response = await act('lines/hit', firstLines(count))
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'selected_ids' })
  })
})
