import {
  columnVisibilityFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  type Updater,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import type { Column, Item } from '../service/wire.ts'
import type { Sort } from '../state/view.ts'

const features = tableFeatures({ columnVisibilityFeature, rowSortingFeature })

export interface GridState {
  readonly columns: readonly Column[]
  readonly items: readonly Item[]
  /** What differs from how the table begins, as the view has it. */
  readonly changedColumns: readonly string[]
  readonly sorts: readonly Sort[]
  readonly onSorts: (sorts: readonly Sort[]) => void
}

/** Whether a column is on the screen, given what differs from how the table begins. */
export const isShown = ({ data_src: name, showable }: Column, changed: readonly string[]): boolean =>
  showable ? !changed.includes(`-${name}`) : changed.includes(name)

/** The columns that hold values; the one of type `actions` is drawn beside them. */
export const valueColumns = (columns: readonly Column[]) => columns.filter(({ type }) => type !== 'actions')

/** The table's model: which columns and rows there are, and what is sorted. The service does all the work on rows. */
export function useGrid(state: GridState) {
  const { columns, items, changedColumns, sorts, onSorts } = state
  const definitions = useMemo(
    () =>
      valueColumns(columns).map((column) => ({
        id: column.data_src,
        accessorFn: (item: Item) => item[column.data_src],
        enableSorting: column.sortable,
      })),
    [columns],
  )
  const sorting = useMemo(
    () => sorts.map(({ field, direction }) => ({ id: field, desc: direction === 'desc' })),
    [sorts],
  )
  const columnVisibility = Object.fromEntries(
    columns.map((column) => [column.data_src, isShown(column, changedColumns)]),
  )
  return useTable({
    features,
    columns: definitions,
    data: items as Item[],
    getRowId: (item) => String(item.id),
    manualSorting: true,
    enableMultiSort: true,
    maxMultiSortColCount: 10,
    sortDescFirst: false,
    state: { sorting, columnVisibility },
    onSortingChange: (updater: Updater<SortingState>) => {
      const next = typeof updater === 'function' ? updater(sorting) : updater
      onSorts(next.map(({ id, desc }) => ({ field: id, direction: desc ? 'desc' : 'asc' })))
    },
  })
}

export type Grid = ReturnType<typeof useGrid>
