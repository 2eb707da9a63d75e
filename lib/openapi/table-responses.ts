import * as z from 'zod/mini'
import { plan, replayedPlan } from './plan-responses.ts'
import { bulkAction, column, editing, filter, itemAction, itemActionKeys, rowAction } from './structure-entries.ts'
import {
  authored,
  count,
  counts,
  moment,
  olderLink,
  responseOnSuccess,
  rowBulkOnSuccess,
  rowId,
  rowResult,
  texts,
  urls,
  uuid,
} from './wire-values.ts'

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
  total_kind: z.enum(['exact', 'capped', 'estimated', 'at_least']),
  next_cursor: z.nullable(z.string()),
})

/** Choices of filters that depend on the request, by the name of the filter. */
export const bindings = z.record(
  z.string(),
  z.array(z.looseObject({ value: rowId, label: z.string(), count: z.optional(count) })),
)

/** A period of the request, such as `last_7_days`. `from` and `to` are days or moments, and `to` is exclusive. */
export const resolvedPeriod = z.object({
  field: z.string(),
  operator: z.literal('within'),
  value: z.string(),
  from: z.string(),
  to: z.string(),
})

/** So much at once, and so much again in each `seconds`, evenly. */
const usage = z.optional(z.object({ max: count, seconds: count }))

/** The limits of a caller; one that is off is absent. Beyond a limit, requests are answered 422 or 429. */
const limits = z.object({
  page_size: count,
  filters: count,
  sorts: count,
  selected_rows: count,
  instant_rows: count,
  requests: usage,
  exports: usage,
  mails: usage,
  jobs: z.object({ unfinished: count, running: z.optional(count) }),
  sockets: z.optional(count),
})

export const aggregates = z.record(
  z.string(),
  z.record(z.string(), z.object({ value: z.union([z.number(), z.string(), z.null()]), text: z.string() })),
)

/** The selected rows with the same keys. `token` opens them; it is null where too many groups are open already. */
export const group = z.object({
  keys: z.array(z.object({ value: z.union([z.string(), z.number(), z.boolean(), z.null()]), text: z.string() })),
  count,
  aggregates,
  token: z.nullable(z.string()),
})

/** Which restrictions exclude rows, or one row. */
export const explanation = z.union([
  z.object({
    total: count,
    without: z.array(z.object({ filter: z.string(), total: count })),
    most: z.nullable(z.string()),
  }),
  z.object({ row_id: rowId, excluded_by: z.array(z.string()) }),
])

const facetValue = z.union([z.string(), z.number()])

export const facets = z.record(
  z.string(),
  z.object({
    options: z.array(
      z.object({
        value: z.union([facetValue, z.object({ from: facetValue, to: facetValue })]),
        label: z.string(),
        count: z.int(),
      }),
    ),
    more: z.boolean(),
  }),
)

/** A part of a request that was not understood and left out, or that no row can match. */
export const warning = z.object({
  code: z.enum(['unknown_filter', 'unknown_sort', 'unknown_key', 'unknown_param', 'empty_range', 'short_word']),
  field: z.string(),
  meant: z.optional(z.string()),
})

/**
 * The parts of a page that not every page has. With `request_seq` in the request: that number, and a name of the
 * selected rows, equal for each of their pages.
 */
const pageParts = {
  aggregates: z.optional(aggregates),
  facets: z.optional(facets),
  groups: z.optional(z.array(group)),
  groups_next: z.optional(z.nullable(z.string())),
  explain: z.optional(explanation),
  selection_token: z.optional(z.string()),
  partial: z.optional(z.array(z.enum(['aggregates', 'facets', 'groups', 'explain', 'selection']))),
  resolved: z.optional(z.array(resolvedPeriod)),
  request_seq: z.optional(count),
  query_hash: z.optional(z.string()),
  view: z.optional(z.object({ id: uuid, revision: z.int() })),
}

/**
 * A saved view as its reader sees it. `query` is absent, and `usable` false, while its owner may not use what it uses.
 */
export const savedView = z.object({
  id: uuid,
  name: z.string(),
  visibility: z.enum(['private', 'shared']),
  is_default: z.boolean(),
  own: z.boolean(),
  revision: z.int(),
  created_at: moment,
  updated_at: moment,
  query: z.optional(z.record(z.string(), z.unknown())),
  usable: z.optional(z.literal(false)),
})

export const viewResponse = z.object({ success: z.literal(true), view: savedView })

/** `more`: others share views that are not listed. */
export const viewList = z.object({
  success: z.literal(true),
  items: z.array(savedView),
  can_share: z.boolean(),
  more: z.optional(z.literal(true)),
})

/** The structure of a table; the last keys, from `data` on, come with `withData`. */
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
  limits,
  /** Present where the caller can edit cells. */
  editing: z.optional(editing),
  views: z.optional(z.array(savedView)),
  data: z.optional(z.array(item)),
  bindings: z.optional(bindings),
  pagination: z.optional(pagination),
  ...pageParts,
  warnings: z.optional(z.array(warning)),
})

