import type { IServerSideDatasource, IServerSideGetRowsRequest } from 'ag-grid-community'
import type { Operator } from '../wire.ts'
import {
  type AnyClient,
  certainTotal,
  type GridFilter,
  type GridItem,
  type GridQuery,
  gridFilter,
  pageAt,
  strictPage,
  unsupported,
} from './grid-client.ts'

const operators: Readonly<Partial<Record<string, Operator>>> = {
  ...{ equals: '=', notEqual: '!=', contains: 'like', notContains: 'not like', inRange: 'between' },
  ...{ lessThan: '<', lessThanOrEqual: '<=', greaterThan: '>', greaterThanOrEqual: '>=' },
}

interface AgGridOptions {
  /** Hears why rows could not be loaded, which the grid itself does not tell. */
  readonly onError?: (error: unknown) => void
  readonly params?: unknown
}

/**
 * A table for AG Grid's server-side row model; a column's `field` is the name of its filter and of its sort. `inRange` has
 * both ends in it, and a date counts as its whole day. Grouping and pivoting are refused.
 *
 * @example
 * createGrid(element, { rowModelType: 'serverSide', getRowId: ({ data }) => String(data.id), columnDefs,
 *   serverSideDatasource: agGridDatasource(client, 'flights') })
 */
export function agGridDatasource(
  client: AnyClient,
  table: string,
  { onError, params }: AgGridOptions = {},
): IServerSideDatasource<GridItem> {
  const ended = new AbortController()
  return {
    getRows: async ({ request, success, fail }) => {
      try {
        const query = { ...queryOfRequest(request), ...(params !== undefined && { params }) }
        const { items, pagination } = await strictPage(client, table, query, { signal: ended.signal })
        const end = pagination.next_cursor === null ? (request.startRow ?? 0) + items.length : undefined
        const rowCount = certainTotal(pagination) ?? end
        success({ rowData: [...items], ...(rowCount !== undefined && { rowCount }) })
      } catch (error) {
        fail()
        onError?.(error)
      }
    },
    destroy: () => ended.abort(),
  }
}

function queryOfRequest(request: IServerSideGetRowsRequest): GridQuery {
  const { startRow, endRow, rowGroupCols, pivotMode, filterModel, sortModel } = request
  if (rowGroupCols.length > 0 || pivotMode) throw unsupported('grouping and pivoting')
  if (startRow === undefined || endRow === undefined) throw unsupported('all rows at once')
  if (filterModel !== null && 'filterType' in filterModel && typeof filterModel.filterType === 'string') {
    throw unsupported('the advanced filter')
  }
  return {
    ...pageAt(startRow, endRow - startRow),
    filters: Object.entries(filterModel ?? {}).flatMap(([field, model]) => filtersOf(field, model as AnyModel)),
    sorts: sortModel.map(({ colId, sort }) => ({ field: colId, direction: sort })),
  }
}

/** What the models of the grid's text, number, date and set filters have, those with several conditions included. */
interface AnyModel {
  readonly filterType?: string
  readonly operator?: 'AND' | 'OR'
  readonly conditions?: readonly AnyModel[]
  readonly type?: string | null
  readonly filter?: string | number | null
  readonly filterTo?: string | number | null
  readonly dateFrom?: string | null
  readonly dateTo?: string | null
  readonly values?: readonly (string | null)[]
}

function filtersOf(field: string, model: AnyModel): readonly GridFilter[] {
  const { filterType, operator, conditions, values, filter, filterTo } = model
  const type = model.type ?? ''
  if (conditions !== undefined) {
    if (operator !== 'AND') throw unsupported(`conditions of "${field}" joined by ${operator}`)
    return conditions.flatMap((condition) => filtersOf(field, condition))
  }
  if (filterType === 'date') return datesOf(field, type, model)
  if (filterType === 'set') return [gridFilter({ set: 'in' }, field, filterType, values)]
  if (filterType !== 'text' && filterType !== 'number') throw unsupported(`a filter of type "${filterType}"`)
  return [gridFilter(operators, field, type, type === 'inRange' ? [filter, filterTo] : filter)]
}

/** A date filter of the server is two: one for each end. */
function datesOf(field: string, type: string, { dateFrom, dateTo }: AnyModel): readonly GridFilter[] {
  const day = (text: string | null | undefined) => text?.slice(0, 'yyyy-MM-dd'.length)
  const from = (operator: Operator) => ({ field: `${field}_from`, operator, value: day(dateFrom) ?? '' })
  const to = (operator: Operator, end = dateFrom) => ({ field: `${field}_to`, operator, value: day(end) ?? '' })
  if (type === 'equals') return [from('>='), to('<=')]
  if (type === 'inRange') return [from('>='), to('<=', dateTo)]
  const operator = type === 'notEqual' ? undefined : operators[type]
  if (operator?.startsWith('>')) return [from(operator)]
  if (operator?.startsWith('<')) return [to(operator)]
  throw unsupported(`the operator "${type}" of "${field}"`)
}
