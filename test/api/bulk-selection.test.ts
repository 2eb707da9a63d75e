import { beforeEach, describe, expect, it } from 'vitest'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { manager, south } from '../support/fixtures/identities.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const api = await startWorkApi()
beforeEach(() => api.reset())

const touch = (body: unknown, options = {}) => api.post('bulk-table-action/bulk_orders/touch', body, options)

/** The ids of all orders that actions have changed. */
const readTouched = async () => (await api.sql`select id from orders where runs > 0 order by id`).map(({ id }) => id)
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('selected_ids that are not empty', () => {
  it('are exactly those rows', async () => {
    expect((await touch({ selected_ids: [3, 1] })).json.counts).toEqual({ selected: 2, succeeded: 2, failed: 0 })
    expect(await readTouched()).toEqual([1, 3])
  })

  it('are the selected rows, regardless of the filters', async () => {
    await touch({ selected_ids: [9, 2], filters: [{ field: 'state', operator: '=', value: 'open' }] })
    expect(await readTouched()).toEqual([2, 9])
  })

  it('never change or count rows outside the scope', async () => {
    const { json } = await touch({ selected_ids: [2, 13, 14, 999] })
    expect(json.counts).toEqual({ selected: 1, succeeded: 1, failed: 0 })
    expect(json).not.toHaveProperty('results')
    expect(await readTouched()).toEqual([2])
  })

  it.each(['touch', 'all_or_none'])(
    'are reported alike if they are out of scope, deleted or unknown: %s',
    async (action) => {
      await api.sql`delete from orders where id = 3`
      const { json } = await api.post(`bulk-table-action/bulk_orders/${action}`, {
        selected_ids: [2, 13, 999, 3, 'x', 13, '13'],
      })
      expect(json).toMatchObject({ success: true, counts: { selected: 1, succeeded: 1, failed: 0 } })
      expect(json.not_found).toEqual([13, 999, 3, 'x'])
    },
  )

  it('are not reported if all of them exist', async () => {
    expect((await touch({ selected_ids: [1, 2] })).json).not.toHaveProperty('not_found')
    expect((await touch({})).json).not.toHaveProperty('not_found')
  })

  it.each([[[13, 14]], [[999]], [['x', '1 or 1=1', '']], [[-1, 0]]])(
    'select no row if none of them is in scope: %j',
    async (ids) => {
      expect((await touch({ selected_ids: ids })).json.counts.selected).toBe(0)
      expect(await readTouched()).toEqual([])
    },
  )

  it('count once, however often they are named', async () => {
    expect((await touch({ selected_ids: [2, '2', 2] })).json.counts.selected).toBe(1)
    expect(await api.runs(2)).toEqual([1])
  })
})

describe('empty or absent selected_ids', () => {
  it.each([{}, { selected_ids: [] }, { filters: [] }, { filters: {} }])(
    'run an action with the body %j on every row in scope',
    async (body) => {
      expect((await touch(body)).json.counts.selected).toBe(12)
      expect(await readTouched()).toEqual(upTo(12))
    },
  )

  it.each<[string, unknown]>([
    ['the array form', [{ field: 'state', operator: '=', value: 'done' }]],
    ['the object form', { state: { key: 'state', value: 'done', operator: '=', type: 'text', label: 'State' } }],
    ['a name and a value', { state: 'done' }],
  ])('are what the filters select, in %s', async (_, filters) => {
    await touch({ selected_ids: [], filters })
    expect(await readTouched()).toEqual([9, 10, 11, 12])
  })

  it('are all that every filter selects', async () => {
    const filters = [
      { field: 'state', operator: '=', value: 'open' },
      { field: 'id', operator: '<=', value: '3' },
    ]
    await touch({ filters })
    expect(await readTouched()).toEqual([1, 2, 3])
  })

  it('select only rows of the caller’s scope', async () => {
    await touch({}, { as: south })
    expect(await readTouched()).toEqual([13, 14, 15, 16])
  })

  it('succeed with no row where the filters match none', async () => {
    const { status, json } = await touch({ filters: { state: 'nothing' } })
    expect({ status, counts: json.counts }).toEqual({ status: 200, counts: { selected: 0, succeeded: 0, failed: 0 } })
  })
})

