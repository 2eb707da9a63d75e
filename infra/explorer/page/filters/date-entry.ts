import type { Filter } from '../service/wire.ts'
import { type Applied, takesNothing, takesRange } from '../state/view.ts'
import type { Texts } from '../texts/english.ts'
import type { Words } from '../texts/language.tsx'
import { readDay } from '../ui/day-field.tsx'
import { editorTexts } from './editor-texts.ts'
import { createFault, type EntryFault } from './entry-fault.ts'
import { isAfter } from './filter-entry.ts'

/** The operator that the page shows for days from and to, which the service takes as two filters. */
export const openRange = 'range'

const rangeOperators: readonly string[] = ['>=', '<=', 'between']

/** A field of the editor for one day. */
interface DayEntry {
  readonly name: string
  readonly label: string
  readonly value: string
}

interface DateFilter {
  readonly filter: Filter
  readonly until: Filter
}

/** The comparisons on offer for a date. */
export const dateOperators = ({ filter }: DateFilter): readonly string[] => [
  openRange,
  ...filter.props.operators.filter((operator) => !rangeOperators.includes(operator)),
]

/** The filter that is no open range, if one is applied. */
export const findComparison = (applied: readonly Applied[]): Applied | undefined =>
  applied.find(({ operator }) => !rangeOperators.includes(operator))

/** The fields that an operator needs, with what is applied in them. */
export function dayEntries(
  operator: string,
  { filter, until }: DateFilter,
  applied: readonly Applied[],
  t: Texts,
): readonly DayEntry[] {
  const labels = [t.from, t.to]
  if (operator === openRange) {
    const both = applied.find((one) => takesRange(one.operator))?.value
    return [filter, until].map(({ filter_name: name }, at) => {
      const value = both?.[at] ?? applied.find((one) => one.operator === rangeOperators[at])?.value ?? ''
      return { name, label: labels[at] ?? '', value: String(value) }
    })
  }
  if (operator === 'within' || takesNothing(operator)) return []
  const now = applied.find((one) => one.operator === operator)?.value ?? ''
  if (!takesRange(operator)) return [{ name: 'day', label: '', value: String(now) }]
  return labels.map((label, at) => ({ name: `day${at}`, label, value: now[at] ?? '' }))
}

/** Returns the filters of entered days, or what is wrong with them. */
export function readDays(
  operator: string,
  { filter, until }: DateFilter,
  entered: readonly string[],
  { t, language }: Words,
): readonly Applied[] | EntryFault {
  const days = entered.map((text) => (text.trim() === '' ? '' : readDay(text.trim())))
  const [from = '', to = ''] = days
  const isUnknown = days.map((day) => day === undefined)
  if (isUnknown.includes(true)) return createFault(editorTexts[language].notDay, isUnknown)
  if (from !== '' && to !== '' && isAfter(from, to)) return { text: t.reversed }
  const field = filter.filter_name
  if (takesNothing(operator)) return [{ field, operator, value: '' }]
  if (takesRange(operator)) {
    const isMissing = days.map((day) => day === '')
    return isMissing.includes(true) ? createFault(t.bothEnds, isMissing) : [{ field, operator, value: [from, to] }]
  }
  if (operator !== openRange) return from === '' ? [] : [{ field, operator, value: from }]
  return [
    { field, operator: '>=', value: from },
    { field: until.filter_name, operator: '<=', value: to },
  ].filter(({ value }) => value !== '')
}
