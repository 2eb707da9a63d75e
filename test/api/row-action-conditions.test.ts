import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const api = await startWorkApi()
beforeEach(() => api.reset())

const act = (path: string, id: number, body: object) => api.post(`row-table-action/${path}/${id}`, body)

describe('a dry run of an action on one row', () => {
  it.each([true, 1, '1', 'true'])('changes nothing and returns the row that would change: %j', async (dry_run) => {
    const { json } = await act('orders/mark_reviewed', 2, { dry_run })
    expect(json).toEqual({
      success: true,
      dry_run: true,
      results: [{ id: 2, success: true }],
      counts: { succeeded: 1, failed: 0 },
    })
    expect(await api.runs(2)).toEqual([0])
    expect(await api.audit()).toEqual([])
  })

  it.each([false, 0, null])('is not requested by %j', async (dry_run) => {
    expect((await act('orders/mark_reviewed', 2, { dry_run })).json.onSuccess).toBe('refetchRow')
    expect(await api.runs(2)).toEqual([1])
  })

  it('fails as the run would', async () => {
    const dry_run = true
    expectFailure(await act('orders/mark_reviewed', 999, { dry_run }), { status: 404, code: 'row_not_found' })
    expectFailure(await act('orders/mark_reviewed', 9, { dry_run }), { status: 422, code: 'action_not_applicable' })
    expectFailure(await act('orders/assign', 2, { dry_run }), {
      status: 422,
      code: 'validation_failed',
      field: 'assignee',
    })
    expectFailure(await act('orders/count', 2, { dry_run, selected_ids: [2, 3] }), {
      status: 422,
      code: 'validation_failed',
      field: 'selected_ids',
    })
    expectFailure(await act('orders/mark_reviewed', 2, { dry_run, expected_count: 2 }), {
      status: 422,
      code: 'unexpected_count',
    })
  })

  it('leaves the first step of a form as it is, because that step changes nothing', async () => {
    const first = await act('orders/reschedule', 2, {})
    expect((await act('orders/reschedule', 2, { dry_run: true })).json).toEqual(first.json)
  })

  it('is refused where it is no boolean', async () => {
    expectFailure(await act('orders/mark_reviewed', 2, { dry_run: 'yes' }), {
      status: 422,
      code: 'validation_failed',
      field: 'dry_run',
    })
    expect(await api.runs(2)).toEqual([0])
  })
})

describe('the expected_count of an action on one row', () => {
  it.each([1, '1'])('runs the action for one row: %j', async (expected_count) => {
    expect((await act('orders/mark_reviewed', 2, { expected_count })).status).toBe(200)
  })

  it.each([0, 2, 50])('refuses any other number of rows: %j', async (expected_count) => {
    const response = await act('orders/mark_reviewed', 2, { expected_count })
    expectFailure(response, { status: 422, code: 'unexpected_count' })
    expect(await api.runs(2)).toEqual([0])
  })

  it.each([-1, 1.5, 'one', [1]])('is refused where it is no whole number: %j', async (expected_count) => {
    expectFailure(await act('orders/mark_reviewed', 2, { expected_count }), {
      status: 422,
      code: 'validation_failed',
      field: 'expected_count',
    })
  })
})

describe('a key that is nearly one that an action on one row reads', () => {
  it.each([
    ['dryRun', 'dry_run'],
    ['dry-run', 'dry_run'],
    ['expectedCount', 'expected_count'],
    ['selectedIds', 'selected_ids'],
    ['selected_id', 'selected_ids'],
    ['param', 'params'],
  ])('is refused: %s', async (key, meant) => {
    const response = await act('orders/mark_reviewed', 2, { [key]: 1 })
    expectFailure(response, { status: 422, code: 'validation_failed' })
    expect(response.json.fields).toEqual({ [key]: [`is not known here; use ${meant}`] })
    expect(await api.runs(2)).toEqual([0])
  })

  it.each(['0', '1', 'request_id', 'warehouse', 'filters', 'filter', 'sort', 'email', 'column'])(
    'is not %s, which has no meaning for one row',
    async (key) => expect((await act('orders/mark_reviewed', 2, { [key]: 1 })).status).toBe(200),
  )
})
