import type { Bindings, Filter, Option, Structure } from '../service/wire.ts'
import { type Applied, takesNothing, takesRange } from '../state/view.ts'
import type { Words } from '../texts/language.tsx'
import { numberFormat } from '../texts/number-format.ts'
import { shownEntry } from './filter-entry.ts'
import { periodText } from './period-words.ts'

/** One filter as users see it: an entry of the structure, or the two ends of a date. */
export interface FilterField {
  readonly name: string
  readonly label: string
  readonly isAdvanced: boolean
  readonly filter: Filter
  /** The other end, of a date. */
  readonly until: Filter | undefined
}

/** The filters of a table in their order. */
export function filterFields({ filters: listed, advancedFilters }: Structure): readonly FilterField[] {
  // The service repeats advanced filters among the others for clients that read one list only.
  const filters = listed.filter(({ advanced }) => advanced !== true)
  const all = [...filters, ...advancedFilters]
  const isEnd = (name: string) => all.some(({ pair_with: other }) => other === name)
  const read = (isAdvanced: boolean) => (filter: Filter) => ({
    name: filter.group_src ?? filter.filter_name,
    label: filter.label,
    isAdvanced,
    filter,
    until: all.find((other) => other.filter_name === filter.pair_with),
  })
  const begins = ({ filter_name: name }: Filter) => !isEnd(name)
  return [...filters.filter(begins).map(read(false)), ...advancedFilters.filter(begins).map(read(true))]
}

/** The names that a filter has in a request, and those that it has in old links. */
export const fieldNames = ({ filter, until }: FilterField): readonly string[] =>
  [filter, until].flatMap((one) => (one === undefined ? [] : [one.filter_name, one.formerly?.name ?? one.filter_name]))

/** Other spellings of yes and no that the service takes, by the type of the filter, with those of its choices. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['boolean true', '1'],
  ['boolean false', '0'],
  ['null true', 'set'],
  ['null 1', 'set'],
  ['null false', 'not_set'],
  ['null 0', 'not_set'],
])

/** Returns a value as the choices of the filter spell it. */
export const spellChoice = ({ type }: Filter, value: string): string => spellings.get(`${type} ${value}`) ?? value

/** Returns the conditions of a filter, with the values of its choices. */
export const findApplied = (field: FilterField, applied: readonly Applied[]): readonly Applied[] =>
  applied
    .filter((one) => fieldNames(field).includes(one.field))
    .map((one) => (typeof one.value === 'string' ? { ...one, value: spellChoice(field.filter, one.value) } : one))

/** Returns the choices of a filter without `all`. Choices that depend on other filters come with the rows. */
export const fieldOptions = ({ filter_name: name, props }: Filter, bindings: Bindings | undefined): readonly Option[] =>
  (bindings?.[name] ?? props.options ?? []).filter(({ value }) => value !== 'all')

/** Adds chosen ones that are not on offer, so that they can be kept or taken back. */
export function addChosen(options: readonly Option[], chosen: readonly string[]): readonly Option[] {
  const others = chosen.filter((one) => !options.some(({ value }) => String(value) === one))
  return [...others.map((one) => ({ value: one, label: one })), ...options]
}

/** An applied filter in words. */
export function describeApplied(
  field: FilterField,
  applied: readonly Applied[],
  bindings: Bindings | undefined,
  words: Words,
) {
  const options = fieldOptions(field.filter, bindings)
  if (isDateRange(field, applied)) {
    const end = (operator: string) => applied.find((one) => one.operator === operator)?.value ?? '…'
    return words.t.days([end('>='), end('<=')])
  }
  const shown = shownEntry(applied)
  return (shown?.operator === 'between' ? [shown] : applied)
    .map(({ operator, value }) => {
      if (operator === 'within') return periodText(String(value), words.language)
      const operatorWord = operatorText(field, operator, words)
      if (takesNothing(operator)) return operatorWord
      const values = (typeof value === 'string' ? [value] : value).map((one) => valueLabel(field, one, bindings, words))
      const text = takesRange(operator) ? values.join(words.t.between) : listText(values, words)
      const isPlain = options.length > 0 && (operator === '=' || operator === 'in')
      return isPlain ? text : `${operatorWord} ${text}`
    })
    .join(words.t.comma)
}

/** Whether nothing but the two ends of a range of days is applied. */
const isDateRange = ({ until }: FilterField, applied: readonly Applied[]): boolean =>
  until !== undefined && applied.every(({ operator }) => operator === '>=' || operator === '<=')

/** Names an operator of a filter: a date is before another one, not less than it. */
export const operatorText = ({ until }: Pick<FilterField, 'until'>, operator: string, { t }: Words): string =>
  (until !== undefined ? t.dateOperators[operator] : undefined) ?? t.operators[operator] ?? operator

/** Writes a value of a filter as people read it: the label of a choice, or a number with its separators. */
export const valueLabel = (
  { filter }: FilterField,
  value: string,
  bindings: Bindings | undefined,
  words: Words,
): string =>
  fieldOptions(filter, bindings).find((option) => String(option.value) === value)?.label ??
  valueText(filter, value, words)

const valueText = ({ type }: Filter, value: string, words: Words): string =>
  type === 'number' && value !== '' && !Number.isNaN(Number(value))
    ? numberFormat(words).format(value as `${number}`)
    : value

const shownOfList = 2

const listText = (values: readonly string[], { t }: Words): string =>
  values.length > shownOfList
    ? `${values.slice(0, shownOfList).join(t.comma)} ${t.more(values.length - shownOfList)}`
    : values.join(t.comma)
