import type { CompiledColumn, CompiledFilter, CompiledTable } from './compiled-table.ts'
import type { AnyContext, BindingFunction } from './context.ts'
import type { Source } from './source.ts'

/** The part of a table that exists for one caller. Responses are made from a view alone. */
export interface TableView
  extends Pick<CompiledTable, 'columns' | 'filters' | 'sortables' | 'defaultSort' | 'rowActions' | 'bulkActions'> {
  readonly table: CompiledTable
  readonly bindings: readonly (readonly [name: string, load: BindingFunction<AnyContext>])[]
  /** The values that cells, and the functions of the table's author, need. */
  readonly selection: Selection
  /** The values of an author's row for the functions of an action; no cells. */
  readonly rowSelection: Selection
  /** Writes further members of an item from the values of its row, as JSON text that begins with a comma. */
  readonly writeMembers?: (values: readonly unknown[]) => string
}

/** Returns the bulk actions that this deployment can run: without mails, none that sends one. */
export const offeredBulkActions = ({ bulkActions }: Pick<TableView, 'bulkActions'>, hasMail: boolean) =>
  hasMail ? bulkActions : bulkActions.filter(({ definition }) => definition.response !== 'email')

interface Conditional {
  readonly loadIf?: (context: AnyContext) => boolean
  readonly showInWeb?: boolean
}

interface Views {
  /** The definitions that not everybody may know of. */
  readonly conditionals: readonly Conditional[]
  /** One view for each set of results that the conditions gave. */
  readonly byResults: Map<string, TableView>
}

const views = new WeakMap<CompiledTable, Views>()

/** Conditions may depend on `params`, and then a client chooses the results. */
const maxViews = 200

/**
 * The part of a table that this caller may know of. A condition that returns anything but `true` hides. Equal results
 * of all conditions share one view, and a table without conditions has a single one.
 */
export const createView = (table: CompiledTable, context: AnyContext): TableView =>
  findView(table, (conditional) => isVisible(conditional, context))

/** Returns everything that a guard has of a table, without regard to a caller. For descriptions. */
export const wholeView = (table: CompiledTable, guard: string): TableView =>
  findView(table, ({ showInWeb }) => showInWeb !== false || guard !== 'web')

function findView(table: CompiledTable, isThere: (conditional: Conditional) => boolean): TableView {
  const { conditionals, byResults } = views.get(table) ?? createViews(table)
  let results = ''
  for (const conditional of conditionals) results += isThere(conditional) ? '1' : '0'
  const known = byResults.get(results)
  if (known !== undefined) return known
  if (byResults.size >= maxViews) byResults.clear()
  const view = makeView(table, new Set(conditionals.filter((_, index) => results[index] === '0')))
  byResults.set(results, view)
  return view
}

function createViews(table: CompiledTable): Views {
  const things = [...table.columns, ...table.filters.values(), ...table.rowActions, ...table.bulkActions]
  const conditionals = things
    .map(({ definition }): Conditional => definition)
    .filter(({ loadIf, showInWeb }) => loadIf !== undefined || showInWeb === false)
  const made: Views = { conditionals, byResults: new Map() }
  views.set(table, made)
  return made
}

const isVisible = ({ loadIf, showInWeb }: Conditional, context: AnyContext): boolean =>
  (showInWeb !== false || context.guard !== 'web') && (loadIf === undefined || loadIf(context) === true)

function makeView(table: CompiledTable, hidden: ReadonlySet<Conditional>): TableView {
  const isShown = ({ definition }: { readonly definition: Conditional }) => !hidden.has(definition)
  const { alsoHidden, reveals } = findHiddenSources(
    table,
    table.columns.filter((column) => !isShown(column)),
  )
  const columns = table.columns.filter((column) => isShown(column) && !alsoHidden.has(column))
  const hiddenKeys = new Set(table.columns.filter((column) => !columns.includes(column)).map(({ key }) => key))
  const isSecret = (source: Source) => hiddenKeys.has(source.key) || reveals(source)
  const filters = [...table.filters.values()].filter(
    (filter) => isShown(filter) && ![filter.source, filter.optionLabel].some((source) => source && isSecret(source)),
  )
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
    selection: selectFields(table, columns, columns, table.readsWholeRows),
    rowSelection: selectFields(table, columns, [], true),
  }
}

/** A binding named like a filter belongs to it; any other is for everybody. */
function mayKnowBinding(table: CompiledTable, filters: readonly CompiledFilter[], name: string): boolean {
  const isFor = (filter: CompiledFilter) => filter.name === name || filter.pair?.group === name
  return ![...table.filters.values()].some(isFor) || filters.some(isFor)
}

