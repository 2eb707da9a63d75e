import { eq, sql } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { oneMore, orderColumns } from '../support/fixtures/orders-table.ts'
import { startDeliveringApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'
import { openedFile } from '../support/jobs/opened-file.ts'

/** Orders 1 and 2, by a condition whose "or" stands at its top level. */
const oneOrTwo = defineFixture({
  name: 'one_or_two',
  from: orders,
  key: 'id',
  scope: () => sql`${orders.id} = 1 or ${orders.id} = 2`,
  columns: orderColumns,
  filters: { state: { type: 'text', label: 'State' } },
  rowActions: {
    count: {
      bulk: true,
      run: ({ db, row }) => db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id)),
    },
  },
  bulkActions: { export_csv: { export: 'csv' } },
})

const whole = await startDeliveringApi()
const api = whole.variant({}, createRegistry([oneOrTwo], { claims: fixtureClaims }))
beforeEach(() => whole.reset())

const listIds = (items: readonly { readonly id: number }[]) => items.map(({ id }) => id)
const done = { state: { operator: '=', value: 'done' } }

it('keeps a filter within a scope of raw SQL with "or"', async () => {
  const { json } = await api.post('query-table/one_or_two', { sorts: { id: 'asc' } })
  expect(listIds(json.items)).toEqual([1, 2])
  const { json: filtered } = await api.post('query-table/one_or_two', { filters: done })
  expect([filtered.items, filtered.pagination.total]).toEqual([[], 0])
})

it('keeps refetched rows within a scope of raw SQL with "or"', async () => {
  expectFailure(await api.post('row-refetch/one_or_two/3'), { status: 404, code: 'row_not_found' })
  const { json } = await api.post('multi-row-refetch/one_or_two', { row_ids: [2, 3] })
  expect(listIds(json.items)).toEqual([2])
})

it('keeps actions within a scope of raw SQL with "or"', async () => {
  expectFailure(await api.post('row-table-action/one_or_two/count/3'), { status: 404, code: 'row_not_found' })
  const { json } = await api.post('row-bulk-table-action/one_or_two/count', { selected_ids: [2, 3] })
  expect(json.counts).toMatchObject({ succeeded: 1, failed: 1 })
  expect(await whole.runs(1, 2, 3)).toEqual([0, 1, 0])
})

it('keeps exports within a scope of raw SQL with "or"', async () => {
  const { json } = await api.post('bulk-table-action/one_or_two/export_csv', { filters: done })
  const file = await (await openedFile(api, json.data.url)).text()
  expect(file.trim().split('\n')).toHaveLength(1)
})
