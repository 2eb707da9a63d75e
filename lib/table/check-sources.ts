import { Column, getTableName, is, Name, type SQL, StringChunk, Subquery, Table } from 'drizzle-orm'
import { createStatement, renderSql } from '../db/statement.ts'
import { isSharedTimeZone } from '../i18n/time-zone.ts'
import type { AnyTableDefinition, ReportFault } from './definition.ts'
import { expressionParts } from './expression-reads.ts'
import type { Source } from './source.ts'
import { originalName, tableName } from './table-facts.ts'

/**
 * Reports settings of a table that are out of range. Bundles leave this file out: functions are only bundled with
 * tables that pass it.
 */
export function checkSettings(definition: AnyTableDefinition, report: ReportFault): void {
  const { name, maxPerPage = 100, maxOffset = 0, count, timeZone = 'UTC' } = definition
  if (!/^[\p{L}\p{N}_.-]+$/u.test(name) || /^\.+$/.test(name))
    report('its name may hold letters, digits, "_", "-" and "." only')
  if (!Number.isInteger(maxPerPage) || maxPerPage < 100 || maxPerPage > 1000)
    report('maxPerPage must be from 100 to 1,000')
  if (tableName(definition.from) !== originalName(definition.from))
    report(`"${tableName(definition.from)}" is an alias; name the table itself as from`)
  if (!Number.isInteger(maxOffset) || maxOffset < 0) report('maxOffset must be 0 or more')
  if (typeof count === 'object' && 'capped' in count && (!Number.isInteger(count.capped) || count.capped < 1))
    report('a capped count needs a cap of 1 or more')
  if (typeof definition.scope !== 'function') report('it has no scope; write everyRow where there is no restriction')
  if (!isSharedTimeZone(timeZone))
    report(
      `"${timeZone}" is not an IANA time zone in full, such as "Asia/Riyadh"; abbreviations and offsets are not accepted`,
    )
}

/** Reports sorts by what has no order, or none that lasts from one page to the next. */
export function checkSortables(
  definition: AnyTableDefinition,
  sortables: Iterable<string>,
  sources: ReadonlyMap<string, Source>,
  report: ReportFault,
): void {
  for (const key of sortables) {
    const source = sources.get(key)
    if (source === undefined || !Object.hasOwn(definition.columns, key))
      report(`the sortable "${key}" is not a column with a source`)
    else checkOrder(`the sortable "${key}"`, source, definition, report)
  }
  const [sortKey] = definition.defaultSort ?? []
  const source = sources.get(sortKey ?? '')
  if (source !== undefined) checkOrder(`the default sort "${sortKey}"`, source, definition, report)
}

function checkOrder(
  name: string,
  { key, kind, sqlType }: Source,
  { computed = {} }: AnyTableDefinition,
  report: ReportFault,
): void {
  const expression = new Map(Object.entries(computed)).get(key)
  const text = expression === undefined ? '' : plainText(expression)
  if (kind === 'json' || sqlType === 'json[]') report(`${name} is JSON, which has no order`)
  if (endsInJson.test(text))
    report(`${name} is JSON, and pages sorted by it would leave out rows; read a text by ->> instead of ->, or cast it`)
  if (isMoving(text))
    report(`${name} moves with the clock, and pages sorted by it would leave out rows; sort by the date that it reads`)
}

/** Returns the text of an expression without its constants and comments. */
const plainText = (expression: SQL): string =>
  renderSql(createStatement(), expression).replace(/'(?:[^']|'')*'|--[^\n]*/g, "''")

/** The value of a JSON key, a cast to JSON, or a function that makes JSON. */
const endsInJson =
  /(?:[-#]>\s*(?:''|\d+|\$\d+|"\w+"|\w+)|::\s*jsonb?)\s*\)*\s*$|^\s*\(?\s*(?:to_jsonb?|jsonb?_\w+)\s*\([^()]*\)\s*\)?\s*$/i

/**
 * Whether a value differs from one moment to the next. A comparison with the clock rarely does, and a day does once a
 * day.
 */
const isMoving = (text: string): boolean =>
  /\b(?:random|gen_random_uuid|uuidv[47])\s*\(/i.test(text) ||
  (/\b(?:(?:now|(?:clock|statement|transaction)_timestamp|timeofday)\s*\(|current_time(?:stamp)?\b|localtime(?:stamp)?\b)/i.test(
    text,
  ) &&
    !/[<=]|(?<![-#>])>|\bbetween\b|\bdate_trunc\b|::\s*date\b|\bas\s+date\b/i.test(text))

/** Reports computed expressions that name a column of a table that is neither the table's own nor in the expression. */
export function checkComputed({ from, computed = {} }: AnyTableDefinition, report: ReportFault): void {
  for (const [key, expression] of Object.entries(computed)) {
    const parts = expressionParts(expression)
    const texts = parts.flatMap(collectTexts)
    for (const column of parts) {
      if (!is(column, Column)) continue
      const table = getTableName(column.table)
      if (table === getTableName(from) || texts.some((text) => text.includes(table))) continue
      report(`the computed "${key}" names ${table}.${column.name}; use a relation column or a subquery`)
    }
  }
}

/** The texts in which a table's name makes its columns known: its own name, an alias, or a name written by hand. */
function collectTexts(part: unknown): readonly string[] {
  if (is(part, Table)) return [getTableName(part)]
  if (is(part, Subquery)) return [part._.alias]
  if (is(part, Name)) return [part.value]
  return is(part, StringChunk) ? part.value : []
}
