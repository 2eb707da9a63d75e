import type { PgTable } from 'drizzle-orm/pg-core'
import { createStatement } from '../db/statement.ts'
import { languages, translate } from '../i18n/language.ts'
import { type ColumnType, isFormatted } from './column-definition.ts'
import { isVirtual } from './compile-columns.ts'
import type { CompiledColumn } from './compiled-table.ts'
import type { AnyTableDefinition, ReportFault } from './definition.ts'
import { callsWindowFunction } from './expression-reads.ts'
import { headerText, roundTripName } from './file-header.ts'
import { readsWholeRows } from './reads-whole-rows.ts'
import { isUnique, listColumns, type Source } from './source.ts'
import type { Relations } from './sources.ts'
import { tableName } from './table-facts.ts'
import { isTemporal, type ValueKind } from './value-kind.ts'

const temporal: readonly ValueKind[] = ['date', 'timestamp', 'instant', 'unknown']

/** The kinds of value that a type of column can show without a `format` of its own. */
const kindsByType: Readonly<Record<Exclude<ColumnType, 'actions'>, readonly ValueKind[]>> = {
  text: ['integer', 'decimal', 'text', 'enum', 'uuid', 'other', 'unknown'],
  text_truncate: ['text', 'enum', 'uuid', 'other', 'unknown'],
  number: ['integer', 'decimal', 'unknown'],
  date: temporal,
  link: ['text', 'enum', 'uuid', 'unknown'],
  boolean: ['boolean', 'unknown'],
  html: ['text', 'unknown'],
  datalist: ['array', 'unknown'],
  image: ['text', 'unknown'],
  barcode: ['integer', 'text', 'enum', 'uuid', 'other', 'unknown'],
}

const reserved = new Set(['row', 'actions', '_raw', '_version', '_matches', '__proto__'])

/**
 * Reports columns that cannot show what they are declared for. Bundles leave it out: functions are only bundled with
 * tables that pass it.
 */
export function checkColumns(
  table: AnyTableDefinition,
  columns: readonly CompiledColumn[],
  sources: ReadonlyMap<string, Source>,
  report: ReportFault,
): void {
  for (const { key, kind, expression } of sources.values())
    if (kind === 'unknown' && callsWindowFunction(expression(createStatement())))
      report(
        `the computed "${key}" calls a window function, whose value depends on the rows that a request selects; use a view or a subquery`,
      )
  checkWidth(
    columns,
    Object.keys(listColumns(table.from)),
    readsWholeRows(Object.values(table.columns), Object.values(table.rowActions ?? {})),
    report,
  )
  for (const column of columns) {
    if (isVirtual(column.definition) && sources.has(column.key))
      report(`the column "${column.key}" hides the attribute of that name`)
    checkKey(table, column, report)
    if (column.source === undefined) {
      if (!isVirtual(column.definition)) report(noSource(table, column.key))
    } else checkValues(column, column.source, report)
    checkSearch(column, report)
  }
}

function checkKey(table: AnyTableDefinition, column: CompiledColumn, report: ReportFault): void {
  const { key, type } = column
  if (key === 'id' && table.key !== 'id') report('the column "id" must be the key, because every item\'s id is its key')
  if (key === 'id' && isFormatted(column.definition))
    report('the column "id" cannot have a format, because every item\'s id is its key')
  if (reserved.has(key) && type !== 'actions')
    report(`the column key "${key}" is reserved for a part of items; rename the attribute of the drizzle table`)
}

/** Reports what a column declares that the values of its source do not have. */
function checkValues(column: CompiledColumn, source: Source, report: ReportFault): void {
  const { key, type, definition } = column
  const showsValues = !isFormatted(column.definition)
  if (showsValues && source.kind === 'unknown' && definition.type === undefined)
    report(`the column "${key}" needs a type or a format, because only Postgres knows the type of a computed value`)
  if (showsValues && type !== 'actions' && !canShow(type, source))
    report(`the ${type} column "${key}" cannot show ${source.sqlType || source.kind} values without a format`)
  const strange = strangeValues(definition, source)
  if (strange.length > 0) report(`the column "${key}" has labels for ${strange.join(', ')}, which its enum lacks`)
}

