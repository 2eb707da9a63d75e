import { beforeEach, expect, it } from 'vitest'
import { editingRegistry } from '../support/fixtures/edited-orders.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'

const work = await startWorkApi()
const api = work.variant({}, editingRegistry)
beforeEach(() => work.reset())

const shelve = async (ids: readonly number[]) =>
  (await api.post('row-bulk-table-action/orders/shelve', { selected_ids: ids })).json

const undo = ({ undo: { url } }: { undo: { url: string } }, headers = {}) =>
  api.post(new URL(url).pathname.split('/control-tables/')[1] ?? '', {}, { headers })

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
