import { is, SQL, sql } from 'drizzle-orm'
import { PgArray, PgColumn, type PgEnumColumn, type PgTable } from 'drizzle-orm/pg-core'
import { createStatement, quoteName, renderSql, type Statement } from '../db/statement.ts'
import type { AnyTableDefinition } from './definition.ts'
import { type ExpressionReads, expressionParts, expressionReads } from './expression-reads.ts'
import type { Relation, Relations } from './sources.ts'
import { originalName, schemaName, tableName, uniqueKeys } from './table-facts.ts'
import { kindOfType, shortTypeName, type ValueKind } from './value-kind.ts'

/** A join that a statement makes only where one of its parts needs it. */
export interface Join {
  readonly alias: string
  readonly text: string
  readonly parent: Join | undefined
  /** The joined table and its alias in a FROM clause. */
  readonly table: string
  /** The expressions that are equal: of the joined table, and of the one that it belongs to. */
  readonly pairs: readonly (readonly [related: string, local: string])[]
}

/** The origin of a key's value: an attribute of the table, of a relation, or a computed expression. */
export interface Source {
  readonly key: string
  readonly kind: ValueKind
  /** Its type is none that the service can show: only an author's functions get its values. */
  readonly isHidden?: boolean
  /**
   * The Postgres type as a cast names it: an enum quoted and with its schema. For a computed expression the empty text.
   */
  readonly sqlType: string
  readonly nullable: boolean
  /** Whether its values are moments of no time zone. The decoder of a computed expression tells it. */
  readonly isInstant: boolean
  readonly join: Join | undefined
  readonly enumValues: readonly string[] | undefined
  /** The values that drizzle's types declare, whether or not Postgres checks them. */
  readonly declaredValues: readonly string[] | undefined
  readonly expression: (statement: Statement) => string
  /** Equal for keys that hold the same value of the same row, such as a foreign key and the key that it refers to. */
  readonly value: string | SQL
  /** The names by which a computed expression may read it. */
  readonly names: readonly string[]
  /**
   * The names and values that a computed expression or a generated attribute reads; `undefined` for other attributes.
   */
  readonly reads: { readonly names: ExpressionReads; readonly values: ReadonlySet<string | SQL> } | undefined
  /** Converts a value of the driver to the type that drizzle declares, for an author's functions. */
  readonly decode: (value: unknown) => unknown
}

/** The table's name as statements write it, also where it has an alias. */
export const tableText = (table: PgTable): string => {
  const schema = schemaName(table)
  const name = quoteName(originalName(table))
  return schema === undefined ? name : `${quoteName(schema)}.${name}`
}

/** The sources of a table. */
interface TableSources {
  /** Those of types that the service can show, by their keys: any other is an unknown key. */
  readonly sources: ReadonlyMap<string, Source>
  /** The attributes of the table itself, of all types but those whose values are large. */
  readonly attributes: readonly Source[]
}

/** The types of `LargeAttribute`, and those of texts for searches, which the compiler does not know. */
const isLarge = /^(bytea|vector|halfvec|sparsevec|tsvector)\b/

/** Finds every key of a table. */
export function compileSources(definition: AnyTableDefinition): TableSources {
  const sources = new Map<string, Source>()
  const add = (source: Source) => {
    if (source.isHidden) return
    if (sources.has(source.key)) throw new Error(`${definition.name}: the key "${source.key}" has two sources`)
    sources.set(source.key, source)
  }
  const identify = (column: string) => column
  const trunk: Branch = {
    table: definition.from,
    owner: tableText(definition.from),
    path: '',
    join: undefined,
    identify,
  }
  const attributes = listAttributes(trunk)
  for (const source of attributes) add(source)
  for (const source of relationSources(definition.relations ?? {}, trunk, [trunk])) add(source)
  for (const [key, expression] of Object.entries(definition.computed ?? {}))
    add(createComputedSource(tableName(definition.from), key, expression))
  return { sources, attributes: attributes.filter(({ sqlType }) => !isLarge.test(sqlType)) }
}

