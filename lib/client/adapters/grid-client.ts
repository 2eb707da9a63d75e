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

/** What adapters use of a client, for tables that they know nothing of. */
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

/** A client, of whichever tables. */
export type AnyClient = { readonly [Call in keyof GridClient]: (...asked: never) => Promise<unknown> }

/** Grids name tables and columns by texts of their own, which no type can check. */
export const gridClient = (client: AnyClient): GridClient => client as unknown as GridClient

/** A grid asks for something that would have to be ignored. */
export const unsupported = (what: string): TableError =>
  new TableError('unsupported', `The server has no equivalent of ${what}`)

/** The page that begins at a row, counted from 0. Throws where no page begins there. */
export function pageAt(start: number, count: number): Pick<GridQuery, 'page' | 'perPage'> {
  const page = start / count + 1
  if (!Number.isInteger(page) || count < 1) throw unsupported(`${count} rows from row ${start}`)
  return { page, perPage: count }
}

/** One page, as it was asked for: what the service would leave out with a warning is an error here. */
export async function strictPage(
  client: AnyClient,
  table: string,
  query: GridQuery,
  options: CallOptions = {},
): Promise<Page<AnyTable>> {
  const page = await gridClient(client).queryTable(table, query, options)
  const [warning] = page.warnings ?? []
  if (warning === undefined) return page
  throw unsupported(`${warning.code === 'unknown_sort' ? 'sorting' : 'filtering'} by "${warning.field}"`)
}

/** How many rows there are, where that is certain. */
export const certainTotal = ({ total, total_kind }: Pagination): number | undefined =>
  total_kind === 'exact' ? total : undefined

/** A filter by an operator under the name that a grid has for it. */
export function gridFilter(
  operators: Readonly<Partial<Record<string, Operator>>>,
  field: string,
  name: string,
  value: unknown,
): GridFilter {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (operator === undefined) throw unsupported(`the operator "${name}" of "${field}"`)
  return { field, operator, value: value as GridFilter['value'] }
}
