import { eq, inArray } from 'drizzle-orm'
import * as z from 'zod'
import { and } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { ofOrders, oneMore, orderColumns } from './fixture-work-orders.ts'
import { orders } from './fixture-work-schema.ts'

/** Orders that the page's `params` narrow further; `seen` shows the params that reached the table. */
export const scopedOrdersTable = defineFixture({
  ...ofOrders,
  name: 'scoped_orders',
  params: z.looseObject({
    state: z.string().optional(),
    /** A text in a URL is a number here, too. */
    id: z.coerce.number().optional(),
    /** A text in a URL is none. */
    ids: z.array(z.number()).optional(),
    whole: z.number().optional(),
    step: z.string().optional(),
  }),
  scope: ({ identity, params: { state, id, ids } }) =>
    and(
      ofOrders.scope({ identity }),
      state === undefined ? undefined : eq(orders.state, state),
      id === undefined ? undefined : eq(orders.id, id),
      ids === undefined ? undefined : inArray(orders.id, ids),
    ),
  columns: { ...orderColumns, seen: { label: 'Seen', value: (_, { params }) => JSON.stringify(params) } },
  sortables: ['id'],
  rowActions: {
    count: {
      bulk: true,
      run: async ({ db, row, params }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        return { seen: params }
      },
    },
    note: {
      onSuccess: 'OpenModalForm',
      form: z.object({ title: z.string() }),
      run: async ({ db, row, input, params }) => {
        await db.update(orders).set({ title: input.title }).where(eq(orders.id, row.id))
        return { seen: params }
      },
    },
    open: { type: 'redirect', to: ({ id }, { params }) => `/orders/${id}?state=${params.state ?? ''}` },
  },
  bulkActions: {
    touch: {
      run: async ({ db, rows }) => {
        const ids = rows.map(({ id }) => id)
        await db.update(orders).set({ runs: oneMore }).where(inArray(orders.id, ids))
      },
    },
    touch_later: { response: 'websocket', run: () => {} },
    report: { response: 'email', export: 'csv' },
  },
})