/** The tables that the caller may load. */
export const tableList = z.object({
  success: z.literal(true),
  tables: z.array(z.object({ tableName: z.string(), label: z.string(), load_url: urls })),
})

/** One page of rows. */
export const page = z.object({
  success: z.literal(true),
  items: z.array(item),
  pagination,
  bindings,
  ...pageParts,
  warnings: z.optional(z.array(warning)),
})

/** One row as it is now. */
export const refetchedRow = z.object({ success: z.literal(true), data: z.object({ row: item }) })

const storedValue = z.optional(
  z.object({ value: z.union([z.string(), z.number(), z.boolean(), z.null()]), text: z.string() }),
)

/** The changes of the cells of a row, the latest first. A redacted cell has no values. */
export const history = z.object({
  success: z.literal(true),
  changes: z.array(
    z.object({
      id: uuid,
      at: moment,
      by: z.string(),
      own: z.boolean(),
      undoes: z.optional(uuid),
      cells: z.array(
        z.object({
          field: z.string(),
          label: z.string(),
          before: storedValue,
          after: storedValue,
          redacted: z.optional(z.literal(true)),
        }),
      ),
    }),
  ),
  next: z.nullable(z.string()),
})

/** The current state of the requested rows, and the ids of the missing ones. */
export const refetchedRows = z.object({ success: z.literal(true), items: z.array(item), missing: z.array(rowId) })

/** The URL that takes a change back, by POST, and when it expires. */
export const undo = z.object({ url: z.string(), expires_at: moment })

/**
 * The changed rows as the caller's page shows them, those that it shows no more, and its parts to be asked for again.
 */
export const effects = z.object({
  rows: z.array(item),
  removed: z.array(rowId),
  refetch: z.array(z.enum(['rows', 'aggregates', 'facets', 'bindings'])),
  warnings: z.optional(z.array(warning)),
})

/** The outcome of a row action for every id, without `items` on a dry run; or its plan. */
export const severalRows = z.object({
  success: z.literal(true),
  onSuccess: z.optional(rowBulkOnSuccess),
  message: z.optional(z.string()),
  items: z.optional(z.array(item)),
  removed: z.optional(z.array(rowId)),
  dry_run: z.optional(z.literal(true)),
  results: z.optional(z.array(rowResult)),
  counts: z.optional(counts),
  ...replayedPlan,
  plan: z.optional(plan),
  undo: z.optional(undo),
  effects: z.optional(effects),
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
  /** The row as it is now, and its cells that have changed, for `row_version_conflict`. */
  current: z.optional(item),
  changed: z.optional(z.array(z.object({ field: z.string(), label: z.string(), now: z.unknown() }))),
  /** The rows of the page and now, and how many have come, gone and changed if these are few, for `selection_moved`. */
  selection: z.optional(
    z.object({
      rows: count,
      rows_now: count,
      entered: z.nullable(count),
      left: z.nullable(count),
      changed: z.nullable(count),
      tolerance: count,
    }),
  ),
})

/** Keys that every response of a row action may have; an author's own code may add others. */
const common = {
  success: z.literal(true),
  message: z.string(),
  redirect_routes: z.optional(urls),
  copy_value: z.optional(z.string()),
  undo: z.optional(undo),
  effects: z.optional(effects),
}

const detail = z.looseObject({
  label: z.string(),
  value: z.unknown(),
  type: z.optional(z.string()),
  value_type: z.optional(z.string()),
})

/**
 * The first response of an action whose entry says `OpenModalForm`; its `onSuccess` is for after the second request.
 */
export const openedForm = z.looseObject({
  ...common,
  onSuccess: responseOnSuccess,
  payload: z.looseObject({ schema: authored, values: authored }),
  method: z.literal('post'),
  url: z.string(),
})

/** The responses of an action that ran on one row: what a client does next depends on its `onSuccess`. */
export const changedRow = z.looseObject({
  ...common,
  onSuccess: z.literal('refetchRow'),
  data: z.looseObject({ row: item }),
})
export const changedRows = z.looseObject({ ...common, onSuccess: z.literal('refetchData'), items: z.array(item) })
export const shownDetails = z.looseObject({
  ...common,
  onSuccess: z.literal('DisplayOnModal'),
  data: z.record(z.string(), detail),
})
export const madeFile = z.looseObject({
  ...common,
  onSuccess: z.literal('downloadData'),
  data: z.looseObject({ url: z.string(), filename: z.optional(z.string()), ...olderLink }),
})
export const otherOutcome = z.looseObject({ ...common, onSuccess: z.enum(['deleteRow', 'reload', 'no_action']) })

/**
 * The response of an action on one row: its outcome, the form of an action in two steps, or the outcome of several
 * rows.
 */
export const rowActionResponse = z.union([
  openedForm,
  changedRow,
  changedRows,
  shownDetails,
  madeFile,
  otherOutcome,
  severalRows,
])
