import { eq, ne, sql } from 'drizzle-orm'
import * as z from 'zod'
import { and } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { orders } from './fixture-work-schema.ts'

type Caller = {
  readonly identity: { readonly claims: { readonly tenant: string; readonly role?: string | undefined } }
}

export const isManager = ({ identity }: Caller) => identity.claims.role === 'manager'

export const oneMore = sql`${orders.runs} + 1`

/** The shared scope of the tables of orders: rows of the caller's tenant that are not archived. */
export const ofOrders = {
  from: orders,
  key: 'id',
  scope: ({ identity: { claims } }: Caller) => and(eq(orders.tenant, claims.tenant), ne(orders.state, 'archived')),
} as const

export const orderColumns = {
  id: { label: { en: 'ID', ar: 'المعرف' } },
  title: { label: { en: 'Title', ar: 'العنوان' } },
  state: { label: { en: 'State', ar: 'الحالة' } },
  assignee: { label: { en: 'Assignee', ar: 'المكلّف' } },
  runs: { label: 'Runs' },
  flagged: { label: { en: 'Flagged', ar: 'مميَّز بعلامة' } },
  amount: { label: { en: 'Amount', ar: 'المبلغ' }, type: 'number', decimals: 2 },
  due: { label: { en: 'Due', ar: 'الاستحقاق' } },
} as const

/** One row action for each way to answer. */
export const ordersTable = defineFixture({
  ...ofOrders,
  name: 'orders',
  label: { en: 'Orders', ar: 'الطلبات' },
  timeZone: 'Asia/Riyadh',
  columns: {
    ...orderColumns,
    tenant: { label: { en: 'Tenant', ar: 'المستأجر' }, loadIf: isManager },
    actions: { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' },
  },
  filters: { state: { type: 'text', label: 'State' } },
  rowActions: {
    'Mark Reviewed': {
      appliesTo: ({ state }) => state === 'open',
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ state: 'done', runs: oneMore }).where(eq(orders.id, row.id))
      },
    },
    count: {
      run: async ({ db, row }) => {
        await db.update(orders).set({ runs: oneMore }).where(eq(orders.id, row.id))
      },
    },
    flag: {
      type: 'toggle',
      current: ({ flagged }) => flagged,
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ flagged: !row.flagged }).where(eq(orders.id, row.id))
      },
    },
    archive: {
      confirm: { en: 'Archive it?', ar: 'هل تريد الأرشفة؟' },
      onSuccess: 'deleteRow',
      bulk: { onSuccess: 'reload' },
      run: async ({ db, row }) => {
        await db.update(orders).set({ state: 'archived' }).where(eq(orders.id, row.id))
      },
    },
    give_away: {
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ tenant: 'south' }).where(eq(orders.id, row.id))
        return { message: { en: 'Given away', ar: 'أُعطي' } }
      },
    },
    discard: {
      appliesTo: ({ state }) => state === 'open',
      onSuccess: 'deleteRow',
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(orders).set({ state: 'archived' }).where(eq(orders.id, row.id))
      },
    },
    hand_over: {
      onSuccess: 'refetchData',
      bulk: { onSuccess: 'no_action' },
      run: async ({ db, row }) => {
        await db.update(orders).set({ tenant: 'south' }).where(eq(orders.id, row.id))
      },
    },
    hide: { onSuccess: 'deleteRow', bulk: true, run: () => {} },
    refresh: { onSuccess: 'refetchData', run: () => ({ told: ['more', 1n], success: false, left_out: () => 1 }) },
    restart: { onSuccess: 'reload', run: () => {} },
    decide: { run: ({ row }) => ({ onSuccess: row.flagged ? 'reload' : 'no_action', message: `Order ${row.id}` }) },
    open: { type: 'redirect', to: ({ id }) => `/orders/${id}` },
    visit: { type: 'external_redirect', onSuccess: 'no_action', to: ({ id }) => `https://example.test/${id}` },
    copy_title: { type: 'copy', onSuccess: 'no_action', copies: ({ title }) => title },
    statement: {
      onSuccess: 'downloadData',
      run: ({ row }) => ({ data: { url: `https://files.example.test/${row.id}`, filename: 'statement.pdf' } }),
    },
    explain: {
      onSuccess: 'DisplayOnModal',
      run: ({ row, identity }) => ({ data: { who: { label: 'Who', value: `${identity.subject} ${row.id}` } } }),
    },
    assign: {
      form: z.object({
        assignee: z.string().min(2).max(20),
        hours: z.int().min(1).max(40).default(8),
        address: z.object({ city: z.string() }).optional(),
      }),
      formLabels: { assignee: { en: 'Assignee', ar: 'المكلَّف' }, hours: 'Hours' },
      bulk: true,
      run: async ({ db, row, input: { assignee, hours } }) => {
        await db.update(orders).set({ assignee, runs: oneMore }).where(eq(orders.id, row.id))
        return { hours, message: { en: `Assigned to ${assignee}`, ar: `كُلّف ${assignee}` } }
      },
    },
    rename: {
      form: z.strictObject({ title: z.string() }),
      bulk: true,
      run: async ({ db, row, input }) => {
        await db.update(orders).set({ title: input.title }).where(eq(orders.id, row.id))
      },
    },
    reschedule: {
      label: { en: 'Reschedule', ar: 'إعادة الجدولة' },
      onSuccess: 'OpenModalForm',
      onSubmit: 'refetchData',
      appliesTo: ({ state }) => state === 'open',
      form: z.object({ due: z.iso.datetime().optional().meta({ title: 'Due' }) }),
      formValues: ({ due }) => ({ due }),
      run: async ({ db, row, input }) => {
        await db
          .update(orders)
          .set({ due: input.due ?? null, runs: oneMore })
          .where(eq(orders.id, row.id))
      },
    },
    slowly: {
      appliesTo: ({ state }) => state === 'open',
      run: async ({ db, row }) => {
        await db.execute(sql`select pg_sleep(0.3)`)
        await db.update(orders).set({ state: 'done', runs: oneMore }).where(eq(orders.id, row.id))
      },
    },
    internal: { showInWeb: false, bulk: true, run: () => {} },
    managers_only: { loadIf: isManager, run: () => {} },
  },
  bulkActions: { internal_bulk: { showInWeb: false, run: () => {} } },
})
