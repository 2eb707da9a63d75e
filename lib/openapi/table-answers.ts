import * as z from 'zod/mini'
import { bulkAction, column, filter, itemAction, itemActionKeys, rowAction } from './structure-entries.ts'
import { count, counts, rowBulkOnSuccess, rowId, rowResult, texts, urls } from './wire-values.ts'

const itemActions = z.record(z.string(), itemAction)

/** Its actions as `row_actions: "keys"` asks for them: `path_id` is what their URLs name the row by. */
const compactRow = z.object({ actions: z.record(z.string(), itemActionKeys), path_id: z.string() })

/** A row of any table: its cells by `data_src`, and the actions that apply to it. */
export const item = z.looseObject({
  id: rowId,
  row: z.optional(z.union([z.object({ actions: itemActions }), compactRow])),
  actions: z.optional(itemActions),
})

export const pagination = z.object({
  current_page: count,
  per_page: count,
  total: count,
  last_page: count,
  from: z.nullable(count),
  to: z.nullable(count),
  total_kind: z.enum(['exact', 'capped', 'estimated']),
  next_cursor: z.nullable(z.string()),
})

/** Choices of filters that depend on the request, by the name of the filter. */
const bindings = z.record(z.string(), z.array(z.looseObject({ value: rowId, label: z.string() })))

/** The structure of a table; the last three keys come with `withData`. */
export const structure = z.object({
  success: z.literal(true),
  tableName: z.string(),
  label: z.string(),
  columns: z.array(column),
  filters: z.array(filter),
  advancedFilters: z.array(filter),
  rowActions: z.record(z.string(), rowAction),
  bulkActions: z.array(bulkAction),
  sortables: z.array(z.string()),
  defSortCol: z.string(),
  defSortDir: z.enum(['asc', 'desc']),
  data: z.optional(z.array(item)),
  bindings: z.optional(bindings),
  pagination: z.optional(pagination),
})

/** The tables that the caller may load. */
export const tableList = z.object({
  success: z.literal(true),
  tables: z.array(z.object({ tableName: z.string(), label: z.string(), load_url: urls })),
})

/** A part of a request that was not understood and left out, or that no row can match. */
export const warning = z.object({
  code: z.enum(['unknown_filter', 'unknown_sort', 'unknown_key', 'unknown_param', 'empty_range']),
  field: z.string(),
  meant: z.optional(z.string()),
})

/** One page of rows. */
export const page = z.object({
  success: z.literal(true),
  items: z.array(item),
  pagination,
  bindings,
  warnings: z.optional(z.array(warning)),
})

/** One row as it is now. */
export const refetchedRow = z.object({ success: z.literal(true), data: z.object({ row: item }) })

/** Several rows as they are now, and the ids of those that are not there. */
export const refetchedRows = z.object({ success: z.literal(true), items: z.array(item), missing: z.array(rowId) })

/** The outcome of a row action for every id; without `items` on a dry run. */
export const severalRows = z.object({
  success: z.literal(true),
  onSuccess: z.optional(rowBulkOnSuccess),
  message: z.optional(z.string()),
  items: z.optional(z.array(item)),
  removed: z.optional(z.array(rowId)),
  dry_run: z.optional(z.literal(true)),
  results: z.array(rowResult),
  counts,
})

/** The one shape of every failure. */
export const failure = z.object({
  success: z.literal(false),
  errors: texts,
  error: z.string(),
  message: z.string(),
  code: z.string().check(z.minLength(1)),
  request_id: z.string(),
  fields: z.optional(z.record(z.string(), z.array(z.string()))),
  results: z.optional(z.array(rowResult)),
  counts: z.optional(counts),
})
