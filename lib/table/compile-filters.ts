import type { FilterType, Operator } from '../wire/vocabulary.ts'
import type { CompiledFilter } from './compiled-table.ts'
import { checkDateLimits } from './date-limits.ts'
import type { AnyTableDefinition } from './definition.ts'
import type { Source } from './source.ts'
import type { ValueKind } from './value-kind.ts'

interface FilterRule {
  readonly defaults: readonly [Operator, ...Operator[]]
  /** Operators that a table may choose instead. */
  readonly possible: readonly Operator[]
  readonly kinds: readonly ValueKind[]
}

const ordering: readonly Operator[] = ['=', '!=', '<', '<=', '>', '>=']
const scalars: readonly ValueKind[] = ['integer', 'decimal', 'text', 'enum', 'uuid', 'boolean', 'other', 'unknown']

const rules: Readonly<Record<FilterType, FilterRule>> = {
  text: {
    defaults: ['=', 'like'],
    possible: ['=', '!=', 'like', 'not like', 'in', 'not in'],
    kinds: ['text', 'enum', 'uuid', 'other', 'unknown'],
  },
  number: {
    defaults: ['=', '<=', '>='],
    possible: [...ordering, 'in', 'not in', 'between'],
    kinds: ['integer', 'decimal', 'unknown'],
  },
  select: { defaults: ['='], possible: ['=', '!=', 'in', 'not in'], kinds: scalars },
  multi_select: { defaults: ['in'], possible: ['in', 'not in'], kinds: scalars },
  boolean: { defaults: ['='], possible: ['=', '!='], kinds: ['boolean', 'unknown'] },
  null: { defaults: ['='], possible: ['='], kinds: [...scalars, 'date', 'timestamp', 'instant', 'json', 'array'] },
  date: { defaults: ['>='], possible: [...ordering, 'between'], kinds: ['date', 'timestamp', 'instant', 'unknown'] },
}

/** Every filter entry of a table by its wire name; faults in what the author wrote are reported, not thrown. */
export function compileFilters(
  definition: AnyTableDefinition,
  sources: ReadonlyMap<string, Source>,
  report: (fault: string) => void,
): ReadonlyMap<string, CompiledFilter> {
  const filters = new Map<string, CompiledFilter>()
  const groups = [
    [definition.filters, false],
    [definition.advancedFilters, true],
  ] as const
  for (const [group, advanced] of groups) {
    for (const name of Object.keys(group ?? {})) {
      for (const filter of compileFilter(definition, group, name, advanced, sources, report)) {
        const other = filters.get(filter.name)
        if (other !== undefined) report(`the filter "${filter.name}" is declared twice${pairHint(filter, other)}`)
        filters.set(filter.name, filter)
      }
    }
  }
  return filters
}

function compileFilter(
  table: AnyTableDefinition,
  group: AnyTableDefinition['filters'],
  name: string,
  advanced: boolean,
  sources: ReadonlyMap<string, Source>,
  report: (fault: string) => void,
): readonly CompiledFilter[] {
  const definition = group?.[name]
  if (definition === undefined) return []
  const rule = rules[definition.type]
  const source = sources.get(definition.source ?? name)
  if (source === undefined) {
    report(`the filter "${name}" has no source "${definition.source ?? name}"`)
    return []
  }
  if (!rule.kinds.includes(source.kind))
    report(`the ${definition.type} filter "${name}" cannot filter ${source.sqlType || source.kind} values`)
  const operators = definition.operators ?? rule.defaults
  if (operators.length === 0) report(`the filter "${name}" allows no operator`)
  const foreign = operators.filter((operator) => !rule.possible.includes(operator))
  if (foreign.length > 0)
    report(`the ${definition.type} filter "${name}" cannot use the operator ${foreign.join(', ')}`)
  const allowed = allowedValues(definition, source)
  if ('options' in definition && definition.options === 'bindings' && !Object.hasOwn(table.bindings ?? {}, name)) {
    report(`the filter "${name}" takes its options from a binding "${name}" that does not exist`)
  }
  if (allowed?.size === 0) report(`the filter "${name}" has no options`)
  const strange = [...(allowed ?? [])].filter((value) => source.declaredValues?.includes(value) === false)
  if (strange.length > 0) report(`the filter "${name}" offers ${strange.join(', ')}, which its enum lacks`)
  checkDateLimits(name, definition, report)
  const common = { type: definition.type, source, definition, allowed, advanced }
  if (definition.type !== 'date') return [{ ...common, name, operators, pair: undefined }]
  const [from, to] = [`${name}_from`, `${name}_to`]
  return [
    { ...common, name: from, operators, pair: { group: name, other: to, isFrom: true } },
    { ...common, name: to, operators: ['<='], pair: { group: name, other: from, isFrom: false } },
  ]
}

function pairHint(...filters: readonly CompiledFilter[]): string {
  const pair = filters.find((filter) => filter.pair !== undefined)?.pair
  return pair === undefined ? '' : `; the date filter "${pair.group}" takes ${pair.group}_from and ${pair.group}_to`
}

function allowedValues(definition: CompiledFilter['definition'], source: Source): ReadonlySet<string> | undefined {
  if ('options' in definition && definition.options !== 'bindings') {
    return new Set(Array.isArray(definition.options) ? definition.options : Object.keys(definition.options))
  }
  return source.enumValues === undefined ? undefined : new Set(source.enumValues)
}
