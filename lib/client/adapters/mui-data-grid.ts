import type { GridDataSource, GridFilterItem, GridGetRowsParams } from '@mui/x-data-grid'
import type { Operator } from '../wire.ts'
import {
  type AnyClient,
  createGridFilter,
  createUnsupported,
  exactTotal,
  type GridFilter,
  type GridQuery,
  pageAt,
  strictPage,
} from './grid-client.ts'

/** `is` is the operator of `singleSelect` and `boolean` columns; dates have their own list. */
const operators: Readonly<Partial<Record<string, Operator>>> = {
  ...{ '=': '=', '!=': '!=', '>': '>', '>=': '>=', '<': '<', '<=': '<=' },
  ...{
    equals: '=',
    doesNotEqual: '!=',
    contains: 'like',
    doesNotContain: 'not like',
    isAnyOf: 'in',
    is: '=',
    not: '!=',
  },
}

const dateOperators: Readonly<Partial<Record<string, Operator>>> = {
  ...{ after: '>', onOrAfter: '>=', before: '<', onOrBefore: '<=' },
}

interface MuiOptions {
  /** The fields of `date` and `dateTime` columns, which the grid's requests do not contain. */
  readonly dates?: readonly string[]
  readonly params?: unknown
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
  { dates = [], params }: MuiOptions = {},
): Pick<GridDataSource, 'getRows'> {
  return {
    getRows: async (asked) => {
      const query = { ...queryOfParams(asked, new Set(dates)), ...(params !== undefined && { params }) }
      const { items, pagination } = await strictPage(client, table, query)
      return {
        rows: [...items],
        rowCount: exactTotal(pagination) ?? -1,
        pageInfo: { hasNextPage: pagination.next_cursor !== null },
      }
    },
  }
}

function queryOfParams(asked: GridGetRowsParams, dates: ReadonlySet<string>): GridQuery {
  const { filterModel, sortModel, start, end } = asked
  const { items, logicOperator, quickFilterValues = [] } = filterModel
  if (quickFilterValues.length > 0) throw createUnsupported('the quick filter')
  const chosen = items.filter(({ value }) => value !== undefined && value !== '')
  const first = chosen.length > 1 && logicOperator === ('or' as typeof logicOperator) ? chosen[0] : undefined
  if (first !== undefined) throw createUnsupported('filters joined by "or"')
  return {
    ...pageAt(Number(start), end - Number(start) + 1),
    filters: items.flatMap((item) => toFilters(item, dates.has(item.field))),
    sorts: sortModel.flatMap(({ field, sort }) => (sort ? { field, direction: sort } : [])),
  }
}

function toFilters({ field, operator, value }: GridFilterItem, isDate: boolean): readonly GridFilter[] {
  const isEmptiness = operator === 'isEmpty' || operator === 'isNotEmpty'
  // The user has not entered the value yet.
  if (!isEmptiness && (value === undefined || value === '')) return []
  if (!isDate) return [createGridFilter(operators, field, operator, value)]
  if (operator !== 'is') return [toDateFilter(field, operator, value)]
  return [toDateFilter(field, 'onOrAfter', value), toDateFilter(field, 'onOrBefore', value)]
}

/** The server has two filters for a date: one for each end of the range. */
function toDateFilter(field: string, operator: string, value: unknown): GridFilter {
  const end = operator.endsWith('efore') ? 'to' : 'from'
  const text = value instanceof Date ? toIsoDay(value) : value
  return createGridFilter(dateOperators, `${field}_${end}`, operator, text)
}

/** The picked day as `yyyy-mm-dd`, in the time zone of the browser. */
const toIsoDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
