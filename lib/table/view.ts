import type { BulkActionDefinition, RowActionDefinition } from './action-definition.ts'
import type {
  AnyRow,
  AnyScope,
  CompiledAction,
  CompiledColumn,
  CompiledFilter,
  CompiledSort,
  CompiledTable,
} from './compiled-table.ts'
import { type Selection, selectionOf } from './selection.ts'

/** What of a table exists for one caller: everything that a response is made of is read from here. */
export interface TableView {
  readonly table: CompiledTable
  readonly columns: readonly CompiledColumn[]
  readonly filters: ReadonlyMap<string, CompiledFilter>
  readonly sortables: ReadonlySet<string>
  readonly defaultSort: CompiledSort
  readonly rowActions: readonly CompiledAction<RowActionDefinition<AnyRow, AnyScope>>[]
  readonly bulkActions: readonly CompiledAction<BulkActionDefinition<AnyScope>>[]
  readonly selection: Selection
}

interface Conditional {
  readonly loadIf?: (context: AnyScope) => boolean
  readonly showInWeb?: boolean
}

const views = new WeakMap<CompiledTable, Map<string, TableView>>()

/** The part of a table that this caller may know of. A condition that answers anything but `true` hides. Equal answers of all conditions share one view. */
export function viewOf(table: CompiledTable, context: AnyScope): TableView {
  const known = views.get(table) ?? new Map<string, TableView>()
  views.set(table, known)
  let mask = ''
  const exists = (conditional: Conditional): boolean => {
    const hidden =
      (conditional.showInWeb === false && context.guard === 'web') ||
      (conditional.loadIf !== undefined && conditional.loadIf(context) !== true)
    mask += hidden ? '0' : '1'
    return !hidden
  }
  const columns = table.columns.filter(({ definition }) => exists(definition))
  const filters = [...table.filters.values()].filter(({ definition }) => exists(definition))
  const rowActions = table.rowActions.filter(({ definition }) => exists(definition))
  const bulkActions = table.bulkActions.filter(({ definition }) => exists(definition))
  const view = known.get(mask) ?? makeView(table, columns, filters, rowActions, bulkActions)
  known.set(mask, view)
  return view
}

function makeView(
  table: CompiledTable,
  columns: TableView['columns'],
  filters: readonly CompiledFilter[],
  rowActions: TableView['rowActions'],
  bulkActions: TableView['bulkActions'],
): TableView {
  const hidden = new Set(table.columns.filter((column) => !columns.includes(column)).map(({ key }) => key))
  const defaultSort = hidden.has(table.defaultSort.source.key)
    ? { source: table.key, direction: 'asc' as const }
    : table.defaultSort
  return {
    table,
    columns,
    filters: new Map(filters.filter(({ source }) => !hidden.has(source.key)).map((filter) => [filter.name, filter])),
    sortables: new Set([...table.sortables].filter((key) => !hidden.has(key))),
    defaultSort,
    rowActions,
    bulkActions,
    selection: selectionOf(table, columns),
  }
}