function listAttributes(branch: Branch): readonly Source[] {
  const { table, owner, path, join, identify } = branch
  return Object.entries(listColumns(table)).map(([attribute, column]) => {
    const sqlType = typeName(column)
    const enumValues = findEnum(column)?.enumValues
    const kind = enumValues === undefined ? kindOfType(sqlType) : 'enum'
    const text = `${owner}.${quoteName(column.name)}`
    const nullable = join !== undefined || !column.notNull
    const decode = (value: unknown) => decodeValue(column, value)
    const declaredValues = column.enumValues?.length ? column.enumValues : undefined
    return {
      key: path + attribute,
      kind: kind ?? 'other',
      isHidden: !kind,
      sqlType,
      nullable,
      isInstant: kind === 'instant',
      join,
      enumValues,
      declaredValues,
      expression: () => text,
      value: identify(column.name),
      names: readableNames(column),
      reads: findGeneratedReads(branch, column),
      decode,
    }
  })
}

/** Returns the enum of a column, whose values a list or an object declares. Columns of other types have none. */
const findEnum = (column: PgColumn) => (column as Partial<Pick<PgEnumColumn<never>, 'enum'>>).enum

function typeName(column: PgColumn): string {
  if (is(column, PgArray)) return `${typeName(column.baseColumn as PgColumn)}[]`
  const declared = findEnum(column)
  if (declared === undefined)
    return shortTypeName(column.getSQLType())
      .replace(/^serial$/, 'integer')
      .replace(/serial$/, 'int')
  const { enumName, schema } = declared
  return schema === undefined ? quoteName(enumName) : `${quoteName(schema)}.${quoteName(enumName)}`
}

/** The names by which an expression may read a column. */
function readableNames({ table, name }: PgColumn): readonly string[] {
  const owner = originalName(table)
  return [`${owner}.${name}`, `?.${name}`, `${owner}.*`, '?.*']
}

/** Finds what an expression reads, by its text and by the columns and expressions that drizzle was given. */
function findReads(expression: SQL, table: string): NonNullable<Source['reads']> {
  const parts = expressionParts(expression)
  const columns = parts.flatMap((part) => (is(part, PgColumn) ? `${originalName(part.table)}.${part.name}` : []))
  return {
    names: new Set([...expressionReads(renderSql(createStatement(), expression), table), ...columns]),
    values: new Set(parts.filter((part) => is(part, SQL))),
  }
}

/** Finds what a generated attribute reads, which is always in its own row. */
function findGeneratedReads({ table, identify }: Branch, { generated }: PgColumn): Source['reads'] {
  if (generated === undefined) return undefined
  const made: unknown = typeof generated.as === 'function' ? generated.as() : generated.as
  const { names } = findReads(is(made, SQL) ? made : sql.raw(String(made)), tableName(table))
  const read = Object.values(listColumns(table)).filter((column) =>
    readableNames(column).some((name) => names.has(name)),
  )
  return { names: new Set(), values: new Set(read.map(({ name }) => identify(name))) }
}

/** drizzle's own mapping of a list breaks on its NULLs, so lists are mapped here. */
function decodeValue(column: PgColumn, value: unknown): unknown {
  if (value === null) return null
  if (is(column, PgArray) && Array.isArray(value))
    return value.map((entry) => decodeValue(column.baseColumn as PgColumn, entry))
  const odd = /^Pg(Date|Timestamp)$/.test(column.columnType) ? readOddDate(String(value)) : undefined
  return odd ?? column.mapFromDriverValue(value)
}

const maxMoment = 8.64e15

/** Reads what JavaScript takes for another date or for none: infinity as the furthest `Date`, and years before 100. */
function readOddDate(text: string): Date | undefined {
  if (text.endsWith('infinity')) return new Date(text.startsWith('-') ? -maxMoment : maxMoment)
  const [, digits = '', day, time = '00:00', before] =
    /^(\d+)(-\d\d-\d\d)(?: ([\d:.]+))?(?:\+00)?( BC)?$/.exec(text) ?? []
  if (before === undefined && !digits.startsWith('00')) return undefined
  const year = before === undefined ? Number(digits) : 1 - Number(digits)
  return new Date(`${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}${day}T${time}Z`)
}

/** A table on the way from the base table, and how statements name it. */
interface Branch {
  readonly table: PgTable
  readonly owner: string
  readonly path: string
  readonly join: Join | undefined
  /** Returns the identity of the value of a column, see `Source.value`. */
  readonly identify: (column: string) => string
}

