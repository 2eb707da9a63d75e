import { inArray } from 'drizzle-orm'
import * as z from 'zod'
import { refuse } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { isManager, ofOrders, oneMore, orderColumns } from './fixture-work-orders.ts'
import { orders } from './fixture-work-schema.ts'

const idIn = (rows: readonly { readonly id: number }[]) =>
  inArray(
    orders.id,
    rows.map(({ id }) => id),
  )

const third = { en: 'Order 3 is refused', ar: 'الطلب 3 مرفوض' }

/** Bulk actions of every response type, and with every outcome. */
export const bulkOrdersTable = defineFixture({
  ...ofOrders,
  name: 'bulk_orders',
  columns: { ...orderColumns, tenant: { label: 'Tenant', loadIf: isManager } },
  sortables: ['id', 'title'],
  filters: {
    id: { type: 'number', label: 'ID', operators: ['=', '<=', '>=', 'in'] },
    state: { type: 'text', label: 'State' },
    tenant: { type: 'text', label: 'Tenant', loadIf: isManager },
  },
  rowActions: { only_row: { bulk: true, run: () => {} } },
  bulkActions: {
    'Finish All': {
      chunk: 2,
      onSuccess: 'reload',
      run: async ({ db, rows }) => {
        await db.update(orders).set({ state: 'done', runs: oneMore }).where(idIn(rows))
        return { data: rows.map(({ id }) => id) }
      },
      conclude: ({ selected, succeeded, failed, data }) => ({
        message: { en: `Finished ${succeeded}`, ar: `أُنجز ${succeeded}` },
        data: { selected, failed, chunks: data },
      }),
    },
    touch: {
      run: async ({ db, rows }) => {
        await db.update(orders).set({ runs: oneMore }).where(idIn(rows))
      },
    },
    in_parts: {
      chunk: 2,
      run: async ({ db, rows }) => {
        await db.update(orders).set({ runs: oneMore }).where(idIn(rows))
        if (rows.some(({ id }) => id === 3)) throw refuse(third, 'third_order')
      },
    },
    all_or_none: {
      chunk: 2,
      atomic: true,
      run: async ({ db, rows }) => {
        await db.update(orders).set({ runs: oneMore }).where(idIn(rows))
        if (rows.some(({ id }) => id === 3)) throw refuse(third, 'third_order')
      },
    },
    but_the_third: {
      run: async ({ db, rows }) => {
        await db
          .update(orders)
          .set({ runs: oneMore })
          .where(idIn(rows.filter(({ id }) => id !== 3)))
        return {
          refused: rows.filter(({ id }) => id === 3).map(({ id }) => ({ id, text: third, code: 'third_order' })),
        }
      },
    },
    explode: {
      chunk: 2,
      run: async ({ db, rows }) => {
        await db.update(orders).set({ runs: oneMore }).where(idIn(rows))
        if (rows.some(({ id }) => id === 3)) throw new Error('password=hunter2')
      },
    },
    forget: {
      chunk: 2,
      run: ({ db, rows }) => {
        void db.update(orders).set({ runs: oneMore }).where(idIn(rows)).execute()
      },
    },
    assign_all: {
      form: z.object({ assignee: z.string().min(2) }),
      run: async ({ db, rows, input }) => {
        await db.update(orders).set({ assignee: input.assignee }).where(idIn(rows))
      },
    },
    refuse_strangers: { run: () => ({ refused: [{ id: 999, text: third }] }) },
    at_most_three: { maxRows: 3, run: () => {} },
    as_file: {
      run: () => {},
      conclude: ({ selected }) => ({
        data: { pages: 1 },
        file: { name: 'قائمة.txt', contentType: 'text/plain; charset=utf-8', content: Buffer.from(`${selected} طلب`) },
      }),
    },
    notified_file: {
      response: 'notification',
      run: () => {},
      conclude: ({ selected }) => ({
        file: { name: 'list.txt', contentType: 'text/plain; charset=utf-8', content: Buffer.from(`${selected} طلب`) },
      }),
    },
    notify: {
      label: { en: 'Notify', ar: 'إشعار' },
      response: 'notification',
      run: async ({ db, rows }) => {
        await db.update(orders).set({ runs: oneMore }).where(idIn(rows))
      },
      conclude: ({ succeeded }) => ({
        title: { en: 'It is done', ar: 'تم' },
        message: { en: `${succeeded} orders`, ar: `${succeeded} طلبات` },
        level: 'warning',
        data: { seen: succeeded },
      }),
    },
    notify_plainly: { label: { en: 'Notify', ar: 'إشعار' }, response: 'notification', run: () => {} },
    recompute: { response: 'websocket', chunk: 5, maxRows: 10, run: () => {} },
    mail_summary: { response: 'email', form: z.object({ note: z.string() }), run: () => {} },
    internal: { showInWeb: false, run: () => {} },
    managers_only: { loadIf: isManager, run: () => {} },
  },
})
