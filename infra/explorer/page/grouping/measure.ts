import type { Structure } from '../service/wire.ts'
import type { View } from '../state/view.ts'
import { totalName } from '../totals/total-functions.ts'
import { findColumn } from './group-columns.ts'
import { groupingTexts } from './grouping-texts.ts'
import type { ShownGroup } from './use-groups.ts'

/** A number of each group: how many rows it has, or a total of them. */
export interface Measure {
  readonly key: string
  readonly name: string
  /** Whether bars can show it: a date has no length. */
  readonly isNumber: boolean
  readonly read: (group: ShownGroup) => { readonly value: number | undefined; readonly text: string | undefined }
}

type Totals = Readonly<Record<string, { readonly value: unknown; readonly text: string } | undefined>>

/** The rows of each group, and the totals of the view. */
export function createMeasures(view: View, structure: Structure, language: 'en' | 'ar'): readonly Measure[] {
  const rows: Measure = {
    key: 'rows',
    name: groupingTexts[language].rows,
    isNumber: true,
    read: ({ count }) => ({ value: count, text: undefined }),
  }
  const totals = view.totals.flatMap(({ field, fn }): readonly Measure[] => {
    const column = findColumn(structure, field)
    if (column === undefined) return []
    const read = ({ aggregates }: ShownGroup) => {
      const total = ((aggregates[field] ?? {}) as Totals)[fn]
      const value = total?.value == null ? undefined : Number(total.value)
      return { value: Number.isFinite(value) ? value : undefined, text: total?.text || '–' }
    }
    const isNumber = column.value_type === 'number' || fn.startsWith('count')
    return [{ key: `${fn}:${field}`, name: `${column.label}: ${totalName(column, fn, language)}`, isNumber, read }]
  })
  return [rows, ...totals]
}
