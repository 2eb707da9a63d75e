import { Column, getTableName, is, Name, StringChunk, Subquery, Table } from 'drizzle-orm'
import { quoteName } from '../db/statement.ts'
import { isSharedTimeZone } from '../i18n/time-zone.ts'
import { checkColumns, checkRelations } from './check-columns.ts'
import { checkActions, checkEditing, checkFormerNames, checkKey } from './check-definition.ts'
import { checkShape } from './check-shape.ts'
import { compileActions, compileBulkActions, defaultRowActions } from './compile-actions.ts'
import { compileColumns, withActionsColumn } from './compile-columns.ts'
import { compileFilters } from './compile-filters.ts'
import { compileSort } from './compile-sort.ts'
import type { CompiledTable } from './compiled-table.ts'
import type { AnyTableDefinition } from './definition.ts'
import { expressionParts } from './expression-reads.ts'
import { formerName, type Renamable } from './former-names.ts'
import { readsWholeRows } from './reads-whole-rows.ts'
import { compileSources, type Source, tableText } from './source.ts'
import { tableName } from './table-facts.ts'

const defaultMaxPerPage = 200

/**
 * Checks a definition for what types cannot see and resolves every name in it.
 * Throws one error that lists all of the author's mistakes, so that a deployment fails instead of a request.
 */
export function compileTable(definition: AnyTableDefinition): CompiledTable {
  const faults: string[] = []
  const report = (fault: string) => void faults.push(fault)
  checkShape(definition, report)
  if (faults.length > 0) throw createRegistrationError(definition, faults)
  const sources = compileSources(definition)
  checkSettings(definition, report)
  const key = sources.get(definition.key)
  checkKey(definition, key, report)
  checkComputed(definition, report)
  checkEditing(definition, report)
  checkRelations(definition.relations ?? {}, sources, report)
  const columns = compileColumns(definition, sources, report)
  checkColumns(definition, columns, sources, report)
  const filters = compileFilters({ table: definition, columns, sources, report })
  const sortables = new Set([...(definition.sortables ?? []), ...sortableColumns(definition)])
  checkSortables(definition, sortables, sources, report)
  const rowActions = compileActions(defaultRowActions, definition.rowActions, definition, report)
  const bulkActions = compileBulkActions(definition, report)
  checkActions(rowActions, bulkActions, report)
  const kinds = { column: columns, filter: [...filters.values()], 'row action': rowActions, 'bulk action': bulkActions }
  checkFormerNames(kinds, report)
  const [sortKey, direction] = definition.defaultSort ?? [definition.key, 'asc']
  const sortSource = sources.get(sortKey)
  if (sortSource === undefined) report(`the default sort "${sortKey}" has no source of that name`)
  if (faults.length > 0 || key === undefined || sortSource === undefined) {
    throw createRegistrationError(definition, faults)
  }
  return {
    name: definition.name,
    definition,
    text: tableText(definition.from),
    lockName: quoteName(tableName(definition.from)),
    key,
    sources,
    columns: rowActions.length === 0 ? columns : withActionsColumn(definition, columns, sources),
    filters,
    sortables,
    formerNames: Object.values<readonly Renamable[]>(kinds)
      .flat()
      .flatMap((part) => formerName(part) ?? []),
    defaultSort: compileSort(definition, { source: sortSource, direction }),
    rowActions,
    bulkActions,
    readsWholeRows: readsWholeRows(Object.values(definition.columns), Object.values(definition.rowActions ?? {})),
    maxPerPage: definition.maxPerPage ?? defaultMaxPerPage,
    timeZone: definition.timeZone,
  }
}

const createRegistrationError = ({ name }: AnyTableDefinition, faults: readonly string[]): Error =>
  new Error(`The table "${name}" cannot be registered:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)

function checkSettings(definition: AnyTableDefinition, report: (fault: string) => void): void {
  const { name, maxPerPage = defaultMaxPerPage, maxOffset = 0, count, timeZone = 'UTC' } = definition
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

const sortableColumns = ({ columns }: AnyTableDefinition): readonly string[] =>
  Object.entries(columns).flatMap(([key, column]) => (column.sortable === true ? [key] : []))

function checkSortables(
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
function checkComputed({ from, computed = {} }: AnyTableDefinition, report: (fault: string) => void): void {
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
