import type { RowActionResponse, RowBulkActionResponse } from '../action-responses.ts'
import type { Item, Page, Query, Structure } from '../queries.ts'
import type { RowActionOptions } from '../run-actions.ts'
import { TableError } from '../table-error.ts'
import type { AnyTable } from '../table-types.ts'
import type { CallOptions } from '../transport.ts'
import type { Pagination, RowId } from '../wire.ts'

export type GridQuery = Query<AnyTable>
export type GridPage = Page<AnyTable>
export type GridItem = Item<AnyTable>

/** `params` decide which rows there are; the URLs of actions in the response carry them. */
interface ParamsOptions extends CallOptions {
  readonly params?: unknown
  readonly include?: GridQuery['include'] | undefined
}

/** The calls of a client that adapters use, for tables whose types are unknown. */
export interface GridClient {
  loadTable(table: string, options?: ParamsOptions): Promise<Structure<AnyTable>>
  queryTable(table: string, query: GridQuery, options: CallOptions): Promise<GridPage>
  refetchRow(table: string, id: RowId, options?: ParamsOptions): Promise<GridItem>
  refetchRows(table: string, ids: readonly RowId[], options?: ParamsOptions): Promise<{ items: readonly GridItem[] }>
  rowAction(
    item: GridItem,
    key: string,
    input: unknown,
    options: RowActionOptions,
  ): Promise<RowActionResponse<AnyTable>>
  rowBulkAction(
    structure: Structure<AnyTable>,
    key: string,
    ids: readonly RowId[],
    input: unknown,
  ): Promise<RowBulkActionResponse<AnyTable>>
}

/** A client of any tables. */
export type AnyClient = { readonly [Call in keyof GridClient]: (...asked: never) => Promise<unknown> }

/** Drops the table types of a client: grids name tables and columns by plain strings. */
export const gridClient = (client: AnyClient): GridClient => client as unknown as GridClient

/** Creates the error for a feature of a grid that the service cannot provide. */
export const createUnsupported = (what: string): TableError =>
  new TableError('unsupported', `The server has no equivalent of ${what}`)

/** Returns the page that begins at row `start`, counted from 0. Throws `createUnsupported` if no page begins there. */
export function pageAt(start: number, count: number): Pick<GridQuery, 'page' | 'perPage'> {
  const page = start / count + 1
  if (!Number.isInteger(page) || count < 1) throw createUnsupported(`${count} rows from row ${start}`)
  return { page, perPage: count }
}

/** Returns a day as `yyyy-mm-dd`, in the time zone of the browser. */
export const toDay = (date: Date): string =>
  [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

/**
 * Parts of a query that grids do not send: adapters add them to each request. A part that the grid sends itself takes
 * precedence.
 */
export interface QueryParts
  extends Omit<
    GridQuery,
    'filters' | 'filter_groups' | 'page' | 'perPage' | 'cursor' | 'sorts' | 'group_by' | 'groups_page'
  > {
  /** The place of missing values in the sorts of the grid. Default: last. */
  readonly nulls?: 'first' | 'last'
}

/** The parts that an application adds to each query of a grid. */
interface AddedParts {
  readonly query?: QueryParts | undefined
  readonly params?: unknown
}

/**
 * Adds parts to the query of a grid. Where they name a saved view, empty filters and sorts are left out: the service
 * would clear those of the view.
 */
export function completeQuery(
  { query: { nulls, ...parts } = {}, params }: AddedParts,
  { filters, sorts, ...others }: GridQuery,
): GridQuery {
  const isSent = <T>(list: readonly T[] | undefined): list is readonly T[] =>
    list !== undefined && (parts.view === undefined || list.length > 0)
  return {
    ...parts,
    ...(params !== undefined && { params }),
    ...others,
    ...(isSent(filters) && { filters }),
    ...(isSent(sorts) && { sorts: nulls === undefined ? sorts : sorts.map((sort) => ({ ...sort, nulls })) }),
  }
}

const ignoredParts = {
  unknown_filter: 'filtering by',
  unknown_sort: 'sorting by',
  unknown_param: 'the param',
  unknown_key: 'the key',
} as const

/** Reads one page. Rejects with `createUnsupported` if the service ignored a part of the query with a warning. */
export async function strictPage(
  client: AnyClient,
  table: string,
  query: GridQuery,
  options: CallOptions = {},
): Promise<GridPage> {
  const page = await gridClient(client).queryTable(table, query, options)
  for (const { code, field } of page.warnings ?? []) {
    // An empty range and a word that is too short to search for are no ignored parts of the grid.
    if (code in ignoredParts) throw createUnsupported(`${ignoredParts[code as keyof typeof ignoredParts]} "${field}"`)
  }
  return page
}

/** Returns the parts of a page that were asked for beside its rows. */
export function extraParts({ aggregates, facets, explain, resolved, partial, view }: GridPage): Partial<GridPage> {
  const parts = { aggregates, facets, explain, resolved, partial, view }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined))
}

/** Returns the number of rows if it is exact. */
export const exactTotal = ({ total, total_kind }: Pagination): number | undefined =>
  total_kind === 'exact' ? total : undefined

/**
 * Returns the number of rows for a grid that needs one: where rows follow the page, at least one more than those up to
 * its end.
 */
export const reachableTotal = ({ total, to, next_cursor }: Pagination): number =>
  next_cursor === null ? total : Math.max(total, (to ?? 0) + 1)
