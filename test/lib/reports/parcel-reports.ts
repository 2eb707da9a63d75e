import { PassThrough, Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  bigint,
  boolean,
  date,
  doublePrecision,
  integer,
  jsonb,
  numeric,
  pgTable,
  text,
  timestamp,
} from 'drizzle-orm/pg-core'
import postgres from 'postgres'
import type { Database } from '../../../lib/db/database.ts'
import { planRows } from '../../../lib/query/plan.ts'
import type { ReportOptions, ReportPlan } from '../../../lib/reports/report-plan.ts'
import { writeReport } from '../../../lib/reports/write-report.ts'
import { compileTable } from '../../../lib/table/compile-table.ts'
import { everyRow, tableDefiner } from '../../../lib/table/define-table.ts'
import { type DatabaseTemplate, testDatabase } from '../../support/database/test-database.ts'
import { openTestTable } from '../../support/requests/open-table.ts'

const parcels = pgTable('parcels', {
  id: integer().primaryKey(),
  name: text(),
  state: text(),
  phone: text(),
  amount: numeric(),
  score: doublePrecision(),
  big: bigint({ mode: 'bigint' }),
  fragile: boolean(),
  packed: timestamp({ mode: 'string' }),
  seen: timestamp({ withTimezone: true, mode: 'string' }),
  day: date({ mode: 'string' }),
  tags: text().array(),
  markup: text(),
  address: text(),
  details: jsonb(),
})

const ddl = `
  create table parcels (
    id integer primary key, name text, state text, phone text, amount numeric, score double precision, big bigint,
    fragile boolean, packed timestamp, seen timestamptz, day date, tags text[], markup text, address text, details jsonb)`

/** An empty table of parcels. */
export const parcelReports: DatabaseTemplate = {
  name: 'parcel_reports',
  build: async (url) => {
    const sql = postgres(url, { max: 1, onnotice: () => {} })
    await sql.unsafe(ddl)
    await sql.end()
  },
}

/** Creates a database with an empty table of parcels, and what the tests of a file do with its rows. */
export async function startParcelDatabase() {
  const { url, drop } = await testDatabase(parcelReports)
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  return {
    url,
    sql,
    insert: (rows: readonly object[]) =>
      sql`insert into parcels select * from json_populate_recordset(null::parcels, ${JSON.stringify(rows)}::text::json)`,
    empty: () => sql`delete from parcels`,
    stop: async () => {
      await sql.end()
      await drop()
    },
  }
}

const plainColumns = {
  id: { label: { en: 'ID', ar: 'المعرف' } },
  name: { label: { en: 'Name', ar: 'الاسم' }, search: true },
  state: {
    label: 'State',
    type: 'text',
    values: { open: { label: { en: 'Open, "new"', ar: 'مفتوح' } }, done: { label: { en: 'Done', ar: 'منجز' } } },
  },
  phone: { label: 'Phone' },
  amount: { label: 'Amount', type: 'number', decimals: 2 },
  score: { label: 'Score' },
  big: { label: 'Big' },
  fragile: {
    label: 'Fragile',
    type: 'boolean',
    values: { true: { en: 'On', ar: 'نعم' }, false: { en: 'Off', ar: 'لا' } },
  },
  packed: { label: 'Packed', type: 'date', pattern: 'dd/MM/yyyy HH:mm:ss' },
  seen: { label: 'Seen' },
  day: { label: 'Day' },
  tags: { label: 'Tags' },
  address: { label: 'Address', type: 'link' },
} as const

const define = tableDefiner<Record<string, unknown>>()

const common = {
  label: { en: 'Parcels', ar: 'الطرود' },
  from: parcels,
  key: 'id',
  scope: everyRow,
  timeZone: 'Asia/Riyadh',
  filters: {
    state: {
      type: 'select',
      label: { en: 'State', ar: 'الحالة' },
      options: { open: { en: 'Open', ar: 'مفتوح' }, done: 'Done' },
    },
    name: { type: 'text', label: { en: 'Name', ar: 'الاسم' } },
    day: { type: 'date', label: { en: 'Day', ar: 'اليوم' }, operators: ['>=', 'not between', 'within', 'is null'] },
    seen: { type: 'date', label: 'Seen', operators: ['>=', '<=', 'within'] },
    fragile: { type: 'boolean', label: 'Fragile' },
    score: { type: 'number', label: 'Score', operators: ['between', 'not between', 'in'] },
    has_phone: { type: 'null', label: 'Phone', source: 'phone' },
  },
} as const

const plain = define({
  ...common,
  name: 'parcels',
  columns: { ...plainColumns, actions: { label: 'Actions', type: 'actions' } },
  sortables: ['name', 'score'],
})

/** The same with columns that functions make, and columns that libraries write. */
const authored = define({
  ...common,
  name: 'authored_parcels',
  columns: {
    ...plainColumns,
    hidden: { label: 'Hidden', type: 'text', showable: false, value: () => 'hidden' },
    no: { label: 'No', type: 'text', showable: false, value: () => 'number' },
    markup: { label: 'Markup', type: 'html' },
    details: { label: 'Details', format: (details) => details as never },
    shout: { label: 'Shout', type: 'text', value: (row) => row.name?.toUpperCase() ?? null },
    double: { label: 'Double', type: 'number', load: async (rows) => rows.map(({ id }) => id * 2) },
    anchor: { label: 'Anchor', type: 'link', value: ({ address }) => address && { value: address, label: 'Go' } },
    broken: { label: 'Broken', type: 'text', value: ({ name }) => `${name?.charAt(0)}!` },
    wild: { label: 'Wild', type: 'text', value: ({ details }) => details as never },
  },
})

const tables = { plain: compileTable(plain.definition), authored: compileTable(authored.definition) }

export interface ReportRequest extends Partial<Pick<ReportPlan, 'format' | 'columns' | 'selected' | 'requestedBy'>> {
  readonly table?: keyof typeof tables
  readonly language?: 'en' | 'ar'
  readonly filters?: unknown
  readonly sorts?: unknown
}

/** A request for a report as the operations make it. */
export function parcelReport({
  table = 'plain',
  language = 'en',
  filters,
  sorts,
  ...asked
}: ReportRequest = {}): ReportPlan {
  const opened = openTestTable(tables[table], { language, timeZone: 'Asia/Riyadh' })
  const plan = planRows(opened.view, { filters, sorts }, opened.context.timeZone)
  const requestedAt = new Date('2026-11-21T22:30:00Z')
  return { ...opened, plan, format: 'excel', requestedAt, requestedBy: 'nora@example.test', ...asked }
}

/** The bytes of a report. */
export async function reportBytes(database: Database, request: ReportPlan, options?: ReportOptions): Promise<Buffer> {
  const out = new PassThrough()
  const [bytes] = await Promise.all([buffer(out), writeReport(database, request, out, options)])
  return bytes
}

/** A receiver that takes so many bytes and then does as `end` says. */
export function failingOutput(capacity: number, end: (out: Writable, done: (error?: Error) => void) => void): Writable {
  let received = 0
  return new Writable({
    write(chunk: Buffer, _, done) {
      received += chunk.length
      if (received <= capacity) done()
      else end(this, done)
    },
  })
}