function checkSearch(column: CompiledColumn, report: ReportFault): void {
  const { key, definition, source } = column
  if (definition.collation !== undefined && !holdsTexts(source))
    report(`the column "${key}" has a collation, and its values are no texts`)
  if (definition.search === undefined) return
  if (!holdsTexts(source))
    report(`the column "${key}" cannot be searched, because only texts can; name a computed source that is one`)
  if (isFormatted(column.definition))
    report(`the column "${key}" cannot be searched, because its format may hide what it holds; name a computed source`)
}

/** Reports labels by which a file of edited cells cannot tell columns apart. */
export function checkLabels(columns: readonly CompiledColumn[], report: ReportFault): void {
  const isEditable = ({ definition }: CompiledColumn) => definition.editable !== undefined
  if (!columns.some(isEditable)) return
  // A caller may have one of two columns with a loadIf.
  const shown = columns.filter(({ definition }) => definition.loadIf === undefined)
  const faults = languages.flatMap((language) =>
    [...Map.groupBy(shown, ({ definition }) => headerText(translate(definition.label, language)))].flatMap(
      ([label, alike]) => {
        const names = alike.map(({ key }) => `"${key}"`).join(' and ')
        if (label === roundTripName)
          return [`the label "${label}" of ${names} is that of a hidden column of exported files`]
        return alike.length > 1 && alike.some(isEditable)
          ? [`${names} have the label "${label}", by which a file of edited cells cannot tell them apart`]
          : []
      },
    ),
  )
  for (const fault of new Set(faults)) report(`${fault}; use another label`)
}

