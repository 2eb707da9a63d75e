import type { ColumnType, ValueLabel } from './column-definition.ts'
import type { CompiledColumn } from './compiled-table.ts'
import type { AnyTableDefinition } from './definition.ts'
import { listColumns, type Source } from './source.ts'
import type { ValueKind } from './value-kind.ts'

const typeByKind: Readonly<Record<ValueKind, ColumnType>> = {
  integer: 'number',
  decimal: 'number',
  text: 'text',
  enum: 'text',
  uuid: 'text',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'date',
  instant: 'date',
  json: 'text',
  array: 'datalist',
  other: 'text',
  unknown: 'text',
}

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

const reserved = new Set(['row', 'actions', '__proto__'])

/** The column of the row's buttons in a table that declares none. */
const actionsColumn = { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' } as const

/**
 * Returns the columns with one of the row's buttons at their end, where the table has row actions, other columns, and no such
 * column of its own. Its key is `row_actions` where `actions` is an attribute.
 */
export function withActionsColumn(
  table: AnyTableDefinition,
  columns: readonly CompiledColumn[],
  sources: ReadonlyMap<string, Source>,
): readonly CompiledColumn[] {
  const isDeclared = columns.some(({ type }) => type === 'actions')
  if (columns.length === 0 || isDeclared || table.actionsColumn === false) return columns
  const key = sources.has('actions') ? 'row_actions' : 'actions'
  return [...columns, { key, type: 'actions', definition: actionsColumn, source: undefined, datePattern: undefined }]
}

/** Returns the declared columns of a table in the author's order; faults in what the author wrote are reported, not thrown. */
export function compileColumns(
  table: AnyTableDefinition,
  sources: ReadonlyMap<string, Source>,
  report: (fault: string) => void,
): readonly CompiledColumn[] {
  return Object.entries(table.columns).map(([key, definition]) => {
    const virtual = 'value' in definition || 'load' in definition || definition.type === 'actions'
    const source = virtual ? undefined : sources.get(key)
    const type = definition.type ?? (source === undefined ? 'text' : typeByKind[source.kind])
    if (!virtual && source === undefined) report(noSource(table, key))
    if (virtual && sources.has(key)) report(`the column "${key}" hides the attribute of that name`)
    if (key === 'id' && table.key !== 'id')
      report('the column "id" must be the key, because every item\'s id is its key')
    if (reserved.has(key) && type !== 'actions')
      report(`the column key "${key}" is reserved for the actions of an item; rename the column`)
    const formatted = 'format' in definition && definition.format !== undefined
    if (key === 'id' && formatted) report('the column "id" cannot have a format, because every item\'s id is its key')
    if (source?.kind === 'unknown' && !formatted && definition.type === undefined)
      report(`the column "${key}" needs a type or a format, because only Postgres knows the type of a computed value`)
    if (definition.collation !== undefined && source?.kind !== 'text' && source?.kind !== 'unknown')
      report(`the column "${key}" has a collation, and its values are no texts`)
    const strange = source === undefined ? [] : strangeValues(definition, source)
    if (strange.length > 0) report(`the column "${key}" has labels for ${strange.join(', ')}, which its enum lacks`)
    if (source !== undefined && type !== 'actions' && !formatted && !canShow(type, source)) {
      report(`the ${type} column "${key}" cannot show ${source.sqlType || source.kind} values without a format`)
    }
    if (definition.search !== undefined && !isSearchable(source))
      report(`the column "${key}" cannot be searched, because only texts can; name a computed source that is one`)
    if (definition.search !== undefined && formatted)
      report(
        `the column "${key}" cannot be searched, because its format may hide what it holds; name a computed source`,
      )
    const datePattern =
      type === 'date' && !formatted && source !== undefined ? cellPattern(key, definition, source, report) : undefined
    const shown = type === 'datalist' && !formatted && source?.kind === 'unknown' ? asJson(source) : source
    return { key, type, definition, source: shown, datePattern }
  })
}

/** Whether a column can show a source without a `format`. An object of a list has no text. */
const canShow = (type: Exclude<ColumnType, 'actions'>, { kind, sqlType }: Source): boolean =>
  kindsByType[type].includes(kind) && !/^jsonb?\[/.test(sqlType)

/** Returns a computed list as JSON: its driver knows no lists of types that only Postgres knows. */
const asJson = (source: Source): Source => ({
  ...source,
  expression: (statement) => `to_json(${source.expression(statement)})`,
})

/** Returns whether the database holds texts in a source. What a computed one holds is left to its author. */
const isSearchable = (source: Source | undefined): boolean => source?.kind === 'text' || source?.kind === 'unknown'

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

function cellPattern(
  key: string,
  definition: AnyTableDefinition['columns'][string],
  source: Source,
  report: (fault: string) => void,
): string | undefined {
  const pattern = findDatePattern(definition, source)
  const text = toCharPattern(pattern)
  if (text === undefined)
    report(`the date column "${key}" has the pattern "${pattern}", which is not made of yyyy MM dd HH mm ss`)
  return text
}

/** The pattern of a date column's cells, as the structure tells it to clients. */
export const findDatePattern = (
  definition: AnyTableDefinition['columns'][string],
  source: Source | undefined,
): string =>
  ('pattern' in definition && definition.pattern) || (source?.kind === 'date' ? 'yyyy-MM-dd' : 'yyyy-MM-dd HH:mm')

/** Returns the `values` of a text column, in the author's order; none for any other column. */
export const textColumnValues = (
  definition: AnyTableDefinition['columns'][string],
): Readonly<Record<string, ValueLabel>> =>
  (definition.type === 'text' || definition.type === undefined) && 'values' in definition
    ? (definition.values ?? {})
    : {}

const tokens: Readonly<Record<string, string>> = { yyyy: 'YYYY', MM: 'MM', dd: 'DD', HH: 'HH24', mm: 'MI', ss: 'SS' }

const pattern = /^(yyyy|MM|dd|HH|mm|ss|[ ./:,-])+$/

/** The `to_char` template of a date pattern, or `undefined` for a pattern with anything but yyyy MM dd HH mm ss and separators. */
const toCharPattern = (text: string): string | undefined =>
  pattern.test(text) ? text.replace(/yyyy|MM|dd|HH|mm|ss/g, (token) => tokens[token] ?? token) : undefined
