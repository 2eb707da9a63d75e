import type { GridDataSource, GridFilterItem, GridGetRowsParams } from '@mui/x-data-grid'
import type { Operator } from '../wire.ts'
import {
  type AnyClient,
  certainTotal,
  type GridFilter,
  type GridQuery,
  gridFilter,
  pageAt,
  strictPage,
  unsupported,
} from './grid-client.ts'

/** `is` is the operator of columns of type `singleSelect`, `boolean` and, apart from these, of dates. */
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
  /** The fields whose columns are of type `date` or `dateTime`: the grid does not tell. */
  readonly dates?: readonly string[]
  readonly params?: unknown
}

/**
 * A table for MUI X's data grid; a column's `field` is the name of its filter and of its sort. Set the grid's
 * `filterDebounceMs`, and `onDataSourceError` to hear of a `TableError`.
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
        rowCount: certainTotal(pagination) ?? -1,
        pageInfo: { hasNextPage: pagination.next_cursor !== null },
      }
    },
  }
}

function queryOfParams(asked: GridGetRowsParams, dates: ReadonlySet<string>): GridQuery {
  const { filterModel, sortModel, start, end } = asked
  const { items, logicOperator, quickFilterValues = [] } = filterModel
  if (quickFilterValues.length > 0) throw unsupported('the quick filter')
  const chosen = items.filter(({ value }) => value !== undefined && value !== '')
  const first = chosen.length > 1 && logicOperator === ('or' as typeof logicOperator) ? chosen[0] : undefined
  if (first !== undefined) throw unsupported('filters joined by "or"')
  return {
    ...pageAt(Number(start), end - Number(start) + 1),
    filters: items.flatMap((item) => filtersOf(item, dates.has(item.field))),
    sorts: sortModel.flatMap(({ field, sort }) => (sort ? { field, direction: sort } : [])),
  }
}

function filtersOf({ field, operator, value }: GridFilterItem, isDate: boolean): readonly GridFilter[] {
  const isEmptiness = operator === 'isEmpty' || operator === 'isNotEmpty'
  // A filter that somebody has only begun to write.
  if (!isEmptiness && (value === undefined || value === '')) return []
  if (!isDate) return [gridFilter(operators, field, operator, value)]
  if (operator !== 'is') return [dateEnd(field, operator, value)]
  return [dateEnd(field, 'onOrAfter', value), dateEnd(field, 'onOrBefore', value)]
}

/** A date filter of the server is two: one for each end. */
function dateEnd(field: string, operator: string, value: unknown): GridFilter {
  const end = operator.endsWith('efore') ? 'to' : 'from'
  const text = value instanceof Date ? isoDay(value) : value
  return gridFilter(dateOperators, `${field}_${end}`, operator, text)
}

/** The day that somebody has picked, in their own time zone. */
const isoDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
