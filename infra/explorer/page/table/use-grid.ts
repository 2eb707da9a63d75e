import { useMemo } from 'react'
import type { Column, Structure } from '../service/wire.ts'
import type { Sort } from '../state/view.ts'

export interface GridState {
  readonly columns: readonly Column[]
  /** The columns whose visibility differs from the default of the table: `-name` is hidden, `name` is shown. */
  readonly changedColumns: readonly string[]
  readonly sorts: readonly Sort[]
  /** The order where the view names none. */
  readonly defaultSort: Sort
  readonly onSorts: (sorts: readonly Sort[]) => void
}

export interface Grid {
  /** The columns on the screen, in their order. */
  readonly columns: readonly Column[]
  /** The order of the rows, which is the default where the view names none. */
  readonly sorts: readonly Sort[]
  /** Sorts by a column: up, down, not at all. `isAdded` keeps the other sorts. */
  readonly toggleSort: (field: string, isAdded: boolean) => void
}

/** Whether a column is on the screen, given what differs from how the table begins. */
export const isShown = ({ data_src: name, showable }: Column, changed: readonly string[]): boolean =>
  showable ? !changed.includes(`-${name}`) : changed.includes(name)

/** The columns that hold values; the one of type `actions` is drawn beside them. */
export const valueColumns = (columns: readonly Column[]) => columns.filter(({ type }) => type !== 'actions')

export const columnLabel = ({ columns }: Structure, field: string): string =>
  columns.find(({ data_src: name }) => name === field)?.label ?? field

/** The table's model: which columns there are, and what is sorted. The service does all the work on rows. */
export function useGrid({ columns, changedColumns, sorts, defaultSort, onSorts }: GridState): Grid {
  const shown = useMemo(
    () => valueColumns(columns).filter((column) => isShown(column, changedColumns)),
    [columns, changedColumns],
  )
  const now = sorts.length > 0 ? sorts : [defaultSort]
  const toggleSort = (field: string, isAdded: boolean) => {
    const before = now.find((sort) => sort.field === field)
    const next: readonly Sort[] =
      before?.direction === 'desc' ? [] : [{ field, direction: before === undefined ? 'asc' : 'desc' }]
    const kept = isAdded ? now.flatMap((sort) => (sort.field === field ? next : [sort])) : next
    const all = isAdded && before === undefined ? [...now, ...next] : kept
    // Without any sort the default would come back: where it is what was shown, the click asks for its opposite.
    const isDefault =
      now.length === 1 && before?.field === defaultSort.field && before.direction === defaultSort.direction
    onSorts(all.length === 0 && isDefault ? [{ field, direction: 'asc' }] : all)
  }
  return { columns: shown, sorts: now, toggleSort }
}
