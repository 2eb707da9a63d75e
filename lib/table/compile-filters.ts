import type { Label } from '../i18n/language.ts'
import type { FilterType } from '../wire/vocabulary.ts'
import { checkFilter } from './check-filter.ts'
import { type ColumnType, valueLabel } from './column-definition.ts'
import { textColumnValues } from './compile-columns.ts'
import type { CompiledColumn, CompiledFilter } from './compiled-table.ts'
import type { AnyContext } from './context.ts'
import type { AnyTableDefinition, CompleteFilter, ReportFault } from './definition.ts'
import { isSearched, optionEntries } from './filter-entry.ts'
import type { OperatorsByType } from './filter-operators.ts'
import type { Source } from './source.ts'
import type { ValueKind } from './value-kind.ts'

const defaultOperators: {
  readonly [Type in FilterType]: readonly [OperatorsByType[Type], ...OperatorsByType[Type][]]
} = {
  text: ['=', 'like'],
  number: ['=', '<=', '>='],
  select: ['='],
  multi_select: ['in'],
  boolean: ['='],
  null: ['='],
  date: ['>='],
}

type WrittenFilter = NonNullable<AnyTableDefinition['filters']>[string]

interface Compilation {
  readonly table: AnyTableDefinition
  readonly columns: readonly CompiledColumn[]
  readonly sources: ReadonlyMap<string, Source>
  readonly report: ReportFault
}

/** Returns every filter entry of a table by its wire name. Faults in what the author wrote are reported, not thrown. */
export function compileFilters(compilation: Compilation): ReadonlyMap<string, CompiledFilter> {
  const { table, report } = compilation
  const filters = new Map<string, CompiledFilter>()
  const groups = [
    [table.filters, false],
    [table.advancedFilters, true],
  ] as const
  for (const [group, advanced] of groups) {
    for (const [name, written] of Object.entries(group ?? {})) {
      for (const filter of compileFilter(compilation, name, written, advanced)) {
        const other = filters.get(filter.name)
        if (other !== undefined) report(`the filter "${filter.name}" is declared twice${pairHint(filter, other)}`)
        filters.set(filter.name, filter)
      }
    }
  }
  return filters
}

function compileFilter(
  { table, columns, sources, report }: Compilation,
  name: string,
  written: WrittenFilter,
  advanced: boolean,
): readonly CompiledFilter[] {
  const source = sources.get(written.source ?? name)
  if (source === undefined) {
    report(`the filter "${name}" has no source "${written.source ?? name}"`)
    return []
  }
  const column = columns.find(({ key }) => key === name)
  const definition = completeFilter({ name, written, column, source }, report)
  if (definition === undefined) return []
  const operators: CompiledFilter['operators'] = definition.operators ?? defaultOperators[definition.type]
  const options = listOptions(definition)
  checkFilter({ name, definition, source, operators, options, bindings: table.bindings }, report)
  const optionLabel = findOptionLabel(definition, source, sources)
  if (optionLabel === undefined) report(`options.label of the filter "${name}" is no source of the table`)
  const folds = 'fold' in definition
  const values = options ?? source.enumValues
  const allowed = values && new Set(values)
  const common = { type: definition.type, source, folds, definition, allowed, advanced, ...optionLabel }
  if (definition.type !== 'date') return [{ ...common, name, operators, pair: undefined }]
  const from = `${name}_from`
  const to = `${name}_to`
  return [
    { ...common, name: from, operators, pair: { group: name, other: to, isFrom: true } },
    { ...common, name: to, operators: ['<='], pair: { group: name, other: from, isFrom: false } },
  ]
}

interface FilterOfColumn {
  readonly name: string
  readonly written: WrittenFilter
  /** The column that is called like the filter, if there is one. */
  readonly column: CompiledColumn | undefined
  readonly source: Source
}

/**
 * Returns the filter with the label, type and options that it takes from its column; `undefined` where they do not
 * tell.
 */
