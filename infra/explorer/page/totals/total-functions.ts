import type { AggregateFunction } from '../../../../lib/client/index.ts'
import type { Column } from '../service/wire.ts'
import { totalTexts } from './total-texts.ts'

const counts = ['count', 'count_distinct', 'count_empty'] as const
const all = ['sum', 'avg', 'min', 'max', 'median', ...counts] as const

const isDate = ({ value_type: type }: Column): boolean => type === 'date' || type === 'datetime'

/** The totals that a column can have, as far as its type tells. */
export function totalFunctions(column: Column): readonly AggregateFunction[] {
  if (column.value_type === 'number') return all
  return isDate(column) ? ['min', 'max', ...counts] : counts
}

/** Names a total of a column: the lowest date is the earliest. */
export function totalName(column: Column, fn: string, language: 'en' | 'ar'): string {
  const { fns, dates } = totalTexts[language]
  const names: Readonly<Record<string, string>> = isDate(column) ? { ...fns, ...dates } : fns
  return names[fn] ?? fn
}