/** One value that a statement reads for each row. */
export interface Field {
  readonly source: Source
  /** Set where the database writes the cell's text, as it does for dates: a `to_char` template. */
  readonly datePattern: string | undefined
}

/** The fields that a statement reads, and their places in its rows. */
export interface Selection {
  readonly fields: readonly Field[]
  /** The place of the key. */
  readonly key: number
  /** The place of each column's cell, in the order of the columns; `undefined` for a virtual one. */
  readonly cells: readonly (number | undefined)[]
  /** The values of an author's row; absent where no function wants rows. */
  readonly row: readonly { readonly source: Source; readonly index: number }[] | undefined
}

/** Selects the cells of `formatted`, and with `wholeRows` the author's row for a caller who sees `columns`. */
export function selectFields(
  table: CompiledTable,
  columns: readonly CompiledColumn[],
  formatted: readonly CompiledColumn[],
  wholeRows: boolean,
): Selection {
  const fields: Field[] = []
  const places = new Map<string, number>()
  const place = (source: Source, datePattern: string | undefined): number => {
    const name = `${datePattern ?? ''}|${source.key}`
    const index = places.get(name) ?? fields.push({ source, datePattern }) - 1
    places.set(name, index)
    return index
  }
  const key = place(table.key, undefined)
  const cells = formatted.map(({ source, datePattern }) =>
    source === undefined ? undefined : place(source, datePattern),
  )
  const row = wholeRows
    ? rowSources(table, columns).map((source) => ({ source, index: place(source, undefined) }))
    : undefined
  return { fields, key, cells, row }
}

/** Returns what a row holds for its author: the table's own attributes, and what the columns show. */
export const rowSources = ({ attributes }: CompiledTable, columns: readonly CompiledColumn[]): readonly Source[] => [
  ...new Set([...attributes, ...columns.flatMap(({ source }) => source ?? [])]),
]

/** The columns and sources that are hidden from a caller. */
interface HiddenSources {
  /** The columns that are hidden because they show what a hidden column holds. */
  readonly alsoHidden: ReadonlySet<CompiledColumn>
  /** Whether a filter or a sort on this source would reveal what a hidden column holds. */
  readonly reveals: (source: Source) => boolean
}

/**
 * Follows hidden columns to everything that reads them. A column with a `loadIf` of its own is left to that. What a
 * visible column shows may be filtered and sorted by, because its cells tell as much.
 */
function findHiddenSources(table: CompiledTable, hidden: readonly CompiledColumn[]): HiddenSources {
  // Every item shows its key, also without a column of it.
  const secret = hidden.flatMap(({ source }) =>
    source === undefined || source.value === table.key.value ? [] : source,
  )
  if (secret.length === 0) return { alsoHidden: new Set(), reveals: () => false }
  const ruled = table.columns.filter((column) => !hidden.includes(column) && column.definition.loadIf !== undefined)
  // A generated attribute is read under its own name, whether or not a column shows it.
  const generated = [...table.sources.values()].filter(
    (source) => isAttribute(source) && !ruled.some((column) => column.source === source) && readsAny(source, secret),
  )
  const kept = [...secret, ...generated]
  const alsoHidden = new Set(
    table.columns.filter(
      (column) =>
        !hidden.includes(column) &&
        column.source !== undefined &&
        column.definition.loadIf === undefined &&
        readsAny(column.source, kept),
    ),
  )
  const shown = table.columns.filter((column) => !hidden.includes(column) && !alsoHidden.has(column))
  const shownSources = shown.flatMap(({ source }) => source ?? [])
  const behind = [...table.sources.values()].filter(
    (source) =>
      isAttribute(source) &&
      secret.some((one) => one.reads !== undefined && readsFrom(one, source)) &&
      !shownSources.some(({ value }) => value === source.value),
  )
  const all = [...kept, ...[...alsoHidden].flatMap(({ source }) => source ?? []), ...behind]
  return {
    alsoHidden,
    reveals: (source) => !shownSources.includes(source) && readsAny(source, all),
  }
}

const isAttribute = ({ value }: Source): boolean => typeof value === 'string'

const readsAny = (source: Source, secret: readonly Source[]): boolean =>
  secret.some((other) => readsFrom(source, other))

function readsFrom({ value, reads }: Source, other: Source): boolean {
  if (value === other.value) return true
  return reads !== undefined && (reads.values.has(other.value) || other.names.some((name) => reads.names.has(name)))
}

/** The columns that every caller sees: those without a condition that show nothing of one with a condition. */
export function unconditionalColumns(table: CompiledTable): readonly CompiledColumn[] {
  const conditional = table.columns.filter(({ definition }) => definition.loadIf !== undefined)
  const { alsoHidden } = findHiddenSources(table, conditional)
  return table.columns.filter((column) => !conditional.includes(column) && !alsoHidden.has(column))
}
