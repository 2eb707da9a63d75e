import { type Label, type Language, translate } from '../i18n/language.ts'
import { startOfZoneDay } from '../i18n/time-zone.ts'
import type { CompiledFilter } from './compiled-table.ts'
import type { Option, ResponseContext } from './context.ts'
import type { SearchedOptions, SelectOption } from './definition.ts'

const all = { en: 'All', ar: 'الكل' }
const yes = { en: 'Yes', ar: 'نعم' }
const no = { en: 'No', ar: 'لا' }
const isSet = { en: 'Set', ar: 'توجد قيمة' }
const isNotSet = { en: 'Not set', ar: 'لا توجد قيمة' }

/** Returns a filter's entry in the structure. `bound` are the options of its binding, where it has one. */
export function filterEntry(
  filter: CompiledFilter,
  bound: readonly Option[] | undefined,
  { language, timeZone }: Pick<ResponseContext, 'language' | 'timeZone'>,
) {
  const { name, type, definition, operators, pair, folds } = filter
  return {
    type,
    filter_name: name,
    label: translate(definition.label, language),
    loadIf: true,
    ...(pair !== undefined && { group_src: pair.group, ...limits(definition, timeZone) }),
    ...(pair?.isFrom === true && { pair_with: pair.other }),
    props: {
      operators,
      ...(folds && { fold: true }),
      ...options(filter, bound, language),
      ...(pair !== undefined && { is_from: pair.isFrom }),
    },
  }
}

/** Returns the limits of a date filter as midnights of the table's time zone, in epoch milliseconds. */
function limits(definition: CompiledFilter['definition'], timeZone: string): object {
  if (definition.type !== 'date') return {}
  const { min, max } = definition
  const midnight = (day: string) => startOfZoneDay(Date.parse(day), timeZone)
  return { ...(min !== undefined && { min: midnight(min) }), ...(max !== undefined && { max: midnight(max) }) }
}

function options({ definition }: CompiledFilter, bound: readonly Option[] | undefined, language: Language): object {
  const chosen = choices(definition, bound, language)
  if (chosen === undefined) return {}
  const everything = ['all', translate(all, language)] as const
  const offered = [...new Map([everything, ...chosen])]
  return {
    // Keys that are integers lead every JSON object, so only the list keeps the author's order.
    select_options: Object.fromEntries(offered),
    options: offered.map(([value, label]) => ({ value, label })),
    ...(definition.type === 'boolean' && { default_selected: findSelected(definition) }),
  }
}

const findSelected = ({ selected }: { readonly selected?: boolean }): string =>
  selected === undefined ? 'all' : selected ? '1' : '0'

/** Whether clients search the options of a select, because the structure does not list them. */
export const isSearched = (options: unknown): options is SearchedOptions => Object(options).search === true

/** Returns the values and labels of options that are listed. */
export const optionEntries = (
  options: readonly SelectOption[] | Readonly<Record<string, Label>>,
): readonly (readonly [string, Label])[] =>
  Array.isArray(options)
    ? options.map((option) => (typeof option === 'string' ? [option, option] : [option.value, option.label]))
    : Object.entries(options)

/** Values and labels in the author's order; `undefined` for a filter without a choice. */
export function choices(
  definition: CompiledFilter['definition'],
  bound: readonly Option[] = [],
  language: Language,
): readonly (readonly [string, string])[] | undefined {
  if (definition.type === 'boolean') {
    const labels = definition.labels ?? { true: yes, false: no }
    return [
      ['1', translate(labels.true, language)],
      ['0', translate(labels.false, language)],
    ]
  }
  if (definition.type === 'null') {
    const labels = definition.labels ?? { set: isSet, notSet: isNotSet }
    return [
      ['set', translate(labels.set, language)],
      ['not_set', translate(labels.notSet, language)],
    ]
  }
  if (definition.type !== 'select' && definition.type !== 'multi_select') return undefined
  const { options: declared } = definition
  if (declared === 'bindings') return bound.map(({ value, label }) => [String(value), label])
  if (isSearched(declared)) return []
  return optionEntries(declared).map(([value, label]) => [value, translate(label, language)])
}
