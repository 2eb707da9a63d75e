import { type Language, textOf } from '../i18n/language.ts'
import type { CompiledFilter } from './compiled-table.ts'
import type { Option } from './context.ts'

const all = { en: 'All', ar: 'الكل' }
const yes = { en: 'Yes', ar: 'نعم' }
const no = { en: 'No', ar: 'لا' }
const isSet = { en: 'Set', ar: 'له قيمة' }
const isNotSet = { en: 'Not set', ar: 'بلا قيمة' }

/** A filter as the structure shows it (wire contract 3). `bound` are the options of its binding, where it has one. */
export function filterEntry(filter: CompiledFilter, bound: readonly Option[] | undefined, language: Language) {
  const { name, type, definition, operators, pair } = filter
  return {
    type,
    filter_name: name,
    label: textOf(definition.label, language),
    loadIf: true,
    ...(pair !== undefined && { group_src: pair.group, ...limits(definition) }),
    ...(pair?.isFrom === true && { pair_with: pair.other }),
    props: { operators, ...options(filter, bound, language), ...(pair !== undefined && { is_from: pair.isFrom }) },
  }
}

/** The ends of a date filter's range in epoch milliseconds, where its author set them. */
function limits(definition: CompiledFilter['definition']): object {
  if (definition.type !== 'date') return {}
  const { min, max } = definition
  return { ...(min !== undefined && { min: Date.parse(min) }), ...(max !== undefined && { max: Date.parse(max) }) }
}

function options({ definition }: CompiledFilter, bound: readonly Option[] | undefined, language: Language): object {
  const everything = textOf(all, language)
  if (definition.type === 'boolean') {
    const [truth, falsehood] = [definition.labels?.true ?? yes, definition.labels?.false ?? no]
    const selected = definition.selected === undefined ? 'all' : definition.selected ? '1' : '0'
    return {
      select_options: { '1': textOf(truth, language), '0': textOf(falsehood, language), all: everything },
      default_selected: selected,
    }
  }
  if (definition.type === 'null') {
    const [set, notSet] = [definition.labels?.set ?? isSet, definition.labels?.notSet ?? isNotSet]
    return { select_options: { all: everything, set: textOf(set, language), not_set: textOf(notSet, language) } }
  }
  if (definition.type !== 'select' && definition.type !== 'multi_select') return {}
  return { select_options: { all: everything, ...choices(definition.options, bound, language) } }
}

function choices(
  declared: Extract<CompiledFilter['definition'], { type: 'select' | 'multi_select' }>['options'],
  bound: readonly Option[] | undefined,
  language: Language,
): Readonly<Record<string, string>> {
  if (declared === 'bindings')
    return Object.fromEntries((bound ?? []).map(({ value, label }) => [String(value), label]))
  if (Array.isArray(declared)) return Object.fromEntries(declared.map((value) => [value, value]))
  return Object.fromEntries(Object.entries(declared).map(([value, label]) => [value, textOf(label, language)]))
}
