import type { ColumnVO, IServerSideDatasource, IServerSideGetRowsParams, SetFilterValuesFunc } from 'ag-grid-community'
import type { Aggregates, Group } from '../queries.ts'
import type { AnyTable } from '../table-types.ts'
import type { AggregateFunction } from '../wire.ts'
import { toFilters } from './ag-grid-filters.ts'
import {
  type AnyClient,
  completeQuery,
  createUnsupported,
  exactTotal,
  type GridItem,
  type GridQuery,
  gridClient,
  pageAt,
  type QueryParts,
  strictPage,
} from './grid-client.ts'
import { toSelection } from './grid-filters.ts'
import { type Buckets, createGroupReader, type GroupedQuery, groupName, toGroupBy } from './group-reader.ts'

interface AgGridOptions {
  /** Called with the error if rows could not be loaded; the grid itself does not report it. */
  readonly onError?: (error: unknown) => void
  readonly params?: unknown
  /** Further parts of each query, or a function that returns them, such as the search of an input. */
  readonly query?: QueryParts | (() => QueryParts)
  /** The `bucket` of grouped columns, by column. */
  readonly buckets?: Buckets
}

type AskedRows = Pick<IServerSideGetRowsParams<GridItem>, 'request' | 'needsGrandTotal'>
type Request = AskedRows['request']

/**
 * Creates a data source for AG Grid's server-side row model. A column's `colId`, by default its `field`, names its
 * filter and its sort, and its `field` its groups and totals. `inRange` includes both ends. Rows of groups have an
 * `id`, the key under the field of their column, its `text`, totals, and `childCount`.
 *
 * @example
 * createGrid(element, { rowModelType: 'serverSide', getRowId: ({ data }) => String(data.id), columnDefs,
 *   serverSideDatasource: agGridDatasource(client, 'flights') })
 */
export function agGridDatasource(
  client: AnyClient,
  table: string,
  options: AgGridOptions = {},
): IServerSideDatasource<GridItem> {
  const begin = () => {
    const ended = new AbortController()
    const read = (query: GridQuery) => strictPage(client, table, query, { signal: ended.signal })
    return { ended, read, ...createGroupReader(read) }
  }
  let current = begin()
  const readRows = async ({ request, needsGrandTotal }: AskedRows, { read, readGroups, openGroup }: typeof current) => {
    const { startRow: start, endRow: end, groupKeys, rowGroupCols, valueCols, pivotMode } = request
    if (pivotMode) throw createUnsupported('pivoting')
    if (start === undefined || end === undefined) throw createUnsupported('all rows at once')
    const { added, grouped } = toGroupedQuery(request, options, needsGrandTotal)
    if (groupKeys.length < rowGroupCols.length) {
      checkGroupSorts(request)
      const { page, groups, isLast } = await readGroups(grouped, groupKeys, [start, end - start])
      return {
        rowData: groups.map((group) => toGroupRow(request, group)),
        ...(isLast && { rowCount: start + groups.length }),
        ...(needsGrandTotal && { grandTotalData: toTotals(valueCols, page.aggregates, exactTotal(page.pagination)) }),
      }
    }
    const group = await openGroup(grouped, groupKeys)
    const { items, pagination, aggregates } = await read(
      completeQuery(added, {
        ...grouped.selection,
        ...pageAt(start, end - start),
        sorts: toSorts(request),
        ...(group !== undefined && { group }),
        ...(needsGrandTotal && { aggregates: grouped.aggregates }),
      }),
    )
    const total = exactTotal(pagination)
    const rowCount = total ?? (pagination.next_cursor === null ? start + items.length : undefined)
    return {
      rowData: [...items],
      ...(rowCount !== undefined && { rowCount }),
      ...(needsGrandTotal && { grandTotalData: toTotals(valueCols, aggregates, total) }),
    }
  }
  return {
    getRows: async (asked) => {
      const used = current
      try {
        asked.success(await readRows(asked, used))
      } catch (error) {
        asked.fail()
        if (used === current) options.onError?.(error)
      }
    },
    // The grid may load rows again by a source that it has destroyed.
    destroy: () => {
      current.ended.abort()
      current = begin()
    },
  }
}

/**
 * Creates the `values` of a set filter: the most frequent values of the facet that the column's `colId` names, and null
 * where the filter allows `is null`. More than 100 are an error, because the grid selects all values but those that a
 * user excludes.
 *
 * @example
 * { field: 'damage', filter: 'agSetColumnFilter', filterParams: { values: agGridSetValues(client, 'bird_strikes') } }
 */
