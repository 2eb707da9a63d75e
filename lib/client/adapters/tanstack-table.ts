import type { ColumnFiltersState, PaginationState, SortingState } from '@tanstack/react-table'
import type { CallOptions } from '../transport.ts'
import {
  type AnyClient,
  createUnsupported,
  type GridFilter,
  type GridItem,
  type GridQuery,
  reachableTotal,
  strictPage,
} from './grid-client.ts'

interface ServerState {
  readonly pagination?: PaginationState
  readonly sorting?: SortingState
  readonly columnFilters?: ColumnFiltersState
  readonly globalFilter?: unknown
  readonly params?: unknown
}

/** The table options that leave paging, sorting and filtering to the server. */
export const serverSide = { manualPagination: true, manualSorting: true, manualFiltering: true } as const

/**
 * Loads the rows of a table's state, as options of the table. A column's id names its filter and its sort. A filter's value is a
 * value, a list, `{ operator, value }`, or `{ from, to }` for a date.
 *
 * @example
 * const state = { pagination, sorting, columnFilters }
 * const { data } = useQuery({
 *   queryKey: ['flights', state],
 *   queryFn: ({ signal }) => rowsOfState(client, 'flights', state, { signal }),
 *   placeholderData: keepPreviousData,
 * })
 * const table = useTable({ ...serverSide, ...(data ?? noRows), features, columns, state, onPaginationChange: setPagination })
 */
export async function rowsOfState<Row = GridItem>(
  client: AnyClient,
  table: string,
  state: ServerState,
  options: CallOptions = {},
): Promise<{ readonly data: readonly Row[]; readonly rowCount: number }> {
  const { items, pagination } = await strictPage(client, table, queryOfState(state), options)
  // Only the caller knows the columns of the table that `Row` describes.
  return { data: items as unknown as readonly Row[], rowCount: reachableTotal(pagination) }
}

/** The options of a table whose first rows are still loading. */
export const noRows: { readonly data: readonly never[]; readonly rowCount: number } = { data: [], rowCount: 0 }

function queryOfState({ pagination, sorting = [], columnFilters = [], globalFilter, params }: ServerState): GridQuery {
  if (globalFilter !== undefined && globalFilter !== '') throw createUnsupported('a filter over all columns')
  return {
    ...(pagination !== undefined && { page: pagination.pageIndex + 1, perPage: pagination.pageSize }),
    filters: columnFilters.map(({ id, value }) => toFilter(id, value)),
    sorts: sorting.map(({ id, desc }) => ({ field: id, direction: desc ? 'desc' : 'asc' })),
    ...(params !== undefined && { params }),
  }
}

function toFilter(field: string, value: unknown): GridFilter {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // A caller who names an operator writes a filter; the service refuses one that is none.
  if (isObject && 'operator' in value) return { field, ...value } as unknown as GridFilter
  if (isObject) return { field: `${field}_from`, value }
  return { field, value: value as GridFilter['value'] }
}
