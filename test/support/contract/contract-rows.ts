import { is } from 'drizzle-orm'
import { getTableConfig, PgArray, type PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import type { Sql } from 'postgres'
import { listColumns, tableText } from '../../../lib/table/source.ts'
import type { Relations } from '../../../lib/table/sources.ts'
import { uniqueValue, valuesFor } from './contract-values.ts'

/** Values of attributes that generated rows draw from, where only some mean something. */
export type ChosenValues = Readonly<Record<string, readonly unknown[]>>

interface FilledRow {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

const relatedRows = 12
const seed = 20_260_131

/**
 * Fills a table and all that it refers to, by foreign keys and by relations, the same in every run. Rows that a unique
 * index does not take are left out; a table that has rows already is left as it is.
 */
export async function fillTables(
  sql: Sql,
  { from, relations = {} }: { readonly from: PgTable; readonly relations?: Relations },
  { count, values }: { readonly count: number; readonly values: ChosenValues },
): Promise<void> {
  await fill(sql, { table: from, relations, count, values, filled: new Map() })
}

interface Filling {
  readonly table: PgTable
  readonly relations: Relations
  readonly count: number
  readonly values: ChosenValues
  readonly filled: Map<PgTable, FilledRow>
}

async function fill(sql: Sql, { table, relations, count, values, filled }: Filling): Promise<void> {
  if (filled.has(table)) return
  // A table that refers back to it finds no rows yet and uses what there is.
  filled.set(table, { rows: [] })
  const references = listReferences(table, relations)
  for (const { table: target, relations: nested } of references)
    await fill(sql, { table: target, relations: nested, count: relatedRows, values: {}, filled })
  const [present] = await sql.unsafe(`select from ${tableText(table)} limit 1`)
  if (present === undefined) {
    const rows = rowsFor(table, references, { count, values, filled })
    const names = Object.keys(rows[0] ?? {})
      .map((name) => `"${name.replaceAll('"', '""')}"`)
      .join(', ')
    await sql
      .unsafe(
        `insert into ${tableText(table)} (${names}) overriding system value
         select ${names} from json_populate_recordset(null::${tableText(table)}, $1::text::json) on conflict do nothing`,
        [JSON.stringify(rows)],
      )
      .catch((error: Error) => {
        const hint = 'name values that it takes in `values`, or put rows in by `fill`'
        throw new Error(`No rows could be made for ${tableText(table)} (${error.message}): ${hint}`, { cause: error })
      })
  }
  filled.set(table, { rows: await sql.unsafe(`select * from ${tableText(table)}`) })
}

interface Reference {
  readonly table: PgTable
  readonly relations: Relations
  /** Values by the names of the database's columns. */
  readonly pairs: readonly (readonly [own: string, target: string])[]
  /** Whether the database refuses a value that the other side does not have. */
  readonly enforced: boolean
}

function listReferences(table: PgTable, relations: Relations): readonly Reference[] {
  const own = listColumns(table)
  const byKey = getTableConfig(table).foreignKeys.map((key) => {
    const { columns, foreignColumns, foreignTable } = key.reference()
    const pairs = columns.map(({ name }, at) => [name, foreignColumns[at]?.name ?? ''] as const)
    return { table: foreignTable, relations: {}, pairs, enforced: true }
  })
  const byRelation = Object.values(relations).map((relation) => {
    const target = listColumns(relation.table)
    const pairs = Object.entries(relation.on).map(([a, b]) => [own[a]?.name ?? a, target[b]?.name ?? b] as const)
    return { table: relation.table, relations: relation.relations ?? {}, pairs, enforced: false }
  })
  return [...byRelation, ...byKey]
}

function rowsFor(
  table: PgTable,
  references: readonly Reference[],
  { count, values, filled }: Pick<Filling, 'count' | 'values' | 'filled'>,
): readonly Readonly<Record<string, unknown>>[] {
  const columns = Object.entries(listColumns(table)).filter(([, column]) => column.generated === undefined)
  const ownKeys = listKeys(table)
  const made = columns.flatMap(([attribute, column], place) => {
    const cells = cellsFor(attribute, column, ownKeys.has(column.name), { count, values, at: place })
    return cells === undefined ? [] : [[column, cells] as const]
  })
  return Array.from({ length: count }, (_, index) => {
    const row = Object.fromEntries(made.map(([column, cells]) => [column.name, cells[index]]))
    for (const reference of references) refer(row, reference, { table, index, filled, values })
    return row
  })
}

/** The columns that hold no value twice. */
function listKeys(table: PgTable): ReadonlySet<string> {
  const { columns, indexes } = getTableConfig(table)
  const byIndex = indexes.flatMap(({ config }) => (config.unique && config.columns.length === 1 ? config.columns : []))
  const named = byIndex.flatMap((column) => ('name' in column && typeof column.name === 'string' ? column.name : []))
  return new Set([...columns.filter(({ primary, isUnique }) => primary || isUnique).map(({ name }) => name), ...named])
}

function cellsFor(
  attribute: string,
  column: PgColumn,
  isKey: boolean,
  { count, values, at }: { readonly count: number; readonly values: ChosenValues; readonly at: number },
): readonly unknown[] | undefined {
  const sqlType = column.getSQLType()
  const base = is(column, PgArray) ? (column.baseColumn as PgColumn) : column
  const type = { sqlType, enumValues: base.enumValues }
  const chosen = values[attribute]
  if (isKey && chosen === undefined) return Array.from({ length: count }, (_, index) => uniqueValue(type, index))
  const some = chosen === undefined ? valuesFor(type) : fc.constantFrom(...chosen)
  if (some === undefined) return column.notNull ? undefined : Array.from({ length: count }, () => null)
  const mayBeNull = chosen === undefined && !column.notNull
  return fc.sample(mayBeNull ? fc.option(some, { freq: 5 }) : some, { numRuns: count, seed: seed + at })
}

interface Referring {
  readonly table: PgTable
  readonly index: number
  readonly filled: ReadonlyMap<PgTable, FilledRow>
  readonly values: ChosenValues
}

/** Points a row at one of the other table, and every sixth at none, where the database lets it. */
function refer(row: Record<string, unknown>, { table: target, pairs, enforced }: Reference, from: Referring): void {
  const others = from.filled.get(target)?.rows ?? []
  const isFree = pairs.every(
    ([own]) => !Object.values(listColumns(from.table)).some(({ name, notNull }) => name === own && notNull),
  )
  if (pairs.some(([own]) => Object.hasOwn(from.values, own))) return
  const other = others[(from.index * 7) % Math.max(1, others.length)]
  const none = other === undefined || (isFree && from.index % 6 === 5)
  for (const [own, column] of pairs) {
    if (!none) row[own] = other[column]
    else if (isFree) row[own] = null
    else if (enforced && target === from.table) row[own] = row[column]
  }
}
