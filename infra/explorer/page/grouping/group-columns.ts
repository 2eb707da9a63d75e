import { type PeriodUnit, periodUnits } from '../filters/period-words.ts'
import type { Column, Structure } from '../service/wire.ts'
import type { GroupColumn } from '../state/view.ts'
import { groupingTexts } from './grouping-texts.ts'

/** The service groups by no more columns. */
export const maxGroupColumns = 3

const isUnit = (bucket: string): bucket is PeriodUnit => periodUnits.some((unit) => unit === bucket)

export const isDate = ({ value_type: type }: Column): boolean => type === 'date' || type === 'datetime'

const ungroupable: readonly string[] = ['actions', 'html', 'datalist', 'barcode', 'image']

/** The columns that may have groups, as far as their types tell: the service refuses others. */
export const groupableColumns = ({ columns }: Structure): readonly Column[] =>
  columns.filter(({ type, value_type: values }) => !ungroupable.includes(type) && !ungroupable.includes(values))

export const findColumn = ({ columns }: Structure, field: string): Column | undefined =>
  columns.find(({ data_src: name }) => name === field)

/** The columns as the service takes them in `group_by`. */
export const writeGroupBy = (groupBy: readonly GroupColumn[]) =>
  groupBy.map(({ field, bucket }) => {
    if (bucket === '') return { field }
    return { field, bucket: isUnit(bucket) ? bucket : { width: Number(bucket) } }
  })

/** Names a column of groups, such as "Flight date (month)". */
export function groupColumnName(structure: Structure, { field, bucket }: GroupColumn, language: 'en' | 'ar'): string {
  const label = findColumn(structure, field)?.label ?? field
  if (bucket === '') return label
  return `${label} (${isUnit(bucket) ? groupingTexts[language].units[bucket] : bucket})`
}
