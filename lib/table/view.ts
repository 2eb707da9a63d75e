import type {
  AnyScope,
  BulkAction,
  CompiledColumn,
  CompiledFilter,
  CompiledSort,
  CompiledTable,
  RowAction,
} from './compiled-table.ts'
import type { BindingFunction } from './context.ts'
import { hiddenSources } from './hidden-sources.ts'
import { rowSelectionOf, type Selection, selectionOf } from './selection.ts'
import type { Source } from './source.ts'

/** What of a table exists for one caller: everything that a response is made of is read from here. */
export interface TableView {
  readonly table: CompiledTable
  readonly columns: readonly CompiledColumn[]
  readonly filters: ReadonlyMap<string, CompiledFilter>
  readonly sortables: ReadonlySet<string>
  readonly defaultSort: CompiledSort
  readonly rowActions: readonly RowAction[]
  readonly bulkActions: readonly BulkAction[]
  readonly bindings: readonly (readonly [name: string, load: BindingFunction<AnyScope>])[]
  readonly selection: Selection
  /** What is read for the functions of an action. */
  readonly rowSelection: Selection
}

interface Conditional {
  readonly loadIf?: (context: AnyScope) => boolean
  readonly showInWeb?: boolean
}

interface Views {
  /** The definitions that not everybody may know of. */
  readonly conditionals: readonly Conditional[]
  /** One view for each set of answers that the conditions gave. */
  readonly byAnswers: Map<string, TableView>
}

const views = new WeakMap<CompiledTable, Views>()

/**
 * The part of a table that this caller may know of. A condition that answers anything but `true` hides. Equal answers of all
 * conditions share one view, and a table without conditions has a single one.
 */
export const viewOf = (table: CompiledTable, context: AnyScope): TableView =>
  viewWhere(table, (conditional) => exists(conditional, context))

/** All that a guard has of a table, whoever may see it: for descriptions that are made for nobody in particular. */
export const wholeView = (table: CompiledTable, guard: string): TableView =>
  viewWhere(table, ({ showInWeb }) => showInWeb !== false || guard !== 'web')

function viewWhere(table: CompiledTable, isThere: (conditional: Conditional) => boolean): TableView {
  const { conditionals, byAnswers } = views.get(table) ?? firstView(table)
  let answers = ''
  for (const conditional of conditionals) answers += isThere(conditional) ? '1' : '0'
  const known = byAnswers.get(answers)
  if (known !== undefined) return known
  const view = makeView(table, new Set(conditionals.filter((_, index) => answers[index] === '0')))
  byAnswers.set(answers, view)
  return view
}

function firstView(table: CompiledTable): Views {
  const things = [...table.columns, ...table.filters.values(), ...table.rowActions, ...table.bulkActions]
  const conditionals = things
    .map(({ definition }): Conditional => definition)
    .filter(({ loadIf, showInWeb }) => loadIf !== undefined || showInWeb === false)
  const made: Views = { conditionals, byAnswers: new Map() }
  views.set(table, made)
  return made
}

const exists = ({ loadIf, showInWeb }: Conditional, context: AnyScope): boolean =>
  (showInWeb !== false || context.guard !== 'web') && (loadIf === undefined || loadIf(context) === true)

function makeView(table: CompiledTable, hidden: ReadonlySet<Conditional>): TableView {
  const isShown = ({ definition }: { readonly definition: Conditional }) => !hidden.has(definition)
  const { alsoHidden, reveals } = hiddenSources(
    table,
    table.columns.filter((column) => !isShown(column)),
  )
  const columns = table.columns.filter((column) => isShown(column) && !alsoHidden.has(column))
  const hiddenKeys = new Set(table.columns.filter((column) => !columns.includes(column)).map(({ key }) => key))
  const isSecret = (source: Source) => hiddenKeys.has(source.key) || reveals(source)
  const filters = [...table.filters.values()].filter((filter) => isShown(filter) && !isSecret(filter.source))
  const defaultSort = isSecret(table.defaultSort.source)
    ? { source: table.key, direction: 'asc' as const }
    : table.defaultSort
  return {
    table,
    columns,
    filters: new Map(filters.map((filter) => [filter.name, filter])),
    sortables: new Set([...table.sortables].filter((key) => !hiddenKeys.has(key))),
    defaultSort,
    rowActions: table.rowActions.filter(isShown),
    bulkActions: table.bulkActions.filter(isShown),
    bindings: Object.entries(table.definition.bindings ?? {}).filter(
      ([name]) => !hiddenKeys.has(name) && mayKnowBinding(table, filters, name),
    ),
    selection: selectionOf(table, columns),
    rowSelection: rowSelectionOf(table, columns),
  }
}

/** A binding named like a filter belongs to it; any other is for everybody. */
function mayKnowBinding(table: CompiledTable, filters: readonly CompiledFilter[], name: string): boolean {
  const isOf = (filter: CompiledFilter) => filter.name === name || filter.pair?.group === name
  return ![...table.filters.values()].some(isOf) || filters.some(isOf)
}
