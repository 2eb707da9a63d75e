import type { IServerSideDatasource, IServerSideGetRowsRequest } from 'ag-grid-community'
import type { Operator } from '../wire.ts'
import {
  type AnyClient,
  createGridFilter,
  createUnsupported,
  exactTotal,
  type GridFilter,
  type GridItem,
  type GridQuery,
  pageAt,
  strictPage,
} from './grid-client.ts'

const operators: Readonly<Partial<Record<string, Operator>>> = {
  ...{ equals: '=', notEqual: '!=', contains: 'like', notContains: 'not like', inRange: 'between' },
  ...{ lessThan: '<', lessThanOrEqual: '<=', greaterThan: '>', greaterThanOrEqual: '>=' },
}

interface AgGridOptions {
  /** Called with the error if rows could not be loaded; the grid itself does not report it. */
  readonly onError?: (error: unknown) => void
  readonly params?: unknown
}

/**
 * Creates a data source for AG Grid's server-side row model. A column's `field` names its filter and its sort. `inRange` includes
 * both ends, a date means its whole day; grouping and pivoting are refused.
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
        const rowCount = exactTotal(pagination) ?? end
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
  if (rowGroupCols.length > 0 || pivotMode) throw createUnsupported('grouping and pivoting')
  if (startRow === undefined || endRow === undefined) throw createUnsupported('all rows at once')
  if (filterModel !== null && 'filterType' in filterModel && typeof filterModel.filterType === 'string') {
    throw createUnsupported('the advanced filter')
  }
  return {
    ...pageAt(startRow, endRow - startRow),
    filters: Object.entries(filterModel ?? {}).flatMap(([field, model]) => toFilters(field, model as AnyModel)),
    sorts: sortModel.map(({ colId, sort }) => ({ field: colId, direction: sort })),
  }
}

/** The fields of the grid's text, number, date and set filter models, with one or several conditions. */
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

function toFilters(field: string, model: AnyModel): readonly GridFilter[] {
  const { filterType, operator, conditions, values, filter, filterTo } = model
  const type = model.type ?? ''
  if (conditions !== undefined) {
    if (operator !== 'AND') throw createUnsupported(`conditions of "${field}" joined by ${operator}`)
    return conditions.flatMap((condition) => toFilters(field, condition))
  }
  if (filterType === 'date') return toDateFilters(field, type, model)
  if (filterType === 'set') return [createGridFilter({ set: 'in' }, field, filterType, values)]
  if (filterType !== 'text' && filterType !== 'number') throw createUnsupported(`a filter of type "${filterType}"`)
  return [createGridFilter(operators, field, type, type === 'inRange' ? [filter, filterTo] : filter)]
}

/** The server has two filters for a date: one for each end of the range. */
function toDateFilters(field: string, type: string, { dateFrom, dateTo }: AnyModel): readonly GridFilter[] {
  const day = (text: string | null | undefined) => text?.slice(0, 'yyyy-MM-dd'.length)
  const from = (operator: Operator) => ({ field: `${field}_from`, operator, value: day(dateFrom) ?? '' })
  const to = (operator: Operator, end = dateFrom) => ({ field: `${field}_to`, operator, value: day(end) ?? '' })
  if (type === 'equals') return [from('>='), to('<=')]
  if (type === 'inRange') return [from('>='), to('<=', dateTo)]
  const operator = type === 'notEqual' ? undefined : operators[type]
  if (operator?.startsWith('>')) return [from(operator)]
  if (operator?.startsWith('<')) return [to(operator)]
  throw createUnsupported(`the operator "${type}" of "${field}"`)
}
