import type { ColumnFiltersState, GroupingState, PaginationState, SortingState } from '@tanstack/react-table'
import type { FacetOption } from '../queries.ts'
import type { CallOptions } from '../transport.ts'
import {
  type AnyClient,
  completeQuery,
  createUnsupported,
  extraParts,
  type GridItem,
  type GridPage,
  type GridQuery,
  type QueryParts,
  reachableTotal,
  strictPage,
} from './grid-client.ts'
import { type GridPart, toSelection } from './grid-filters.ts'
import { type Buckets, groupName, requireGroups, toGroupBy } from './group-reader.ts'

export interface ServerState {
  readonly pagination?: PaginationState
  readonly sorting?: SortingState
  readonly columnFilters?: ColumnFiltersState
  /** The words of a search. */
  readonly globalFilter?: unknown
  readonly params?: unknown
  /** Further parts of the query, such as `facets`. */
  readonly query?: QueryParts
}

/** The table options that leave paging, sorting and filtering to the server. */
export const serverSide = {
  manualPagination: true,
  manualSorting: true,
  manualFiltering: true,
  manualGrouping: true,
  // Never called. Without one, the table warns of each filter that is changed.
  defaultColumn: { filterFn: () => true },
} as const

/**
 * Loads the rows of a table's state, as options of the table. A column's id names its filter and its sort. A filter's
 * value is a value, a list, `{ operator, value }`, or `{ from, to }` for a date. The rows of a group are those of its
 * `token` as `query.group`.
 *
 * @example
 * const state = { pagination, sorting, columnFilters, globalFilter }
 * const { data } = useQuery({
 *   queryKey: ['flights', state],
 *   queryFn: ({ signal }) => rowsOfState(client, 'flights', state, { signal }),
 *   placeholderData: keepPreviousData,
 * })
 * const table = useTable({ ...serverSide, ...(data ?? noRows), features, columns, state,
 *   onPaginationChange: setPagination })
 */
export async function rowsOfState<Row = GridItem>(
  client: AnyClient,
  table: string,
  state: ServerState,
  options: CallOptions = {},
): Promise<{ readonly data: readonly Row[]; readonly rowCount: number; readonly meta: ServerMeta }> {
  const { pagination, sorting = [] } = state
  const query = completeQuery(state, {
    ...(pagination !== undefined && { page: pagination.pageIndex + 1, perPage: pagination.pageSize }),
    ...readSelection(state),
    sorts: sorting.map(({ id, desc }) => ({ field: id, direction: desc ? 'desc' : 'asc' })),
  })
  const page = await strictPage(client, table, query, options)
  // Only the caller knows the columns of the table that `Row` describes.
  return {
    data: page.items as unknown as readonly Row[],
    rowCount: reachableTotal(page.pagination),
    meta: { server: extraParts(page) },
  }
}

/** The `meta` of a table: the parts of its page beside the rows. */
export interface ServerMeta {
  readonly server: Partial<GridPage>
}

/** The options of a table whose first rows are still loading. */
export const noRows: { readonly data: readonly never[]; readonly rowCount: number; readonly meta: ServerMeta } = {
  data: [],
  rowCount: 0,
  meta: { server: {} },
}

/**
 * The `features` of a table whose facets are those of `query.facets`: `tableFeatures({ columnFacetingFeature,
 * ...serverFacets })`.
 */
export const serverFacets = {
  facetedUniqueValues: (table: TableWithMeta, id: string) => () =>
    new Map(findFacet(table, id).flatMap(({ value, count }) => (typeof value === 'object' ? [] : [[value, count]]))),
  /** The ends of the ranges of a number; the highest value is below the second. */
  facetedMinMaxValues: (table: TableWithMeta, id: string) => (): [number, number] | undefined => {
    const ends = findFacet(table, id).flatMap(({ value }) => (typeof value === 'object' ? [value.from, value.to] : []))
    const numbers = ends.filter((end) => typeof end === 'number')
    return numbers.length === 0 ? undefined : [Math.min(...numbers), Math.max(...numbers)]
  },
}

