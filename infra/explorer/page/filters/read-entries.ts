import type { Filter } from '../service/wire.ts'
import { type Applied, takesList, takesNothing, takesRange } from '../state/view.ts'
import type { Words } from '../texts/language.tsx'
import { plainNumber } from '../texts/plain-number.ts'
import { editorTexts } from './editor-texts.ts'
import { createFault, type EntryFault } from './entry-fault.ts'
import { isReversed } from './filter-entry.ts'

const isNumberRange = ({ type, props: { operators } }: Filter) =>
  type === 'number' && !operators.includes('between') && operators.includes('>=') && operators.includes('<=')

/** The comparisons on offer. Two conditions on one number are a range, also where the filter has none of its own. */
export const shownOperators = (filter: Filter): readonly string[] =>
  isNumberRange(filter) ? [...filter.props.operators, 'between'] : filter.props.operators

interface Entered {
  readonly value: string
  readonly upper: string
}

/** Returns the conditions that a text stands for under an operator, none where it is empty, or what is wrong with it. */
export function readEntries(
  filter: Filter,
  operator: string,
  { value, upper }: Entered,
  { t, language }: Words,
): readonly Applied[] | EntryFault {
  const { filter_name: field, type } = filter
  const clean = (text: string) => (type === 'number' ? plainNumber(text) : text.trim())
  const isWrong = (text: string) => type === 'number' && text !== '' && Number.isNaN(Number(text))
  if (takesNothing(operator)) return [{ field, operator, value: '' }]
  if (takesRange(operator)) {
    const ends = [clean(value), clean(upper)]
    if (ends.some(isWrong)) return createFault(editorTexts[language].notNumber, ends.map(isWrong))
    const entries = readRange(filter, operator, ends)
    if (entries === undefined)
      return createFault(
        t.bothEnds,
        ends.map((end) => end === ''),
      )
    return isReversed(entries) ? { text: t.reversed } : entries
  }
  const parts = takesList(operator) ? value.split(/[,،]/).map(clean) : [clean(value)]
  const list = parts.filter((part) => part !== '')
  if (list.some(isWrong)) return { text: editorTexts[language].notNumber }
  const [only] = list
  if (only === undefined) return []
  return [{ field, operator, value: takesList(operator) ? list : only }]
}

/** Returns the conditions of a range; `undefined` where an end is missing that the operator needs. */
function readRange(filter: Filter, operator: string, ends: readonly string[]): readonly Applied[] | undefined {
  const { filter_name: field, props } = filter
  const count = ends.filter((end) => end !== '').length
  if (count === 0) return []
  if (count === 2 && !(operator === 'between' && isNumberRange(filter))) return [{ field, operator, value: ends }]
  if (operator === 'not between') return undefined
  // One end alone is a comparison, where the filter has it.
  return ['>=', '<='].flatMap((comparison, at) => {
    const end = ends[at] ?? ''
    return end !== '' && props.operators.some((one) => one === comparison)
      ? [{ field, operator: comparison, value: end }]
      : []
  })
}
