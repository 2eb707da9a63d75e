import type { PgTable } from 'drizzle-orm/pg-core'
import type { Sql } from 'postgres'
import { createStatement, quoteName, renderSql } from '../../../lib/db/statement.ts'
import type { AnyTableDefinition } from '../../../lib/table/definition.ts'
import { listColumns, tableText } from '../../../lib/table/source.ts'
import type { Relations } from '../../../lib/table/sources.ts'
import { kindOfType, type ValueKind } from '../../../lib/table/value-kind.ts'
import type { OracleValue } from '../oracle/oracle-values.ts'

/** A value of a row: as a text of Postgres, and in a form in which JavaScript's comparisons say what SQL should say. */
export interface ContractValue {
  readonly text: string | null
  readonly value: OracleValue
}

/** A row as it is in the database, read without any of the service. */
export interface ContractRow {
  /** The key as text, as items have it. */
  readonly id: string
  /** Cells by source key: attributes, attributes of relations, computed keys. */
  readonly cells: ReadonlyMap<string, ContractValue>
  /** The attributes of the table itself, for a predicate of an author. */
  readonly own: Readonly<Record<string, OracleValue>>
}

export interface ContractData {
  readonly rows: readonly ContractRow[]
  readonly kinds: ReadonlyMap<string, ValueKind>
}

/** Every row with all that the table can show of it; relations are looked up here, not joined. */
export async function readContractData(sql: Sql, definition: AnyTableDefinition): Promise<ContractData> {
  const kinds = new Map<string, ValueKind>()
  const tables = new Map<PgTable, readonly TextRow[]>()
  const read = async (table: PgTable) => {
    const rows = tables.get(table) ?? (await readTexts(sql, table))
    tables.set(table, rows)
    return rows
  }
  const computed = await readComputed(sql, definition)
  const base = await read(definition.from)
  for (const relation of allRelations(definition.relations ?? {})) await read(relation.table)
  const rows = base.map((texts) => {
    const cells = new Map<string, ContractValue>()
    const branch = { table: definition.from, texts, path: '', relations: definition.relations ?? {} }
    addBranch(branch, { cells, kinds, tables })
    const id = texts.get(definition.key) ?? ''
    const own = Object.fromEntries([...cells].flatMap(([key, { value }]) => (texts.has(key) ? [[key, value]] : [])))
    for (const [key, { kind, byId }] of computed) {
      kinds.set(key, kind)
      cells.set(key, valueOfText(kind, byId.get(id) ?? null, undefined))
    }
    return { id, cells, own }
  })
  return { rows, kinds }
}

type TextRow = ReadonlyMap<string, string | null>

const allRelations = (relations: Relations): readonly Relations[string][] =>
  Object.values(relations).flatMap((relation) => [relation, ...allRelations(relation.relations ?? {})])

async function readTexts(sql: Sql, table: PgTable): Promise<readonly TextRow[]> {
  const columns = Object.entries(listColumns(table))
  const selected = columns.map(([, { name }]) => `${quoteName(name)}::text`).join(', ')
  const rows = await sql.unsafe(`select ${selected} from ${tableText(table)}`).values()
  return rows.map((row: unknown[]) => new Map(columns.map(([attribute], at) => [attribute, row[at] as string | null])))
}

async function readComputed(sql: Sql, { from, key, computed = {} }: AnyTableDefinition) {
  const keyName = quoteName(listColumns(from)[key]?.name ?? key)
  const read = new Map<string, { readonly kind: ValueKind; readonly byId: ReadonlyMap<string, string | null> }>()
  for (const [name, expression] of Object.entries(computed)) {
    const statement = createStatement()
    const text = renderSql(statement, expression)
    const rows = await sql.unsafe<{ id: string; value: string | null; type: string }[]>(
      `select ${tableText(from)}.${keyName}::text as id, (${text})::text as value, pg_typeof((${text}))::text as type from ${tableText(from)}`,
      statement.parameters,
    )
    const kind = kindOfType((rows[0]?.type ?? 'text').replace('character varying', 'varchar')) ?? 'unknown'
    read.set(name, { kind, byId: new Map(rows.map(({ id, value }) => [id, value])) })
  }
  return read
}

interface Branch {
  readonly table: PgTable
  readonly texts: TextRow | undefined
  readonly path: string
  readonly relations: Relations
}

interface CollectedRows {
  readonly cells: Map<string, ContractValue>
  readonly kinds: Map<string, ValueKind>
  readonly tables: ReadonlyMap<PgTable, readonly TextRow[]>
}

function addBranch({ table, texts, path, relations }: Branch, into: CollectedRows): void {
  for (const [attribute, column] of Object.entries(listColumns(table))) {
    const sqlType = column.getSQLType()
    const enumValues = column.columnType.startsWith('PgEnum') ? column.enumValues : undefined
    const kind = enumValues === undefined ? kindOfType(sqlType) : 'enum'
    if (kind === undefined) continue
    into.kinds.set(path + attribute, kind)
    into.cells.set(path + attribute, valueOfText(kind, texts?.get(attribute) ?? null, enumValues))
  }
  for (const [name, relation] of Object.entries(relations)) {
    const other = into.tables.get(relation.table)?.find((candidate) =>
      Object.entries(relation.on).every(([own, target]) => {
        const value = texts?.get(own) ?? null
        return value !== null && value === candidate.get(target)
      }),
    )
    addBranch(
      { table: relation.table, texts: other, path: `${path}${name}__`, relations: relation.relations ?? {} },
      into,
    )
  }
}

function valueOfText(kind: ValueKind, text: string | null, enumValues: readonly string[] | undefined): ContractValue {
  if (text === null) return { text, value: null }
  if (kind === 'integer') return { text, value: Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text) }
  if (kind === 'decimal') return { text, value: Number(text) }
  if (kind === 'boolean') return { text, value: text === 'true' }
  if (kind === 'enum') return { text, value: enumValues?.indexOf(text) ?? -1 }
  if (kind === 'date' || kind === 'timestamp' || kind === 'instant') return { text, value: clockOfText(text) }
  return { text, value: text }
}

/** `YYYY-MM-DD HH:mm:ss.SSS`, in UTC where it is an instant. */
function clockOfText(text: string): string {
  const [, day = '', time = '00:00:00', fraction = ''] = /^(\S+?)(?: (\d\d:\d\d:\d\d)(?:\.(\d+))?.*)?$/.exec(text) ?? []
  return `${day} ${time}.${fraction.slice(0, 3).padEnd(3, '0')}`
}
