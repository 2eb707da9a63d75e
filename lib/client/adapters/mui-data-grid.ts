import type { GridDataSource, GridFilterItem, GridFilterModel, GridGetRowsParams } from '@mui/x-data-grid'
import { all, none } from '../filter-groups.ts'
import {
  type AnyClient,
  completeQuery,
  createUnsupported,
  exactTotal,
  type GridQuery,
  pageAt,
  type QueryParts,
  strictPage,
  toDay,
} from './grid-client.ts'
import {
  createCondition,
  createDateFilter,
  type Equivalents,
  type GridPart,
  joinFilters,
  toSelection,
} from './grid-filters.ts'

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
  '=': '=',
  '!=': '!=',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
  equals: '=',
  doesNotEqual: '!=',
  contains: 'like',
  doesNotContain: 'not like',
  startsWith: 'starts with',
  endsWith: 'ends with',
  isEmpty: 'is null',
  isNotEmpty: 'is not null',
  is: '=',
  not: '!=',
  isAnyOf: 'in',
  after: '>',
  onOrAfter: '>=',
  before: '<',
  onOrBefore: '<=',
}

export interface MuiOptions {
  /** The fields of `date` columns, which the grid's requests do not contain. */
  readonly dates?: readonly string[]
  /** The fields of `dateTime` columns, whose filters have a time. */
  readonly dateTimes?: readonly string[]
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
  options: MuiOptions = {},
): Pick<GridDataSource, 'getRows'> {
  return {
    getRows: async (asked) => {
      checkParts(asked)
      const completed = completeQuery(options, toQuery(asked, options))
      const { pages, first, count } = toPages(asked)
      const lastPage = pages.length - 1
      // Their rows are counted once, with the last of the pages.
      const read = await Promise.all(
        pages.map((page, place) =>
          strictPage(client, table, { ...completed, ...page, ...(place < lastPage && { count: 'none' }) }),
        ),
      )
      const last = read.at(-1)?.pagination
      return {
        rows: read.flatMap(({ items }) => items).slice(first, first + count),
        rowCount: (last && exactTotal(last)) ?? -1,
        pageInfo: { hasNextPage: typeof last?.next_cursor === 'string' },
      }
    },
  }
}

/** Parts of requests that MUI X Pro and Premium add. */
const premiumParts = ['groupKeys', 'groupFields', 'aggregationModel', 'pivotModel']

function checkParts(asked: object): void {
  for (const [name, part] of Object.entries(asked)) {
    if (premiumParts.includes(name) && Object.keys(part ?? {}).length > 0) throw createUnsupported(`"${name}"`)
  }
}

/**
 * Returns the pages that cover the rows asked for, and the place of these rows in them. A grid that loads as a user
 * scrolls asks for several pages at once, the last of which ends with the rows.
 */
function toPages({ start, end, paginationModel }: GridGetRowsParams) {
  const count = end - Number(start) + 1
  const size = paginationModel?.pageSize ?? count
  const first = Number(start) % size
  const pages: Pick<GridQuery, 'page' | 'perPage'>[] = []
  let row = Number(start) - first
  do {
    pages.push(pageAt(row, size))
    row += size
  } while (row <= end)
  return { pages, first, count }
}

function toQuery({ filterModel, sortModel }: GridGetRowsParams, options: MuiOptions): GridQuery {
  return {
    ...readFilterModel(filterModel, options),
    sorts: sortModel.flatMap(({ field, sort }) => (sort ? { field, direction: sort } : [])),
  }
}

/** Returns the filters and the search of a grid. */
export function readFilterModel(model: GridFilterModel, options: MuiOptions): GridQuery {
  const parts = model.items.flatMap((item) => toFilter(item, options))
  return { ...toSelection(joinFilters(parts, String(model.logicOperator) === 'or' ? 'or' : 'and')), ...toSearch(model) }
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

function toFilter({ field, operator, value }: GridFilterItem, options: MuiOptions): readonly GridPart[] {
  const { dates = [], dateTimes = [] } = options
  const isEmptiness = operator === 'isEmpty' || operator === 'isNotEmpty'
  // The user has not entered the value yet.
  if (!isEmptiness && isNothing(value)) return []
  const isTime = dateTimes.includes(field)
  if (isTime && value instanceof Date && (operator === 'is' || operator === 'not')) {
    const minute = toMinute(field, value)
    return [operator === 'is' ? minute : none(minute)]
  }
  const date = value instanceof Date && (isTime ? value.toISOString() : toPickedDay(value))
  return [
    createCondition(equivalents, { field, operator, value: date || value, isDate: isTime || dates.includes(field) }),
  ]
}

/** The input of the grid has minutes, and the grid itself compares `is` and `not` without seconds. */
function toMinute(field: string, value: Date): GridPart {
  const toTime = (seconds: number) => new Date(new Date(value).setSeconds(seconds, 0)).toISOString()
  return all(createDateFilter(field, '>=', toTime(0)), createDateFilter(field, '<', toTime(60)))
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** The grid's own input returns a day as its midnight in UTC. */
const toPickedDay = (date: Date): string =>
  date.getTime() % 86_400_000 === 0 ? date.toISOString().slice(0, 10) : toDay(date)
