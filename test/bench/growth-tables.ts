import { integer, type PgColumnBuilderBase, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import postgres, { type Sql } from 'postgres'
import { createRegistry, everyRow, tableDefiner } from '#lib'

/** Sizes of the generated tables with ten columns. */
export const sizes = [1_000, 10_000, 100_000, 1_000_000, 10_000_000] as const

export type Size = (typeof sizes)[number]

/** The columns of the wide table beside its key, of which a measured table shows some. */
export const wideColumns = 60
const wideRows = 100_000
/** One group is this share of a table. */
const groups = 1_000

const defineTable = tableDefiner<Record<string, unknown>>()

type Total = 'exact' | 'capped'

/** Declares a table of ten columns over one of the generated ones. */
function sizedTable(size: Size, count: Total) {
  const from = pgTable(`rows_${size}`, {
    id: integer().primaryKey(),
    created_at: timestamp({ mode: 'string' }).notNull(),
    group_id: integer().notNull(),
    amount: integer().notNull(),
    reference: text().notNull(),
    status: text().notNull(),
    city: text().notNull(),
    note: text(),
    weight: integer().notNull(),
    priority: integer().notNull(),
  })
  const shown = [
    'created_at',
    'group_id',
    'amount',
    'reference',
    'status',
    'city',
    'note',
    'weight',
    'priority',
  ] as const
  return defineTable({
    name: `rows_${size}_${count}`,
    label: { en: 'Rows', ar: 'صفوف' },
    from,
    key: 'id',
    scope: everyRow,
    count,
    columns: Object.fromEntries(shown.map((name) => [name, { label: { en: name, ar: name } }])),
    defaultSort: ['created_at', 'desc'],
    filters: { group_id: { label: { en: 'Group', ar: 'مجموعة' } } },
  })
}

const wideNames = Array.from({ length: wideColumns }, (_, index) => `c${index + 1}`)

/** Declares a table that shows the first columns of the wide one. Those with an odd number are texts. */
function wideTable(columns: number, count: Total) {
  const cells = wideNames.map((name, index) => [name, index % 2 === 0 ? text().notNull() : integer().notNull()])
  const attributes: Record<string, PgColumnBuilderBase> = { id: integer().primaryKey(), ...Object.fromEntries(cells) }
  const label = (name: string) => ({ label: { en: name, ar: name } })
  return defineTable({
    name: `wide_${columns}_${count}`,
    label: { en: 'Wide rows', ar: 'صفوف عريضة' },
    from: pgTable('wide_rows', attributes),
    key: 'id',
    scope: everyRow,
    count,
    columns: Object.fromEntries(wideNames.slice(0, columns).map((name) => [name, label(name)])),
    filters: Object.fromEntries(wideNames.filter((_, index) => index % 2 === 1).map((name) => [name, label(name)])),
    defaultSort: ['id', 'asc'],
  })
}

/** Columns that are shown in the measured tables. */
export const columnCounts = [5, 10, 20, 40, 60] as const

/** Registers every generated table. */
export const createGrowthRegistry = () =>
  createRegistry([
    ...sizes.flatMap((size) => [sizedTable(size, 'exact'), sizedTable(size, 'capped')]),
    ...columnCounts.map((columns) => wideTable(columns, 'capped')),
    wideTable(wideColumns, 'exact'),
  ])

/** Generates the tables up to a size, unless they are there. */
export async function generateTables(
  databaseUrl: string,
  maxSize: number,
  report: (line: string) => void,
): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined })
  try {
    for (const size of sizes.filter((one) => one <= maxSize)) {
      await generate(sql, `rows_${size}`, report, (name) => generateRows(sql, name, size))
    }
    await generate(sql, 'wide_rows', report, (name) => generateWide(sql, name))
  } finally {
    await sql.end()
  }
}

async function generate(
  sql: Sql,
  name: string,
  report: (line: string) => void,
  fill: (name: string) => Promise<void>,
): Promise<void> {
  const [found] = await sql`select to_regclass(${name}) as name`
  if (found?.['name'] !== null) return
  report(`generating ${name}`)
  // A run that is ended meanwhile leaves no table that looks whole.
  await fill(`${name}_part`)
  await sql.unsafe(`vacuum analyze ${name}_part`)
  await sql.unsafe(`alter table ${name}_part rename to ${name}`)
}

async function generateRows(sql: Sql, name: string, size: number): Promise<void> {
  await sql.unsafe(`drop table if exists ${name}`)
  await sql.unsafe(`create table ${name} as
    select n::int as id, timestamp '2020-01-01' + n * interval '10 seconds' as created_at, (n * 7919 % ${groups})::int as group_id,
      (n * 31 % 100000)::int as amount, 'R-' || n as reference, (array['open', 'paid', 'sent', 'closed'])[n % 4 + 1] as status,
      (array['Cairo', 'Amman', 'Riyadh', 'Oslo', 'Lima'])[n % 5 + 1] as city,
      case when n % 3 = 0 then 'Note ' || n % 1000 end as note, (n % 500)::int as weight, (n % 5)::int as priority
    from generate_series(1, ${size}::bigint) n`)
  await sql.unsafe(`alter table ${name} add primary key (id)`)
  await sql.unsafe(`create index on ${name} (created_at, id)`)
  await sql.unsafe(`create index on ${name} (group_id, created_at, id)`)
}

async function generateWide(sql: Sql, name: string): Promise<void> {
  const cells = wideNames.map((column, index) =>
    index % 2 === 0 ? `'text ' || n % ${index + 7} as ${column}` : `(n * ${index + 3} % 1000)::int as ${column}`,
  )
  await sql.unsafe(`drop table if exists ${name}`)
  await sql.unsafe(
    `create table ${name} as select n::int as id, ${cells.join(', ')} from generate_series(1, ${wideRows}::bigint) n`,
  )
  await sql.unsafe(`alter table ${name} add primary key (id)`)
}