/** Whether a column can show a source without a `format`. An object of a list has no text. */
const canShow = (type: Exclude<ColumnType, 'actions'>, { kind, sqlType }: Source): boolean =>
  kindsByType[type].includes(kind) && !/^jsonb?\[/.test(sqlType)

/** Returns whether the database holds texts in a source. What a computed one holds is left to its author. */
const holdsTexts = (source: Source | undefined): boolean => source?.kind === 'text' || source?.kind === 'unknown'

function noSource({ from }: AnyTableDefinition, key: string): string {
  const attribute = listColumns(from)[key]
  if (attribute === undefined) return `the column "${key}" has no source of that name`
  return `the column "${key}" cannot show ${attribute.getSQLType()} values; name a computed source that casts them to text`
}

const strangeValues = (
  definition: AnyTableDefinition['columns'][string],
  { declaredValues }: Source,
): readonly string[] =>
  declaredValues === undefined || !('values' in definition)
    ? []
    : Object.keys(definition.values ?? {}).filter((value) => !declaredValues.includes(value))

/** Postgres returns no more, of which sorts and the total take some. */
const maxFields = 1_600

/**
 * Reports more columns than a statement returns. A date is read once for its cell, and once for functions that get the
 * row.
 */
function checkWidth(
  columns: readonly CompiledColumn[],
  attributes: readonly string[],
  readsWholeRows: boolean,
  report: ReportFault,
): void {
  const cells = columns.flatMap(({ source, datePattern = '' }) => (source ? `${datePattern} ${source.key}` : []))
  const shown = columns.flatMap(({ source }) => source ?? [])
  const row = readsWholeRows ? [...attributes, ...shown.map(({ key }) => key)].map((key) => ` ${key}`) : []
  const count = new Set([...cells, ...row]).size
  if (count > maxFields)
    report(`its pages read ${count} fields of each row, and ${maxFields} is the most; show fewer columns`)
}

/** Reports relations that cannot be joined: those of a wrong name, of attributes that do not exist, or of many rows. */
export function checkBranches({ from, relations = {} }: AnyTableDefinition, report: ReportFault): void {
  const check = (table: PgTable, some: Relations, path: string): void => {
    for (const [name, { table: related, on, relations: nested = {} }] of Object.entries(some)) {
      const fault = (text: string) => report(`the relation "${path}${name}" ${text}`)
      if (name.includes('__')) fault('must not contain "__"')
      if (path + name === tableName(from)) fault('must not be named like the table it belongs to')
      for (const [attribute, target] of Object.entries(on))
        if (listColumns(table)[attribute] === undefined || listColumns(related)[target] === undefined)
          fault(`joins ${attribute} to ${target}, and one of them does not exist`)
      const targets = Object.values(on)
      if (!isUnique(related, targets))
        fault(`would multiply rows, because ${targets.join(', ') || 'nothing'} is not unique`)
      check(related, nested, `${path}${name}__`)
    }
  }
  check(from, relations, '')
}

/** Reports relations that join what Postgres cannot compare, and those whose names it would cut to one. */
export function checkRelations(
  { from, relations = {} }: AnyTableDefinition,
  sources: ReadonlyMap<string, Source>,
  report: ReportFault,
): void {
  checkJoins(relations, sources, report, '')
  const names = new Map([[cutName(tableName(from)), tableName(from)]])
  for (const name of listPaths(relations, '')) {
    const other = names.get(cutName(name))
    if (other !== undefined)
      report(
        `Postgres cuts the names of the relations "${other}" and "${name}" to the same 63 bytes; give them shorter names`,
      )
    names.set(cutName(name), name)
  }
}

const cutName = (name: string): string => Buffer.from(name).subarray(0, 63).toString('latin1')

const listPaths = (relations: Relations, path: string): readonly string[] =>
  Object.entries(relations).flatMap(([name, { relations: nested = {} }]) => [
    path + name,
    ...listPaths(nested, `${path}${name}__`),
  ])

/** `path` is that of the relation to which these belong. */
function checkJoins(
  relations: Relations,
  sources: ReadonlyMap<string, Source>,
  report: ReportFault,
  path: string,
): void {
  for (const [name, { on, relations: nested = {} }] of Object.entries(relations)) {
    const below = `${path}${name}__`
    for (const [attribute, target] of Object.entries(on)) {
      const left = sources.get(path + attribute)
      const right = sources.get(below + target)
      const fault = left !== undefined && right !== undefined && findJoinFault(left, right)
      if (fault)
        report(`the relation "${path}${name}" joins ${attribute} to ${target}, and ${fault}; give both one type`)
    }
    checkJoins(nested, sources, report, below)
  }
}

const isNumeric = ({ kind }: Source): boolean => kind === 'integer' || kind === 'decimal'

const isFloat = ({ sqlType }: Source): boolean => /^(real|double)/.test(sqlType)

/** Tells why Postgres finds no equality of the values of two sources, or a wrong one. JSON has none. */
function findJoinFault(left: Source, right: Source): string | undefined {
  if (isNumeric(left) && isNumeric(right))
    return isFloat(left) === isFloat(right) ? undefined : 'two different numbers may be equal as double precision'
  const isComparable =
    (left.kind === right.kind || (isTemporal(left.kind) && isTemporal(right.kind))) &&
    left.kind !== 'json' &&
    (!['enum', 'array', 'other'].includes(left.kind) || comparedType(left) === comparedType(right))
  return isComparable ? undefined : `Postgres compares no ${left.sqlType} with ${right.sqlType}`
}

/** The type of an enum, of a list or of values without a kind, by which Postgres compares it. */
const comparedType = ({ kind, sqlType }: Source): string =>
  kind === 'other'
    ? sqlType
        .replace(/^cidr/, 'inet')
        .replace(/^varbit/, 'bit')
        .replace(/^(\w+).*/, '$1')
    : sqlType.replace(/\(.*?\)/, '').replace(/\[\d+\]/g, '[]')
