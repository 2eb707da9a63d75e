import type { AjaxData, AjaxDataColumn, AjaxFunction } from 'datatables.net'
import {
  type AnyClient,
  completeQuery,
  createUnsupported,
  type GridItem,
  type GridQuery,
  pageAt,
  type QueryParts,
  reachableTotal,
  strictPage,
} from './grid-client.ts'
import { type GridPart, toSelection } from './grid-filters.ts'
import { readSearchBuilder, type SearchGroup } from './search-builder.ts'
import { type PaneOptions, readSearchPanes, type SearchPanes, toPaneOptions } from './search-panes.ts'

interface DataTablesOptions {
  readonly params?: unknown
  /** Further parts of each query. */
  readonly query?: QueryParts
  /** The `data` of the columns that SearchPanes has panes for: their options are facets of at most 100 values. */
  readonly panes?: readonly string[]
  /** Called with the whole error; DataTables shows only its message. */
  readonly onError?: (error: unknown) => void
}

/** A request of DataTables with what SearchPanes and SearchBuilder add to it. */
interface PageRequest extends AjaxData {
  readonly searchPanes?: SearchPanes
  readonly searchBuilder?: SearchGroup
}

interface Answer {
  readonly draw: number | undefined
  readonly recordsTotal: number
  readonly recordsFiltered: number
  readonly data: readonly GridItem[]
  readonly searchPanes?: PaneOptions
  readonly error?: string
}

/**
 * Creates the `ajax` function for DataTables with `serverSide: true`. A column's `name`, or else its `data`, names its filter and its
 * sort. A column's search uses the first operator of its filter.
 *
 * @example
 * new DataTable('#flights', { serverSide: true, ordering: true,
 *   columns: [{ data: 'origin', name: 'origin' }], ajax: dataTablesAjax(client, 'flights') })
 */
export function dataTablesAjax(client: AnyClient, table: string, options: DataTablesOptions = {}): AjaxFunction {
  const { params, query = {}, panes = [], onError } = options
  // Options of panes depend on the selected rows alone, so that no facet is counted for another page of them.
  let shown: string | undefined
  const loadPage = async (asked: PageRequest): Promise<Answer> => {
    const selection = toSelection(readFilters(asked))
    const search = readSearch(asked)
    const selected = JSON.stringify([selection, search])
    const facets = panes.length > 0 && selected !== shown ? { facets: panes.map(findField(asked)) } : {}
    const parts = { ...query, ...(params !== undefined && { params }) }
    const page = await strictPage(
      client,
      table,
      completeQuery(parts, { ...toPage(asked), ...selection, ...search, ...facets }),
    )
    const total = reachableTotal(page.pagination)
    const counts = { draw: asked.draw, recordsTotal: total, recordsFiltered: total }
    if (page.facets === undefined || panes.length === 0) return { ...counts, data: page.items }
    shown = selected
    return { ...counts, data: page.items, searchPanes: toPaneOptions(panes, findField(asked), page) }
  }
  return (asked, callback) => {
    loadPage(asked as PageRequest).then(callback, (error: unknown) => {
      onError?.(error)
      const text = error instanceof Error ? error.message : String(error)
      callback({ draw: asked.draw, recordsTotal: 0, recordsFiltered: 0, data: [], error: text } satisfies Answer)
    })
  }
}

function toPage({ start = 0, length = 10, order = [], columns = [] }: PageRequest): GridQuery {
  if (length < 0) throw createUnsupported('all rows at once')
  return {
    ...pageAt(start, length),
    sorts: order.flatMap(({ column, dir }) => {
      const sorted = columns[column]
      return sorted === undefined || dir === '' ? [] : { field: fieldName(sorted), direction: dir as 'asc' | 'desc' }
    }),
  }
}

/** Each word must occur, as in a smart search of the grid. */
function readSearch({ search }: PageRequest): Pick<GridQuery, 'search'> {
  if (search === undefined) return {}
  const { value, regex, fixed = [], groups = [], groupsFixed = [] } = search
  if (fixed.length > 0 || groupsFixed.length > 0) throw createUnsupported('a fixed search')
  if (groups.length > 0) throw createUnsupported('a search in a group of columns')
  if (value === '') return {}
  if (regex) throw createUnsupported('a search by regular expression')
  return { search: value }
}

const readFilters = (asked: PageRequest): readonly GridPart[] => [
  ...(asked.columns ?? []).flatMap(toFilters),
  ...readSearchPanes(asked.searchPanes ?? {}, findField(asked)),
  ...readSearchBuilder(asked.searchBuilder ?? {}, findField(asked)),
]

/** Returns the function from the `data` of a column to the name of its filter. */
const findField =
  ({ columns = [] }: PageRequest) =>
  (data: string): string => {
    const column = columns.find((one) => String(one.data) === data)
    return column === undefined ? data : fieldName(column)
  }

function toFilters(column: AjaxDataColumn): readonly GridPart[] {
  const { value, regex, fixed = [] } = column.search
  if (fixed.length > 0) throw createUnsupported('a fixed search')
  if (value === '') return []
  if (regex) throw createUnsupported('a search by regular expression')
  return [{ field: fieldName(column), value }]
}

const fieldName = ({ name, data }: AjaxDataColumn): string => name || String(data)
