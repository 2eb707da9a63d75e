import type { FilterType, Operator } from '../wire/vocabulary.ts'
import { checkDateLimits } from './check-date-limits.ts'
import type { CompiledFilter } from './compiled-table.ts'
import type { AnyTableDefinition, ReportFault } from './definition.ts'
import type { OperatorsByType } from './filter-operators.ts'
import type { Source } from './source.ts'
import type { ValueKind } from './value-kind.ts'

interface FilterRule<Possible extends Operator = Operator> {
  readonly operators: readonly Possible[]
  readonly kinds: readonly ValueKind[]
}

const ordering = ['=', '!=', '<', '<=', '>', '>='] as const
const presence = ['is null', 'is not null'] as const
const scalars: readonly ValueKind[] = ['integer', 'decimal', 'text', 'enum', 'uuid', 'boolean', 'other', 'unknown']

const rules: { readonly [Type in FilterType]: FilterRule<OperatorsByType[Type]> } = {
  text: {
    operators: ['=', '!=', 'like', 'not like', 'in', 'not in', 'starts with', 'ends with', ...presence],
    kinds: ['text', 'enum', 'uuid', 'other', 'unknown'],
  },
  number: {
    operators: [...ordering, 'in', 'not in', 'between', 'not between', ...presence],
    kinds: ['integer', 'decimal', 'unknown'],
  },
  select: { operators: ['=', '!=', 'in', 'not in', ...presence], kinds: scalars },
  multi_select: { operators: ['in', 'not in', ...presence], kinds: scalars },
  boolean: { operators: ['=', '!=', ...presence], kinds: ['boolean', 'unknown'] },
  null: { operators: ['='], kinds: [...scalars, 'date', 'timestamp', 'instant', 'json', 'array'] },
  date: {
    operators: [...ordering, 'between', 'not between', 'within', ...presence],
    kinds: ['date', 'timestamp', 'instant', 'unknown'],
  },
}

interface WrittenFilter {
  readonly name: string
  readonly definition: CompiledFilter['definition']
  readonly source: Source
  readonly operators: readonly Operator[]
  /** The values of the options that it lists itself. */
  readonly options: readonly string[] | undefined
  readonly bindings: AnyTableDefinition['bindings']
}

/**
 * Reports what a filter cannot do with the values of its source, and options that clients cannot choose. Bundles leave
 * it out.
 */
export function checkFilter(filter: WrittenFilter, report: ReportFault): void {
  const { name, definition, source, operators } = filter
  const rule: FilterRule = rules[definition.type]
  if (!rule.kinds.includes(source.kind))
    report(`the ${definition.type} filter "${name}" cannot filter ${source.sqlType || source.kind} values`)
  if (operators.length === 0) report(`the filter "${name}" allows no operator`)
  const foreign = operators.filter((operator) => !rule.operators.includes(operator))
  if (foreign.length > 0)
    report(`the ${definition.type} filter "${name}" cannot use the operator ${foreign.join(', ')}`)
  checkOptions(filter, report)
  checkDateLimits(name, definition, report)
}

function checkOptions({ name, definition, source, options, bindings }: WrittenFilter, report: ReportFault): void {
  if ('options' in definition && definition.options === 'bindings' && !Object.hasOwn(bindings ?? {}, name)) {
    report(`the filter "${name}" takes its options from a binding "${name}" that does not exist`)
  }
  const allowed = options ?? source.enumValues
  if (allowed?.length === 0) report(`the filter "${name}" has no options`)
  const strange = [...new Set(allowed)].filter((value) => source.declaredValues?.includes(value) === false)
  if (strange.length > 0) report(`the filter "${name}" offers ${strange.join(', ')}, which its enum lacks`)
  if (options?.includes('all'))
    report(
      `the filter "${name}" offers "all", which restricts nothing: clients get that option anyway, so leave it out`,
    )
}
