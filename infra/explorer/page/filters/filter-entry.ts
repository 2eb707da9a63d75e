import type { Filter } from '../service/wire.ts'
import { type Applied, takesList, takesNothing, takesRange } from '../state/view.ts'
import { plainNumber } from '../texts/plain-number.ts'

const isNumberRange = ({ type, props: { operators } }: Filter) =>
  type === 'number' && !operators.includes('between') && operators.includes('>=') && operators.includes('<=')

/** The comparisons on offer. Two conditions on one number are a range, also where the filter has none of its own. */
export const shownOperators = (filter: Filter): readonly string[] =>
  isNumberRange(filter) ? [...filter.props.operators, 'between'] : filter.props.operators

/** The filters that are applied as one entry: `>=` and `<=` on the same field are a range. */
export function shownEntry(applied: readonly Applied[]): Applied | undefined {
  const [first] = applied
  const lower = applied.find(({ operator }) => operator === '>=')
  const upper = applied.find(({ operator }) => operator === '<=')
  if (first === undefined || lower === undefined || upper === undefined || lower.field !== upper.field) return first
  return { field: first.field, operator: 'between', value: [String(lower.value), String(upper.value)] }
}

interface Entered {
  readonly value: string
  readonly upper: string
}

/**
 * The conditions that a text stands for under an operator, none where it is empty; `undefined` where it is no number.
 */
export function readEntries(
  filter: Filter,
  operator: string,
  { value, upper }: Entered,
): readonly Applied[] | undefined {
  const { filter_name: field, type } = filter
  const clean = (text: string) => (type === 'number' ? plainNumber(text) : text.trim())
  const isWrong = (text: string) => type === 'number' && text !== '' && Number.isNaN(Number(text))
  if (takesNothing(operator)) return [{ field, operator, value: '' }]
  if (operator === 'not between') {
    const ends = [clean(value), clean(upper)]
    if (ends.some(isWrong)) return undefined
    return ends.every((end) => end === '') ? [] : [{ field, operator, value: ends }]
  }
  if (operator === 'between') {
    const from = clean(value)
    const to = clean(upper)
    if (isWrong(from) || isWrong(to)) return undefined
    if (from !== '' && to !== '' && !isNumberRange(filter)) return [{ field, operator, value: [from, to] }]
    const ends = [
      { field, operator: '>=', value: from },
      { field, operator: '<=', value: to },
    ]
    // One end alone is a comparison, where the filter has it.
    return ends.filter((end) => end.value !== '' && filter.props.operators.some((one) => one === end.operator))
  }
  const parts = takesList(operator) ? value.split(/[,،]/).map(clean) : [clean(value)]
  const list = parts.filter((part) => part !== '')
  if (list.some(isWrong)) return undefined
  const [only] = list
  if (only === undefined) return []
  return [{ field, operator, value: takesList(operator) ? list : only }]
}

/** Whether one end of a range is missing that needs both. */
export const hasOpenEnd = ({ operator, value }: Applied): boolean => operator === 'not between' && value.includes('')

/** Whether a range ends before it begins, so that no row can match. */
export function isReversed(applied: readonly Applied[]): boolean {
  const shown = shownEntry(applied)
  if (shown === undefined || !takesRange(shown.operator) || typeof shown.value === 'string') return false
  const [from = '', to = ''] = shown.value
  return from !== '' && to !== '' && isAfter(from, to)
}

/** Numbers by their size, days by their text. */
export const isAfter = (one: string, other: string): boolean =>
  Number.isNaN(Number(one)) || Number.isNaN(Number(other)) ? one > other : Number(one) > Number(other)