/** The sources of relations; their branches join those that are known. */
function relationSources(relations: Relations, from: Branch, known: Branch[]): readonly Source[] {
  return Object.entries(relations).flatMap(([name, relation]) => {
    const branch = createBranch(from, name, relation, known)
    known.push(branch)
    return [...listAttributes(branch), ...relationSources(relation.relations ?? {}, branch, known)]
  })
}

function createBranch(from: Branch, name: string, { table, on }: Relation, known: readonly Branch[]): Branch {
  const alias = from.path + name
  const pairs = Object.entries(on).map(
    ([attribute, target]) => [columnName(from.table, attribute), columnName(table, target)] as const,
  )
  const joined = pairs.map(
    ([left, right]) => [`${quoteName(alias)}.${quoteName(right)}`, `${from.owner}.${quoteName(left)}`] as const,
  )
  const conditions = joined.map(([related, own]) => `${related} = ${own}`)
  const joinedTable = `${tableText(table)} ${quoteName(alias)}`
  const text = `left join ${joinedTable} on ${conditions.join(' and ')}`
  const path = `${alias}__`
  const locals = new Map(pairs.map(([left, right]) => [right, from.identify(left)]))
  const sameRow = known.find((branch) => isSameRow(branch, table, locals))
  const identify = (column: string): string => locals.get(column) ?? sameRow?.identify(column) ?? path + column
  const join: Join = { alias, parent: from.join, text, table: joinedTable, pairs: joined }
  return { table, owner: quoteName(alias), path, join, identify }
}

/** Returns the name that an attribute has in the database. `checkBranches` reports those that do not exist. */
const columnName = (table: PgTable, attribute: string): string => listColumns(table)[attribute]?.name ?? attribute

/**
 * Returns whether a branch already has the row that a relation joins: both use the same key, or the relation leads back
 * to where it came from.
 */
function isSameRow(branch: Branch, table: PgTable, joinedBy: ReadonlyMap<string, string>): boolean {
  if (tableText(branch.table) !== tableText(table)) return false
  const equal = Object.entries(listColumns(table)).filter(
    ([, { name }]) => joinedBy.has(name) && joinedBy.get(name) === branch.identify(name),
  )
  return isUnique(
    table,
    equal.map(([attribute]) => attribute),
  )
}

/**
 * The source of a computed expression. Its values reach an author's functions through its `mapWith`, where it has one.
 */
function createComputedSource(table: string, key: string, expression: SQL): Source {
  const decoder = findDecoder(expression)
  return {
    key,
    kind: 'unknown',
    sqlType: '',
    nullable: true,
    isInstant: is(decoder, PgColumn) && kindOfType(decoder.getSQLType()) === 'instant',
    join: undefined,
    enumValues: undefined,
    declaredValues: undefined,
    expression: (statement) => `(${renderSql(statement, expression)})`,
    value: expression,
    names: [],
    reads: findReads(expression, table),
    decode: (value) =>
      is(decoder, PgColumn) ? decodeValue(decoder, value) : value === null ? null : decoder.mapFromDriverValue(value),
  }
}

/** drizzle keeps what `mapWith` was given on the expression, though not in its types. */
const findDecoder = (expression: SQL) =>
  (expression as unknown as { readonly decoder: { readonly mapFromDriverValue: (value: unknown) => unknown } }).decoder

/**
 * The attributes of a drizzle table by the names that its author gave them. Its type lists no columns, but the object
 * has them.
 */
export const listColumns = (table: PgTable): Record<string, PgColumn> =>
  Object.fromEntries(
    Object.entries(table as unknown as Record<string, unknown>).flatMap(([name, column]) =>
      is(column, PgColumn) ? [[name, column]] : [],
    ),
  )

/** Whether these attributes together identify at most one row. */
export function isUnique(table: PgTable, attributeNames: readonly string[]): boolean {
  const columns = listColumns(table)
  const names = attributeNames.map((attribute) => columns[attribute]?.name)
  const covers = (keys: readonly string[]) => keys.length > 0 && keys.every((key) => names.includes(key))
  // Several primary columns are one key.
  const primary = Object.values(columns).flatMap((column) => (column.primary ? column.name : []))
  return (
    attributeNames.some((attribute) => columns[attribute]?.isUnique) || [primary, ...uniqueKeys(table)].some(covers)
  )
}