describe('an unknown filter never makes an action run on more', () => {
  it.each<[string, unknown, string]>([
    ['in the array form', [{ field: 'nothing', operator: '=', value: 1 }], 'filters.nothing'],
    ['in the object form', { nothing: { value: 1 } }, 'filters.nothing'],
    ['beside a known one', { state: 'open', nothing: 1 }, 'filters.nothing'],
    ['of another case', { State: 'open' }, 'filters.State'],
    ['that the caller may not know of', { tenant: 'north' }, 'filters.tenant'],
    ['named like a prototype', [{ field: 'constructor', value: 1 }], 'filters.constructor'],
  ])('%s', async (_, filters, field) => {
    expectFailure(await touch({ filters }), { status: 422, code: 'validation_failed', field })
    expect(await readTouched()).toEqual([])
  })

  it('can be used by a caller who may see it', async () => {
    expect((await touch({ filters: { tenant: 'north' } }, { as: manager })).json.counts.selected).toBe(12)
  })

  it.each<[string, unknown]>([
    ['an operator that the filter does not allow', [{ field: 'state', operator: '<', value: 'x' }]],
    ['a value that cannot be read', { id: 'x' }],
    ['a text for the filters', 'state=open'],
    ['a number for a filter', [7]],
    ['null for the filters', null],
  ])('runs on no more rows because of %s', async (_, filters) => {
    expectFailure(await touch({ filters }), { status: 422, code: 'validation_failed' })
    expect(await readTouched()).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['a text', 'all', 'selected_ids'],
    ['null', null, 'selected_ids'],
    ['an object', { 0: 1 }, 'selected_ids'],
    ['a list with null', [1, null], 'selected_ids.1'],
    ['a list with a list', [[1]], 'selected_ids.0'],
    ['a list with an object that makes no text', [1, { toString: null }], 'selected_ids.1'],
    ['a list with a number that JSON cannot hold', '[9007199254740993]', 'selected_ids.0'],
  ])('runs on no more rows because of %s in place of ids', async (_, ids, field) => {
    const body = typeof ids === 'string' && ids.startsWith('[') ? `{"selected_ids": ${ids}}` : { selected_ids: ids }
    expectFailure(await touch(body), { status: 422, code: 'validation_failed', field })
    expect(await readTouched()).toEqual([])
  })

  it.each([10_001, 100_000])('runs on no more rows because of %s ids', async (count) => {
    const response = await touch({ selected_ids: upTo(count) })
    expectFailure(response, { status: 422, code: 'validation_failed', field: 'selected_ids' })
    expect(await readTouched()).toEqual([])
  })
})

describe('the set is frozen first', () => {
  const process = (body: object) => api.post('bulk-table-action/lines/process', body)
  const hits = async () =>
    (await api.sql`select hits, count(*)::int as count from lines group by 1 order by 1`).map((row) => ({ ...row }))

  it('an action that changes the filtered column neither skips nor repeats rows', async () => {
    const filters = [
      { field: 'state', operator: '=', value: 'new' },
      { field: 'id', operator: '<=', value: 3_000 },
    ]
    const { json } = await process({ filters })
    expect(json.counts).toEqual({ selected: 3_000, succeeded: 3_000, failed: 0 })
    expect(await hits()).toEqual([
      { hits: 0, count: 1 },
      { hits: 1, count: 3_000 },
    ])
    expect((await process({ filters })).json.counts.selected).toBe(0)
  })

  it('is locked in one order, so that two runs in opposite orders do not deadlock', async () => {
    const wide = api.variant({ DATABASE_CONNECTIONS: '4' })
    const filters = [{ field: 'id', operator: '<=', value: 1_500 }]
    const run = (direction: string) =>
      wide.post('bulk-table-action/lines/process', { filters, sorts: [{ field: 'id', direction }] })
    const responses = await Promise.all(['asc', 'desc', 'asc', 'desc'].map(run))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('keeps the requested order', async () => {
    const finish = (body: object) => api.post('bulk-table-action/bulk_orders/finish_all', body)
    const sorts = [{ field: 'id', direction: 'desc' }]
    expect((await finish({ selected_ids: [1, 2, 3, 4, 5], sorts })).json.data.chunks).toEqual([[5, 4], [3, 2], [1]])
    expect((await finish({ filters: { state: 'open' } })).json.data.chunks).toEqual([[6, 7], [8]])
  })
})

describe('a key that is nearly one of the known ones', () => {
  it.each([
    ['selectedIds', 'selected_ids'],
    ['selected-id', 'selected_ids'],
    ['filter', 'filters'],
    ['Filters', 'filters'],
    ['dryRun', 'dry_run'],
    ['expectedCount', 'expected_count'],
  ])('is refused, so that the action does not run on every row: %s', async (key, meant) => {
    const response = await touch({ [key]: [2] })
    expectFailure(response, { status: 422, code: 'validation_failed' })
    expect(response.json.fields).toEqual({ [key]: [`is not known here; use ${meant}`] })
    expect(await readTouched()).toEqual([])
  })

  it.each(['0', '1', '__proto__', 'something', 'x'.repeat(1_000)])('ignores the unknown key %s', async (key) => {
    const body = JSON.parse(`{"selected_ids": [2], ${JSON.stringify(key)}: 1}`)
    expect((await touch(body)).json.counts.selected).toBe(1)
  })

  it.each(['dryRun', 'expectedCount'])('is refused for several selected rows, too: %s', async (key) => {
    const response = await api.post('row-bulk-table-action/lines/hit', { selected_ids: [1], [key]: 1 })
    expectFailure(response, { status: 422, code: 'validation_failed', field: key })
  })
})
