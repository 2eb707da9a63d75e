import { type Applied, takesRange } from '../state/view.ts'

/** The filters that are applied as one entry: `>=` and `<=` on the same field are a range. */
export function shownEntry(applied: readonly Applied[]): Applied | undefined {
  const [first] = applied
  const lower = applied.find(({ operator }) => operator === '>=')
  const upper = applied.find(({ operator }) => operator === '<=')
  if (first === undefined || lower === undefined || upper === undefined || lower.field !== upper.field) return first
  return { field: first.field, operator: 'between', value: [String(lower.value), String(upper.value)] }
}

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