export interface TableWithMeta {
  readonly options: { readonly meta?: Partial<ServerMeta> }
}

const findFacet = ({ options: { meta } }: TableWithMeta, id: string): readonly FacetOption[] =>
  meta?.server?.facets?.[id]?.options ?? []

interface GroupingOptions extends CallOptions {
  /** The group whose groups are read. Default: the groups of the first column. */
  readonly parent?: Pick<GroupRow, 'depth' | 'token'>
  /** The `bucket` of grouped columns, by column. */
  readonly buckets?: Buckets
  /** The `next` of the groups before. */
  readonly after?: string
}

/** A group as a row: its key under the id of its column, and totals under theirs as `<field>_<fn>`. */
export interface GroupRow {
  readonly id: string
  /** The place of its column in the state's `grouping`. */
  readonly depth: number
  readonly text: string
  readonly count: number
  /** Selects its rows as `query.group`; null where too many groups are open already. */
  readonly token: string | null
  readonly [column: string]: unknown
}

/**
 * Loads the groups of one column of the state's `grouping`. `query.aggregates` are totals of each.
 *
 * @example
 * const { data: origins } = await groupsOfState(client, 'flights', { grouping: ['origin', 'date'] })
 * const parent = origins[0]
 * const { data: days } = await groupsOfState(client, 'flights', { grouping: ['origin', 'date'] }, { parent })
 */
export async function groupsOfState(
  client: AnyClient,
  table: string,
  state: ServerState & { readonly grouping: GroupingState },
  { parent, buckets, after, ...options }: GroupingOptions = {},
): Promise<{ readonly data: readonly GroupRow[]; readonly next: string | undefined }> {
  const depth = parent === undefined ? 0 : parent.depth + 1
  const field = state.grouping[depth]
  if (field === undefined) throw createUnsupported(`groups below the ${depth} columns that are grouped`)
  if (parent?.token === null) throw createUnsupported('groups within so many groups')
  const page = await strictPage(
    client,
    table,
    completeQuery(state, {
      ...readSelection(state),
      page: 1,
      perPage: 1,
      count: 'none',
      group_by: [toGroupBy(field, buckets)],
      ...(parent !== undefined && { group: parent.token }),
      ...(after !== undefined && { groups_page: { after } }),
    }),
    options,
  )
  const data = requireGroups(page).map(({ keys, count, token, aggregates }) => ({
    ...Object.fromEntries(
      Object.entries(aggregates).flatMap(([name, totals = {}]) =>
        Object.entries(totals).map(([fn, total]) => [`${name}_${fn}`, total.value]),
      ),
    ),
    [field]: keys[0]?.value,
    id: `group:${parent?.token ?? ''}:${groupName({ keys })}`,
    depth,
    text: keys[0]?.text ?? '',
    count,
    token,
  }))
  return { data, next: page.groups_next ?? undefined }
}

/** Returns the filters and the search of a state. */
export function readSelection({ columnFilters = [], globalFilter }: ServerState): GridQuery {
  const search = globalFilter ?? ''
  if (typeof search === 'object') throw createUnsupported('a global filter that is no text')
  return {
    ...toSelection(columnFilters.map(({ id, value }) => toFilter(id, value))),
    ...(search !== '' && { search: String(search) }),
  }
}

function toFilter(field: string, value: unknown): GridPart {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  // A caller who names an operator writes a filter; the service refuses an unknown operator.
  if (isObject && 'operator' in value) return { field, ...value } as unknown as GridPart
  // A date alone would be its lower end, although any other value means "equals".
  if (value instanceof Date) throw createUnsupported(`a Date as the filter "${field}": give { from, to }`)
  if (isObject) return { field: `${field}_from`, value }
  return { field, value: value as string }
}