export function agGridSetValues(
  client: AnyClient,
  table: string,
  { onError, params }: Pick<AgGridOptions, 'onError' | 'params'> = {},
): SetFilterValuesFunc<GridItem> {
  const readValues = async (field: string) => {
    const [{ facets }, { filters, advancedFilters }] = await Promise.all([
      strictPage(client, table, { facets: [field], perPage: 1, count: 'none', params }),
      gridClient(client).loadTable(table, { params }),
    ])
    const { options = [], more = true } = facets?.[field] ?? {}
    if (more) throw createUnsupported(`a list of all values of "${field}": there are too many`)
    const values: (string | null)[] = options.map(({ value }) => {
      if (typeof value === 'object') throw createUnsupported(`a list of the values of "${field}", which are ranges`)
      return String(value)
    })
    const filter = [...filters, ...advancedFilters].find(({ filter_name }) => filter_name === field)
    return filter?.props.operators.includes('is null') ? [...values, null] : values
  }
  return ({ column, success }) => {
    readValues(column.getColId()).then(success, (error: unknown) => {
      onError?.(error)
      success([])
    })
  }
}

function toGroupedQuery({ filterModel, rowGroupCols, valueCols }: Request, options: AgGridOptions, isTotal: boolean) {
  const { params, buckets } = options
  const fields = [...rowGroupCols, ...valueCols].map(columnField)
  const twice = fields.find((field, index) => fields.indexOf(field) < index)
  if (twice !== undefined) throw createUnsupported(`two totals, or a group and its total, of "${twice}" in one cell`)
  const added = { query: typeof options.query === 'function' ? options.query() : options.query, params }
  const grouped: GroupedQuery = {
    selection: completeQuery(added, toSelection(toFilters(filterModel))),
    levels: rowGroupCols.map((column) => toGroupBy(columnField(column), buckets)),
    aggregates: valueCols.flatMap((column) => {
      const fn = requireFunction(column)
      return fn === 'rows' ? [] : [{ field: columnField(column), fn }]
    }),
    count: isTotal ? 'exact' : 'none',
  }
  return { added, grouped }
}

const columnField = ({ id, field = id }: ColumnVO): string => field

/** The grid's functions of totals; its `count` counts rows. */
const functions: Readonly<Partial<Record<string, AggregateFunction | 'rows'>>> = {
  sum: 'sum',
  min: 'min',
  max: 'max',
  avg: 'avg',
  count: 'rows',
}

function requireFunction({ id, aggFunc = '' }: ColumnVO): AggregateFunction | 'rows' {
  const fn = Object.hasOwn(functions, aggFunc) ? functions[aggFunc] : undefined
  if (fn === undefined) throw createUnsupported(`the total "${aggFunc}" of "${id}"`)
  return fn
}

/** The cells of totals. A total that took too long is missing. */
function toTotals(columns: readonly ColumnVO[], totals: Aggregates<AnyTable> | undefined, count: number | undefined) {
  const cells = columns.map((column) => {
    const fn = requireFunction(column)
    return [columnField(column), fn === 'rows' ? count : totals?.[columnField(column)]?.[fn]?.value] as const
  })
  return Object.fromEntries(cells)
}

function toGroupRow({ rowGroupCols, groupKeys, valueCols }: Request, group: Group<AnyTable>): GridItem {
  const column = rowGroupCols[groupKeys.length]
  const name = groupName(group)
  return {
    text: group.keys[0]?.text,
    ...toTotals(valueCols, group.aggregates, group.count),
    ...(column !== undefined && { [columnField(column)]: name }),
    id: `group:${JSON.stringify([...groupKeys, name])}`,
    childCount: group.count,
  }
}

const isGroupColumn = (colId: string): boolean => colId.startsWith('ag-Grid-AutoColumn')

/** The service orders groups by their keys. Sorts of other columns are for the rows within groups. */
function checkGroupSorts({ sortModel, rowGroupCols, groupKeys, valueCols }: Request): void {
  for (const { colId, sort } of sortModel) {
    const isKey = isGroupColumn(colId) || colId === rowGroupCols[groupKeys.length]?.id
    if (isKey && sort === 'desc') throw createUnsupported('groups in descending order')
    if (!isKey && valueCols.some(({ id }) => id === colId)) throw createUnsupported('groups sorted by their totals')
  }
}

/** Rows within a group are equal in the columns of the group. */
function toSorts({ sortModel, rowGroupCols }: Request): NonNullable<GridQuery['sorts']> {
  const sorts = sortModel.filter(({ colId }) => !isGroupColumn(colId) && !rowGroupCols.some(({ id }) => id === colId))
  return sorts.map(({ colId, sort, type = 'default' }) => {
    if (type !== 'default') throw createUnsupported(`the sort "${type}" of "${colId}"`)
    return { field: colId, direction: sort }
  })
}
