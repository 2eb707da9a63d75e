import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod'
import { createRegistry, undoBy } from '../../lib/index.ts'
import { editingRegistry } from '../support/fixtures/edited-orders.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'

const work = await startWorkApi()
const api = work.variant({}, editingRegistry)
beforeEach(() => work.reset())

const shelve = async (ids: readonly number[]) =>
  (await api.post('row-bulk-table-action/orders/shelve', { selected_ids: ids })).json

const undo = ({ undo: { url } }: { undo: { url: string } }, headers = {}, on = api, body = {}) =>
  on.post(new URL(url).pathname.split('/control-tables/')[1] ?? '', body, { headers })

it('the undo of an action answers in the order of its rows', async () => {
  const ids = [10, 2, 8, 1]
  await work.sql`update orders set state = 'open' where id = any(${ids})`
  const { json } = await undo(await shelve(ids))
  for (const rows of [json.results, json.items]) expect(rows.map(({ id }: { id: number }) => id)).toEqual(ids)
})

it('an undo is refused with a version, which it would ignore', async () => {
  const shelved = await shelve([1])
  const refused = await undo(shelved, { 'if-match': '"1"' })
  expectFailure(refused, { status: 422, code: 'validation_failed', field: 'If-Match' })
  expect((await undo(shelved)).status).toBe(200)
})

it.each([[null], [[]]])('an undo whose `include` is %j asks for no effects and takes no page', async (include) => {
  const shelved = await shelve([1])
  const refused = await undo(shelved, {}, api, { include, filters: [] })
  expectFailure(refused, { status: 422, code: 'validation_failed', field: 'filters' })
  const { status, json } = await undo(shelved, {}, api, { include })
  expect([status, json.effects]).toEqual([200, undefined])
})

it('an undo takes back an action that applies to its row before the undo and no longer after it', async () => {
  const voidable = defineFixture({
    ...ofOrders,
    name: 'voidable',
    columns: { title: { label: 'Title' } },
    rowActions: {
      issue: {
        appliesTo: ({ title }) => title !== 'Void',
        run: () => ({ undo: {} }),
        undo: undoBy(z.object({}), async ({ db, where }) => {
          await db.update(orders).set({ title: 'Void' }).where(where)
        }),
      },
    },
  })
  const own = work.variant({}, createRegistry([voidable], { claims: fixtureClaims }))
  const issued = await own.post('row-table-action/voidable/issue/1')
  expect((await undo(issued.json, {}, own)).json).toMatchObject({ items: [{ id: 1, title: 'Void' }] })
  expectFailure(await own.post('row-table-action/voidable/issue/1'), { status: 422, code: 'action_not_applicable' })
})