function completeFilter(filter: FilterOfColumn, report: ReportFault): CompleteFilter<AnyContext> | undefined {
  const { name, written, column } = filter
  const label = written.label ?? column?.definition.label
  const type = written.type ?? inheritType(filter)
  if (label === undefined) report(`the filter "${name}" needs a label, because no column has its name`)
  if (type === undefined) report(`the filter "${name}" needs a type, because it has no column to take one from`)
  if (label === undefined || type === undefined) return undefined
  const foreign = inheritable.filter((option) => option in written && !optionsByType[type].includes(option))
  if (foreign.length > 0) report(`the filter "${name}" is one of type ${type}, which has no ${foreign.join(', ')}`)
  const inherited = { ...inheritOptions(filter, type), ...written, label, type }
  if ('options' in inherited || !optionsByType[type].includes('options')) {
    // The author's filter after the checks above.
    return inherited as CompleteFilter<AnyContext>
  }
  report(`the filter "${name}" has no options: name them as its "options", or as the "values" of its column`)
  return undefined
}

const inheritable = ['options', 'labels', 'selected', 'min', 'max', 'fold'] as const

const optionsByType: Readonly<Record<FilterType, readonly (typeof inheritable)[number][]>> = {
  text: ['fold'],
  number: [],
  select: ['options'],
  multi_select: ['options'],
  boolean: ['labels', 'selected'],
  null: ['labels'],
  date: ['min', 'max'],
}

const typeByKind: Readonly<Partial<Record<ValueKind, FilterType>>> = {
  integer: 'number',
  decimal: 'number',
  text: 'text',
  enum: 'select',
  uuid: 'text',
  other: 'text',
  boolean: 'boolean',
  date: 'date',
  timestamp: 'date',
  instant: 'date',
}

const typeByColumn: Readonly<Partial<Record<ColumnType, FilterType>>> = {
  text: 'text',
  text_truncate: 'text',
  number: 'number',
  date: 'date',
  boolean: 'boolean',
}

/** Returns the type of a filter that declares none: a select where there is a choice, else what suits its values. */
function inheritType(filter: FilterOfColumn): FilterType | undefined {
  const { written, column, source } = filter
  if ('options' in written || shownValues(filter).length > 0) return 'select'
  // Only the column says what a computed value is.
  return source.kind === 'unknown' ? column && typeByColumn[column.type] : typeByKind[source.kind]
}

function inheritOptions(filter: FilterOfColumn, type: FilterType): object {
  const { written, column, source } = filter
  if (type === 'select' || type === 'multi_select') {
    const values = shownValues(filter)
    if (values.length > 0) return { options: Object.fromEntries(values) }
    return source.declaredValues === undefined ? {} : { options: source.declaredValues }
  }
  const shown = column?.definition
  if (written.type !== undefined || shown?.type !== 'boolean' || shown.values === undefined) return {}
  return { labels: { true: valueLabel(shown.values.true), false: valueLabel(shown.values.false) } }
}

/** Returns the values that the column gives labels, unless the filter compares something else. */
const shownValues = ({ column, source }: FilterOfColumn): readonly (readonly [string, Label])[] =>
  column?.source !== source
    ? []
    : Object.entries(textColumnValues(column.definition)).map(([value, shown]) => [value, valueLabel(shown)])

function pairHint(...filters: readonly CompiledFilter[]): string {
  const pair = filters.find((filter) => filter.pair !== undefined)?.pair
  return pair === undefined ? '' : `; the date filter "${pair.group}" takes ${pair.group}_from and ${pair.group}_to`
}

/**
 * Returns the source of the labels of searched options; nothing for other filters, and `undefined` where there is no
 * such source.
 */
function findOptionLabel(
  definition: CompiledFilter['definition'],
  source: Source,
  sources: Compilation['sources'],
): Pick<CompiledFilter, 'optionLabel'> | undefined {
  if (!('options' in definition) || !isSearched(definition.options)) return {}
  const optionLabel = sources.get(definition.options.label ?? source.key)
  return optionLabel && { optionLabel }
}

/** Returns the values of the options that a filter lists itself, as text. */
const listOptions = (definition: CompiledFilter['definition']): readonly string[] | undefined =>
  'options' in definition && definition.options !== 'bindings' && !isSearched(definition.options)
    ? optionEntries(definition.options).map(([value]) => value)
    : undefined
