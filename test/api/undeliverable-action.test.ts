import { eq } from 'drizzle-orm'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { createRegistry } from '../../lib/index.ts'
import { expectFailure } from '../support/fixtures/expect-envelope.ts'
import { defineFixture, fixtureClaims } from '../support/fixtures/identities.ts'
import { ofOrders, oneMore, orderColumns } from '../support/fixtures/orders-table.ts'
import { startWorkApi } from '../support/fixtures/work-api.ts'
import { orders } from '../support/fixtures/work-schema.ts'

const talkative = defineFixture({
  ...ofOrders,
  name: 'talkative',
  columns: orderColumns,
  rowActions: {
    recite: {
      run: async ({ db, row }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        return { data: { text: 'x'.repeat(7_000_000) } }
      },
    },
  },
})

const whole = await startWorkApi()
const api = whole.variant({}, createRegistry([talkative], { claims: fixtureClaims }))
afterAll(() => whole.stop())
beforeEach(() => whole.reset())

it('undoes an action whose response is too large to be delivered', async () => {
  expectFailure(await api.post('row-table-action/talkative/recite/2'), { status: 422, code: 'response_too_large' })
  expect(await whole.runs(2)).toEqual([0])
  expect((await whole.audit()).map(({ outcome }) => outcome)).toEqual(['response_too_large'])
})
