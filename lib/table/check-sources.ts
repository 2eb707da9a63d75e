import { Column, getTableName, is, Name, StringChunk, Subquery, Table } from 'drizzle-orm'
import { isSharedTimeZone } from '../i18n/time-zone.ts'
import type { AnyTableDefinition } from './definition.ts'
import { expressionParts } from './expression-reads.ts'
import type { Source } from './source.ts'

/** Reports settings of a table that are out of range. Bundles leave this file out: functions are only bundled with tables that pass it. */
export function checkSettings(definition: AnyTableDefinition, report: (fault: string) => void): void {
  const { name, maxPerPage = 100, maxOffset = 0, count, timeZone = 'UTC' } = definition
  if (!/^[\p{L}\p{N}_.-]+$/u.test(name) || /^\.+$/.test(name))
    report('its name may hold letters, digits, "_", "-" and "." only')
  if (!Number.isInteger(maxPerPage) || maxPerPage < 100 || maxPerPage > 1000)
    report('maxPerPage must be from 100 to 1,000')
  if (!Number.isInteger(maxOffset) || maxOffset < 0) report('maxOffset must be 0 or more')
  if (typeof count === 'object' && 'capped' in count && (!Number.isInteger(count.capped) || count.capped < 1))
    report('a capped count needs a cap of 1 or more')
  if (typeof definition.scope !== 'function') report('it has no scope; write everyRow where there is no restriction')
  if (!isSharedTimeZone(timeZone))
    report(
      `"${timeZone}" is not an IANA time zone in full, such as "Asia/Riyadh"; abbreviations and offsets are not accepted`,
    )
}

/** Reports sorts by what has no order. */
export function checkSortables(
  definition: AnyTableDefinition,
  sortables: Iterable<string>,
  sources: ReadonlyMap<string, Source>,
  report: (fault: string) => void,
): void {
  for (const key of sortables) {
    const source = sources.get(key)
    if (source === undefined || !Object.hasOwn(definition.columns, key))
      report(`the sortable "${key}" is not a column with a source`)
    else if (source.kind === 'json') report(`the sortable "${key}" is JSON, which has no order`)
  }
}

/** Reports computed expressions that name a column of a table that is neither the table's own nor in the expression. */
export function checkComputed({ from, computed = {} }: AnyTableDefinition, report: (fault: string) => void): void {
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
