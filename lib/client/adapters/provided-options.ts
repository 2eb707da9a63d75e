import { any } from '../filter-groups.ts'
import type { Choice, RowId } from '../wire.ts'
import { type AnyClient, createUnsupported, type GridQuery, type QueryParts, strictPage } from './grid-client.ts'

/** The `meta` of a request for options: the filter whose options they are, and the `params` of its table. */
export interface OptionsMeta {
  readonly options?: unknown
  readonly params?: unknown
  readonly query?: QueryParts
  readonly [key: string]: unknown
}

interface AskedOptions extends Pick<GridQuery, 'filters' | 'filter_groups'> {
  readonly search?: string
  readonly page?: number
  readonly limit?: number
  readonly signal?: AbortSignal | undefined
}

/** An option as a record. */
interface OptionRecord extends Choice {
  readonly id: RowId
}

/** The service returns no more of them in a page. */
const maxOptions = 100

/** Returns whether a request is for options. */
export const isForOptions = (meta: OptionsMeta | undefined): boolean => typeof meta?.options === 'string'

/** Reads a page of the options of a filter with searched options, by their labels. */
export async function readOptions(client: AnyClient, table: string, meta: OptionsMeta = {}, asked: AskedOptions = {}) {
  const { search, page = 1, limit = maxOptions, signal, ...selection } = asked
  const field = String(meta.options)
  const query = {
    ...meta.query,
    ...selection,
    params: meta.params,
    options: { field, page, limit, ...(search !== undefined && { search }) },
  }
  const { bindings, pagination } = await strictPage(client, table, query, { signal })
  const data = (bindings[field] ?? []).map((option): OptionRecord => ({ id: option.value, ...option }))
  const { total, to, last_page } = pagination
  const hasNext = last_page > page
  // A grid that needs a total gets one option more than it has seen.
  return { data, hasNext, total: hasNext ? Math.max(total, (to ?? 0) + 1) : total }
}

/** Returns the options of chosen values; the label of a value that no row has is the value. */
export async function readChosenOptions(
  client: AnyClient,
  table: string,
  meta: OptionsMeta | undefined,
  ids: readonly RowId[],
  signal?: AbortSignal,
): Promise<OptionRecord[]> {
  if (ids.length > maxOptions) throw createUnsupported(`more than ${maxOptions} chosen options`)
  // The flat filters of the same name do not restrict options.
  const chosen = any(...ids.map((id) => ({ field: String(meta?.options), value: String(id) })))
  const { data } = await readOptions(client, table, meta, { filter_groups: chosen, signal })
  return ids.map((id) => ({
    ...(data.find(({ value }) => String(value) === String(id)) ?? { value: id, label: String(id) }),
    id,
  }))
}
