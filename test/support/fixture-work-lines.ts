import { eq, inArray, sql } from 'drizzle-orm'
import { everyRow } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { devices, documents, ledger } from './fixture-schema.ts'
import { lines } from './fixture-work-schema.ts'

const idIn = (rows: readonly { readonly id: number }[]) =>
  inArray(
    lines.id,
    rows.map(({ id }) => id),
  )

const hit = { hits: sql`${lines.hits} + 1`, state: 'old' }

const ofLines = {
  from: lines,
  key: 'id',
  scope: everyRow,
  sortables: ['id'],
  filters: {
    id: { type: 'number', label: { en: 'ID', ar: 'المعرف' }, operators: ['=', '<=', '>='] },
    state: { type: 'text', label: 'State' },
  },
} as const

const columns = {
  id: { label: { en: 'ID', ar: 'المعرف' } },
  label: { label: { en: 'Label', ar: 'الاسم' } },
  state: { label: 'State' },
} as const

/** One row more than an instant export may hold. */
export const linesTable = defineFixture({
  ...ofLines,
  name: 'lines',
  label: { en: 'Lines', ar: 'السطور' },
  columns,
  rowActions: {
    look: { bulk: true, run: () => {} },
    hit_each: {
      bulk: true,
      run: async ({ db, row }) => {
        await db.update(lines).set(hit).where(eq(lines.id, row.id))
      },
    },
    hit: {
      bulk: true,
      runAll: async ({ db, rows }) => {
        await db.update(lines).set(hit).where(idIn(rows))
      },
    },
  },
  bulkActions: {
    'Send Report': { label: { en: 'Send report', ar: 'إرسال التقرير' }, response: 'email', export: 'excel' },
    export_csv: { export: 'csv' },
    excel_file: { export: 'excel', deliver: 'file' },
    notified_report: { export: 'csv', response: 'notification' },
    pushed_report: { export: 'excel', response: 'websocket' },
    process: {
      chunk: 250,
      run: async ({ db, rows }) => {
        await db.update(lines).set(hit).where(idIn(rows))
      },
    },
    process_later: { response: 'notification', run: () => {} },
  },
})

/** A thousand of these rows fit into no function's answer, neither as a file nor as items. */
export const heavyLinesTable = defineFixture({
  ...ofLines,
  name: 'heavy_lines',
  computed: { padding: sql<string>`repeat(md5(${lines.id}::text), 200)` },
  columns: { id: { label: 'ID' }, padding: { label: 'Padding', type: 'text' } },
  rowActions: {
    hit: {
      bulk: true,
      runAll: async ({ db, rows }) => {
        await db.update(lines).set(hit).where(idIn(rows))
      },
    },
  },
  bulkActions: { csv_file: { export: 'csv', deliver: 'file' } },
})

/** Rows whose ids no URL carries as they are. */
export const papersTable = defineFixture({
  name: 'papers',
  from: documents,
  key: 'path',
  scope: everyRow,
  columns: { path: { label: 'Path' }, title: { label: 'Title' }, actions: { label: 'Actions', type: 'actions' } },
  rowActions: {
    read: { bulk: true, run: ({ row }) => ({ read: row.path }) },
    read_as_well: { bulk: true, run: () => {} },
  },
  bulkActions: {
    read_as_well: { run: () => {} },
    read_all: {
      run: ({ rows }) => ({ data: rows.map(({ path }) => path) }),
      conclude: ({ data }) => ({ data: { read: data } }),
    },
  },
})

/** Rows whose ids can be written in more than one way. */
export const unitsTable = defineFixture({
  name: 'units',
  from: devices,
  key: 'serial',
  scope: everyRow,
  columns: { serial: { label: 'Serial' } },
  rowActions: { read: { bulk: true, run: ({ row }) => ({ read: row.serial }) } },
})

/** Rows whose ids no JavaScript number holds. */
export const accountsTable = defineFixture({
  name: 'accounts',
  from: ledger,
  key: 'id',
  scope: everyRow,
  columns: { id: { label: 'ID' }, amount: { label: 'Amount' } },
  rowActions: {
    read: { bulk: true, run: ({ row }) => ({ read: String(row.id) }) },
    refuse_by_id: {
      bulk: true,
      runAll: async ({ rows }) => rows.slice(0, 1).map(({ id }) => ({ id, text: { en: 'No', ar: 'لا' } })),
    },
  },
})
