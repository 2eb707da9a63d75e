import { quoteName } from '../db/statement.ts'
import { checkBranches, checkColumns, checkLabels, checkRelations } from './check-columns.ts'
import { checkActions, checkEditing, checkFormerNames, checkKey } from './check-definition.ts'
import { checkShape } from './check-shape.ts'
import { checkComputed, checkSettings, checkSortables } from './check-sources.ts'
import { compileActions, compileBulkActions, defaultRowActions } from './compile-actions.ts'
import { compileColumns, withActionsColumn } from './compile-columns.ts'
import { compileFilters } from './compile-filters.ts'
import { compileSort } from './compile-sort.ts'
import type { CompiledTable } from './compiled-table.ts'
import type { AnyTableDefinition, ReportFault } from './definition.ts'
import { formerName, type Renamable } from './former-names.ts'
import { readsWholeRows } from './reads-whole-rows.ts'
import { compileSources, tableText } from './source.ts'
import { tableName } from './table-facts.ts'

/**
 * Checks a definition for what types cannot see and resolves every name in it.
 * Throws one error that lists all of the author's mistakes, so that a deployment fails instead of a request.
 */
export function compileTable(definition: AnyTableDefinition): CompiledTable {
  const faults: string[] = []
  const report: ReportFault = (fault) => void faults.push(fault)
  checkShape(definition, report)
  checkBranches(definition, report)
  if (faults.length > 0) throw createRegistrationError(definition, faults)
  const { sources, attributes } = compileSources(definition)
  checkSettings(definition, report)
  const key = sources.get(definition.key)
  checkKey(definition, key, report)
  checkComputed(definition, report)
  checkEditing(definition, report)
  checkRelations(definition, sources, report)
  const columns = compileColumns(definition, sources, report)
  checkColumns(definition, columns, sources, report)
  checkLabels(columns, report)
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
    attributes,
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
    maxPerPage: definition.maxPerPage ?? 200,
    timeZone: definition.timeZone,
  }
}

const createRegistrationError = ({ name }: AnyTableDefinition, faults: readonly string[]): Error =>
  new Error(`The table "${name}" cannot be registered:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)

const sortableColumns = ({ columns }: AnyTableDefinition): readonly string[] =>
  Object.entries(columns).flatMap(([key, column]) => (column.sortable === true ? [key] : []))
