import type { AjaxData, AjaxDataColumn, AjaxFunction } from 'datatables.net'
import {
  type AnyClient,
  createUnsupported,
  type GridFilter,
  type GridItem,
  type GridQuery,
  pageAt,
  reachableTotal,
  strictPage,
} from './grid-client.ts'

interface DataTablesOptions {
  readonly params?: unknown
  /** Called with the whole error; DataTables shows only its message. */
  readonly onError?: (error: unknown) => void
}

interface Answer {
  readonly draw: number | undefined
  readonly recordsTotal: number
  readonly recordsFiltered: number
  readonly data: readonly GridItem[]
  readonly error?: string
}

/**
 * Creates the `ajax` function for DataTables with `serverSide: true`. A column's `name`, or else its `data`, names its filter and its
 * sort. The table-wide search box is not supported; a column's search uses the first operator of its filter.
 *
 * @example
 * new DataTable('#flights', { serverSide: true, ordering: true, layout: { topEnd: null },
 *   columns: [{ data: 'origin', name: 'origin' }], ajax: dataTablesAjax(client, 'flights') })
 */
export function dataTablesAjax(
  client: AnyClient,
  table: string,
  { params, onError }: DataTablesOptions = {},
): AjaxFunction {
  return (asked, callback) => {
    loadPage(client, table, asked, params).then(callback, (error: unknown) => {
      onError?.(error)
      const text = error instanceof Error ? error.message : String(error)
      callback({ draw: asked.draw, recordsTotal: 0, recordsFiltered: 0, data: [], error: text } satisfies Answer)
    })
  }
}

async function loadPage(client: AnyClient, table: string, asked: AjaxData, params: unknown): Promise<Answer> {
  const { items, pagination } = await strictPage(client, table, {
    ...toQuery(asked),
    ...(params !== undefined && { params }),
  })
  const total = reachableTotal(pagination)
  return { draw: asked.draw, recordsTotal: total, recordsFiltered: total, data: items }
}

function toQuery({ start = 0, length = 10, order = [], columns = [], search }: AjaxData): GridQuery {
  if (search !== undefined && search.value !== '') throw createUnsupported('a search in all columns')
  if (length < 0) throw createUnsupported('all rows at once')
  return {
    ...pageAt(start, length),
    filters: columns.flatMap(toFilters),
    sorts: order.flatMap(({ column, dir }) => {
      const sorted = columns[column]
      return sorted === undefined || dir === '' ? [] : { field: fieldName(sorted), direction: dir as 'asc' | 'desc' }
    }),
  }
}

function toFilters(column: AjaxDataColumn): readonly GridFilter[] {
  const { value, regex, fixed = [] } = column.search
  if (fixed.length > 0) throw createUnsupported('a fixed search')
  if (value === '') return []
  if (regex) throw createUnsupported('a search by regular expression')
  return [{ field: fieldName(column), value }]
}

const fieldName = ({ name, data }: AjaxDataColumn): string => name || String(data)
