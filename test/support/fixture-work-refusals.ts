import { eq, inArray, sql } from 'drizzle-orm'
import { forbidden, refuse } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { ofOrders, oneMore, orderColumns } from './fixture-work-orders.ts'
import { orders } from './fixture-work-schema.ts'

const odd = { en: 'Odd orders are refused', ar: 'الطلبات الفردية مرفوضة' }

const isOdd = ({ id }: { readonly id: number }) => id % 2 === 1

/** One row action for each way to refuse or fail; each of them has changed the row before it does. */
export const refusingOrdersTable = defineFixture({
  ...ofOrders,
  name: 'refusing_orders',
  columns: orderColumns,
  rowActions: {
    refuse_odd: {
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        if (isOdd(row)) throw refuse(odd, 'odd_order')
      },
    },
    refuse_plainly: {
      bulk: true,
      run: () => {
        throw refuse({ en: 'No', ar: 'لا' })
      },
    },
    refuse_odd_atomically: {
      bulk: true,
      atomic: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        if (isOdd(row)) throw refuse(odd, 'odd_order')
      },
    },
    forget: {
      bulk: true,
      run: ({ db, row }) => {
        void db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id)).execute()
      },
    },
    forget_the_last: {
      bulk: true,
      runAll: async ({ db, rows }) => {
        const ids = rows.map(({ id }) => id)
        await db.update(orders).set({ state: 'done' }).where(inArray(orders.id, ids))
        void db.update(orders).set({ runs: oneMore }).where(inArray(orders.id, ids)).execute()
      },
    },
    forget_inside: {
      bulk: true,
      run: ({ db, row }) =>
        db.transaction(async (nested) => {
          void nested.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id)).execute()
        }),
    },
    forbid: {
      run: () => {
        throw forbidden({ en: 'Not you', ar: 'ليس أنت' })
      },
    },
    all_but_odd: {
      bulk: true,
      runAll: async ({ db, rows }) => {
        const even = rows.filter((row) => !isOdd(row)).map(({ id }) => id)
        await db.update(orders).set({ runs: oneMore }).where(inArray(orders.id, even))
        return rows.filter(isOdd).map(({ id }) => ({ id, text: odd, code: 'odd_order' }))
      },
    },
    refuse_all: {
      bulk: true,
      runAll: async ({ db, rows }) => {
        const ids = rows.map(({ id }) => id)
        await db.update(orders).set({ runs: oneMore }).where(inArray(orders.id, ids))
        throw refuse(odd, 'odd_order')
      },
    },
    explode: {
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        if (row.id === 3) throw new Error('password=hunter2')
      },
    },
    mistake: {
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        await db.execute(sql`select hunter2 from secrets`)
      },
    },
    answer_badly: {
      run: async ({ db, row }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        const circle: { own?: unknown } = {}
        circle.own = circle
        return { circle }
      },
    },
    collide: {
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
        if (isOdd(row)) await db.update(orders).set({ id: 16 }).where(eq(orders.id, row.id))
      },
    },
  },
})
