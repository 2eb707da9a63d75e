import type { RowAnswer, RowBulkAnswer } from '../action-answers.ts'
import type { FilterOf, Item, Page, Query, Structure } from '../queries.ts'
import { TableError } from '../table-error.ts'
import type { AnyTable } from '../table-types.ts'
import type { CallOptions } from '../transport.ts'
import type { Operator, Pagination, RowId } from '../wire.ts'

export type GridQuery = Query<AnyTable>
export type GridFilter = FilterOf<AnyTable>
export type GridItem = Item<AnyTable>

/** `params` decide which rows there are; the URLs of actions in the response carry them. */
interface ParamsOptions extends CallOptions {
  readonly params?: unknown
}

/** The calls of a client that adapters use, for tables whose types are unknown. */
export interface GridClient {
  loadTable(table: string, options?: ParamsOptions): Promise<Structure<AnyTable>>
  queryTable(table: string, query: GridQuery, options: CallOptions): Promise<Page<AnyTable>>
  refetchRow(table: string, id: RowId, options?: ParamsOptions): Promise<GridItem>
  refetchRows(table: string, ids: readonly RowId[], options?: ParamsOptions): Promise<{ items: readonly GridItem[] }>
  rowAction(item: GridItem, key: string, input: unknown): Promise<RowAnswer<AnyTable>>
  rowBulkAction(
    structure: Structure<AnyTable>,
    key: string,
    ids: readonly RowId[],
    input: unknown,
  ): Promise<RowBulkAnswer<AnyTable>>
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

/** Reads one page. Rejects with `createUnsupported` if the service ignored a part of the query with a warning. */
export async function strictPage(
  client: AnyClient,
  table: string,
  query: GridQuery,
  options: CallOptions = {},
): Promise<Page<AnyTable>> {
  const page = await gridClient(client).queryTable(table, query, options)
  const [warning] = page.warnings ?? []
  if (warning === undefined) return page
  throw createUnsupported(`${warning.code === 'unknown_sort' ? 'sorting' : 'filtering'} by "${warning.field}"`)
}

/** Returns the number of rows if it is exact. */
export const exactTotal = ({ total, total_kind }: Pagination): number | undefined =>
  total_kind === 'exact' ? total : undefined

/** Returns the number of rows for a grid that needs one: where rows follow the page, at least one more than those up to its end. */
export const reachableTotal = ({ total, to, next_cursor }: Pagination): number =>
  next_cursor === null ? total : Math.max(total, (to ?? 0) + 1)

/** Creates a filter from a grid's own name of an operator. Throws `createUnsupported` for unknown names. */
export function createGridFilter(
  operators: Readonly<Partial<Record<string, Operator>>>,
  field: string,
  name: string,
  value: unknown,
): GridFilter {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (operator === undefined) throw createUnsupported(`the operator "${name}" of "${field}"`)
  return { field, operator, value: value as GridFilter['value'] }
}
