import type { Api, ApiResponse, CallOptions } from './api.ts'

/** The ids of the items of an answer, in their order; the answer's text where there are none. */
export const listIds = ({ json, text }: ApiResponse): unknown =>
  json?.items?.map((item: { id: unknown }) => item.id) ?? text

/** The ids that a query selects, ascending for numbers, from one page of at most 100 rows. */
export async function selectedIds(api: Api, table: string, filters: unknown, options?: CallOptions): Promise<unknown> {
  const ids = listIds(await api.post(`query-table/${table}`, { filters, perPage: 100 }, options))
  return Array.isArray(ids) ? ids.sort((a, b) => a - b) : ids
}
