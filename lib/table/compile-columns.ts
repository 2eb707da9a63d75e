import { type ColumnType, isFormatted, type ValueLabel } from './column-definition.ts'
import type { CompiledColumn } from './compiled-table.ts'
import type { AnyTableDefinition, ReportFault } from './definition.ts'
import type { Source } from './source.ts'
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

/** The column of the row's buttons in a table that declares none. */
const actionsColumn = { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' } as const

/**
 * Returns the columns with one of the row's buttons at their end, where the table has row actions, other columns, and
 * no such column of its own. Its key is `row_actions` where `actions` is an attribute.
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

/**
 * Returns the declared columns of a table in the author's order; faults in what the author wrote are reported, not
 * thrown.
 */
export function compileColumns(
  table: AnyTableDefinition,
  sources: ReadonlyMap<string, Source>,
  report: ReportFault,
): readonly CompiledColumn[] {
  return Object.entries(table.columns).map(([key, definition]) => {
    const source = isVirtual(definition) ? undefined : sources.get(key)
    const type = definition.type ?? (source === undefined ? 'text' : typeByKind[source.kind])
    const formatted = isFormatted(definition)
    const datePattern =
      type === 'date' && !formatted && source !== undefined ? cellPattern(key, definition, source, report) : undefined
    const shown = type === 'datalist' && !formatted && source?.kind === 'unknown' ? asJson(source) : source
    return { key, type, definition, source: shown, datePattern }
  })
}

/** Returns whether a column has no source: its cells are computed, loaded, or the row's actions. */
export const isVirtual = (definition: CompiledColumn['definition']): boolean =>
  'value' in definition || 'load' in definition || definition.type === 'actions'

/** Returns a computed list as JSON: its driver knows no lists of types that only Postgres knows. */
const asJson = (source: Source): Source => ({
  ...source,
  expression: (statement) => `to_json(${source.expression(statement)})`,
})

function cellPattern(
  key: string,
  definition: AnyTableDefinition['columns'][string],
  source: Source,
  report: ReportFault,
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

/**
 * The `to_char` template of a date pattern, or `undefined` for a pattern with anything but yyyy MM dd HH mm ss and
 * separators.
 */
const toCharPattern = (text: string): string | undefined =>
  pattern.test(text) ? text.replace(/yyyy|MM|dd|HH|mm|ss/g, (token) => tokens[token] ?? token) : undefined
