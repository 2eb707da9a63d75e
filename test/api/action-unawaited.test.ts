import { beforeEach, describe, expect, it } from 'vitest'
import { startWorkApi } from '../support/fixtures/work-api.ts'

// expectFailure is of no use here: these are mistakes of an author, which are answered as internal errors.
const api = await startWorkApi({ LOG_LEVEL: 'silent' })
beforeEach(() => api.reset())

const mistake = { status: 500, json: { code: 'internal_error' } }
const rows = { selected_ids: [1, 2, 3] }

describe('a statement that an action does not await', () => {
  it.each([
    ['the only one, on one row', 'row-table-action/refusing_orders/forget/1', {}],
    ['the last of two, on one row', 'row-table-action/refusing_orders/forget_the_last/1', {}],
    ['one in a savepoint of its own, on one row', 'row-table-action/refusing_orders/forget_inside/1', {}],
    ['the only one, on several rows', 'row-bulk-table-action/refusing_orders/forget', rows],
    ['the last of two, on several rows', 'row-bulk-table-action/refusing_orders/forget_the_last', rows],
    ['one in a savepoint of its own, on several rows', 'row-bulk-table-action/refusing_orders/forget_inside', rows],
    ['one in every chunk of a bulk action', 'bulk-table-action/bulk_orders/forget', rows],
  ])('fails the action, and nothing is changed: %s', async (_, path, body) => {
    expect(await api.post(path, body)).toMatchObject(mistake)
    expect(await api.runs(1, 2, 3)).toEqual([0, 0, 0])
    expect(await api.sql`select id from orders where state = 'done' and id < 9`).toEqual([])
  })
})
