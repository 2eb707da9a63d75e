import type { GridDataSource, GridFilterItem, GridFilterModel, GridGetRowsParams } from '@mui/x-data-grid'
import {
  type AnyClient,
  completeQuery,
  createUnsupported,
  exactTotal,
  type GridQuery,
  pageAt,
  type QueryParts,
  strictPage,
} from './grid-client.ts'
import { createCondition, type Equivalents, type GridPart, joinFilters, toSelection } from './grid-filters.ts'

/** The names that the grid itself has; columns may add operators of any name. */
type OperatorName = GridFilterItem['operator'] extends infer Name
  ? Name extends string
    ? string extends Name
      ? never
      : Name
    : never
  : never

/** `is` is the operator of `singleSelect`, `boolean` and date columns. */
const equivalents: Equivalents<OperatorName> = {
  ...{ '=': '=', '!=': '!=', '>': '>', '>=': '>=', '<': '<', '<=': '<=' },
  ...{ equals: '=', doesNotEqual: '!=', contains: 'like', doesNotContain: 'not like' },
  ...{ startsWith: 'starts with', endsWith: 'ends with', isEmpty: 'is null', isNotEmpty: 'is not null' },
  ...{ is: '=', not: '!=', isAnyOf: 'in', after: '>', onOrAfter: '>=', before: '<', onOrBefore: '<=' },
}

interface MuiOptions {
  /** The fields of `date` and `dateTime` columns, which the grid's requests do not contain. */
  readonly dates?: readonly string[]
  readonly params?: unknown
  /** Further parts of each query. */
  readonly query?: QueryParts
}

/**
 * Creates a data source for MUI X's data grid. A column's `field` names its filter and its sort. Set the grid's
 * `filterDebounceMs`, and `onDataSourceError` to receive the `TableError`.
 *
 * @example
 * <DataGrid columns={columns} dataSource={muiDataSource(client, 'flights', { dates: ['date'] })} pagination />
 */
export function muiDataSource(
  client: AnyClient,
  table: string,
  { dates = [], params, query = {} }: MuiOptions = {},
): Pick<GridDataSource, 'getRows'> {
  return {
    getRows: async (asked) => {
      const parts = { ...query, ...(params !== undefined && { params }) }
      const page = await strictPage(client, table, completeQuery(parts, toQuery(asked, new Set(dates))))
      return {
        rows: [...page.items],
        rowCount: exactTotal(page.pagination) ?? -1,
        pageInfo: { hasNextPage: page.pagination.next_cursor !== null },
      }
    },
  }
}

function toQuery({ filterModel, sortModel, start, end }: GridGetRowsParams, dates: ReadonlySet<string>): GridQuery {
  const { items, logicOperator } = filterModel
  const parts = items.flatMap((item) => toFilter(item, dates.has(item.field)))
  return {
    ...pageAt(Number(start), end - Number(start) + 1),
    ...toSelection(joinFilters(parts, String(logicOperator) === 'or' ? 'or' : 'and')),
    ...toSearch(filterModel),
    sorts: sortModel.flatMap(({ field, sort }) => (sort ? { field, direction: sort } : [])),
  }
}

/** Each value of the quick filter must occur, as each word of a search. */
function toSearch({ quickFilterValues = [], quickFilterLogicOperator }: GridFilterModel): Pick<GridQuery, 'search'> {
  const words = quickFilterValues.map(String).filter((word) => word !== '')
  if (words.length === 0) return {}
  if (words.length > 1 && String(quickFilterLogicOperator) === 'or') {
    throw createUnsupported('words of the quick filter joined by "or"')
  }
  return { search: words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ') }
}

function toFilter({ field, operator, value }: GridFilterItem, isDate: boolean): readonly GridPart[] {
  const isEmptiness = operator === 'isEmpty' || operator === 'isNotEmpty'
  // The user has not entered the value yet.
  if (!isEmptiness && isNothing(value)) return []
  return [
    createCondition(equivalents, { field, operator, value: value instanceof Date ? toIsoDay(value) : value, isDate }),
  ]
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The picked day as `yyyy-mm-dd`, in the time zone of the browser. */
const toIsoDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
