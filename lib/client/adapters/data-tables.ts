import type { AjaxData, AjaxDataColumn, AjaxFunction } from 'datatables.net'
import type { FacetOption } from '../queries.ts'
import {
  type AnyClient,
  completeQuery,
  createUnsupported,
  type GridItem,
  type GridPage,
  type GridQuery,
  pageAt,
  type QueryParts,
  reachableTotal,
  strictPage,
} from './grid-client.ts'
import {
  createCondition,
  createFilter,
  type Equivalents,
  type GridPart,
  joinFilters,
  toSelection,
} from './grid-filters.ts'

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

interface DataTablesResponse {
  readonly draw: number | undefined
  readonly recordsTotal: number
  readonly recordsFiltered: number
  readonly data: readonly GridItem[]
  readonly searchPanes?: PaneOptions
  readonly error?: string
}

/**
 * Creates the `ajax` function for DataTables with `serverSide: true`. A column's `name`, or else its `data`, names its
 * filter and its sort. A column's search uses the first operator of its filter. A request ends the one before.
 *
 * @example
 * new DataTable('#flights', { serverSide: true, ordering: true,
 *   columns: [{ data: 'origin', name: 'origin' }], ajax: dataTablesAjax(client, 'flights') })
 */
export function dataTablesAjax(client: AnyClient, table: string, options: DataTablesOptions = {}): AjaxFunction {
  const { panes = [], onError } = options
  // Options of panes depend on the selected rows alone, so that no facet is counted for another page of them.
  let shown: string | undefined
  const loadPage = async (asked: PageRequest, signal: AbortSignal): Promise<DataTablesResponse> => {
    const selection = toSelection(readFilters(asked))
    const search = readSearch(asked)
    const selected = JSON.stringify([selection, search])
    const facets = panes.length > 0 && selected !== shown ? { facets: panes.map(findField(asked)) } : {}
    const page = await strictPage(
      client,
      table,
      completeQuery(options, { ...toPage(asked), ...selection, ...search, ...facets }),
      { signal },
    )
    signal.throwIfAborted()
    const total = reachableTotal(page.pagination)
    const counts = { draw: asked.draw, recordsTotal: total, recordsFiltered: total }
    if (page.facets === undefined || panes.length === 0) return { ...counts, data: page.items }
    shown = selected
    return { ...counts, data: page.items, searchPanes: toPaneOptions(panes, findField(asked), page) }
  }
  // DataTables shows the page that it has asked for last, but the errors and the panes of all.
  const latest = new WeakMap<object, AbortController>()
  return (asked, callback, settings) => {
    latest.get(settings)?.abort()
    const own = new AbortController()
    latest.set(settings, own)
    loadPage(asked as PageRequest, own.signal).then(callback, (error: unknown) => {
      if (own.signal.aborted) return
      onError?.(error)
      const text = error instanceof Error ? error.message : String(error)
      callback({
        draw: asked.draw,
        recordsTotal: 0,
        recordsFiltered: 0,
        data: [],
        error: text,
      } satisfies DataTablesResponse)
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

/** A group of SearchBuilder's request. */
interface SearchGroup {
  readonly logic?: string
  readonly criteria?: readonly (SearchGroup | SearchCriterion)[]
}

interface SearchCriterion {
  readonly condition?: string
  /** The `data` of the column. */
  readonly origData?: string
  readonly type?: string
  readonly value?: readonly string[]
}

const equivalents: Equivalents = {
  '=': '=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  null: 'is null',
  '!null': 'is not null',
  between: 'between',
  '!between': 'not between',
  contains: 'like',
  '!contains': 'not like',
  starts: 'starts with',
  '!starts': { none: 'starts with' },
  ends: 'ends with',
  '!ends': { none: 'ends with' },
}

/** Translates the criteria of SearchBuilder. `findField` returns the name of the filter of a column. */
function readSearchBuilder(
  { logic = 'AND', criteria = [] }: SearchGroup,
  findField: (data: string) => string,
): readonly GridPart[] {
  const parts = criteria.flatMap((entry) =>
    'criteria' in entry ? readSearchBuilder(entry, findField) : readCriterion(entry as SearchCriterion, findField),
  )
  return joinFilters(parts, logic === 'OR' ? 'or' : 'and')
}

function readCriterion(
  { condition = '', origData = '', type = '', value = [] }: SearchCriterion,
  findField: (data: string) => string,
): readonly GridPart[] {
  // The user has not chosen a condition or entered its values yet.
  if (condition === '' || value.includes('') || (value.length === 0 && !condition.endsWith('null'))) return []
  const field = findField(origData)
  if (type.startsWith('array')) throw createUnsupported(`a condition on the lists of "${field}"`)
  const isDate = /date|time|moment|luxon/.test(type)
  const dates = isDate ? value.map((text) => text.replace(' ', 'T')) : value
  return [
    createCondition(equivalents, {
      field,
      operator: condition,
      value: condition.endsWith('between') ? dates : dates[0],
      isDate,
    }),
  ]
}

/** The choices of SearchPanes' request by the `data` of columns; a missing value is null. */
type SearchPanes = Readonly<Record<string, Readonly<Record<string, string | null>>>>

/** The options of panes in a response: SearchPanes shows `count` of `total`. */
interface PaneOptions {
  readonly options: Readonly<Record<string, readonly PaneOption[]>>
}

interface PaneOption {
  readonly label: string
  readonly value: string | number
  readonly count: number
  readonly total: number
}

/** Translates the choices of panes. `findField` returns the name of the filter of a column. */
const readSearchPanes = (panes: SearchPanes, findField: (data: string) => string): readonly GridPart[] =>
  Object.entries(panes).flatMap(([data, choices]) => {
    const field = findField(data)
    const values = Object.values(choices)
    const texts = values.filter((value) => value !== null)
    const listed = texts.length === 0 ? [] : [createFilter(field, 'in', texts)]
    return joinFilters([...listed, ...(texts.length < values.length ? [createFilter(field, 'is null')] : [])], 'or')
  })

/**
 * Returns the options of panes by the facets of a page. Both numbers are those of the rows that all other columns
 * select.
 */
function toPaneOptions(
  panes: readonly string[],
  findField: (data: string) => string,
  { facets = {} }: Pick<GridPage, 'facets'>,
): PaneOptions {
  const toOption = (data: string, { value, label, count }: FacetOption): PaneOption => {
    if (typeof value === 'object') throw createUnsupported(`a pane of "${data}", whose values are ranges`)
    return { value, label, count, total: count }
  }
  const entries = panes.map((data) => {
    const { options = [] } = facets[findField(data)] ?? {}
    return [data, options.map((option) => toOption(data, option))] as const
  })
  return { options: Object.fromEntries(entries) }
}
