import * as z from 'zod/mini'
import { maxFileDays } from '../config.ts'
import { aggregateFunctions, groupUnits } from '../wire/vocabulary.ts'
import { operator, rowId, uuid } from './wire-values.ts'

const scope = z.optional(z.record(z.string(), z.unknown()))

const ids = z.array(rowId)

/** Leaves out of items what the structure says of every row. */
const rowActions = z.optional(z.literal('keys'))

const rowsGuard = { expected_count: z.optional(z.int()), dry_run: z.optional(z.boolean()) }

/** Plans the action, or applies a plan by its id, which then stands alone. */
const planning = { plan: z.optional(z.nullable(z.boolean())), plan_id: z.optional(z.nullable(uuid)) }

export const filters = z.union([
  z.array(z.looseObject({ field: z.string(), operator: z.optional(operator), value: z.optional(z.unknown()) })),
  z.record(z.string(), z.unknown()),
])

export const filterGroup: z.ZodMiniType = z.union(
  (['all', 'any', 'none'] as const).map((kind) =>
    z.looseObject({ [kind]: z.array(z.record(z.string(), z.unknown())).check(z.minLength(1)) }),
  ),
)

const searchText = z.string().check(z.maxLength(1_000))

export const search = z.union([searchText, z.object({ q: searchText, columns: z.optional(z.array(z.string())) })])

const selecting = {
  filters: z.optional(filters),
  filter_groups: z.optional(filterGroup),
  time_zone: z.optional(z.string()),
  search: z.optional(z.nullable(search)),
  group: z.optional(z.nullable(z.string())),
}

const direction = z.enum(['asc', 'desc'])

export const sorts = z.union([
  z.array(
    z.looseObject({
      field: z.string(),
      direction: z.optional(direction),
      nulls: z.optional(z.nullable(z.enum(['first', 'last']))),
    }),
  ),
  z.record(z.string(), direction),
])

export const columnTotal = z.object({ field: z.string(), fn: z.enum(aggregateFunctions) })

const aggregates = z.array(columnTotal).check(z.maxLength(20))

/** The parts of items: further members, and the only columns. */
const shape = {
  include: z.optional(z.nullable(z.array(z.enum(['raw', 'version', 'matches'])))),
  columns: z.optional(z.nullable(z.array(z.string()).check(z.maxLength(1_000)))),
}

export const groupKey = z.object({
  field: z.string(),
  bucket: z.optional(z.union([z.enum(groupUnits), z.object({ width: z.union([z.number(), z.string()]) }), z.null()])),
})

const groupBy = z.array(groupKey).check(z.maxLength(3))

const groupsPage = z.object({
  limit: z.optional(z.int().check(z.gte(1), z.lte(1_000))),
  after: z.optional(z.nullable(z.string())),
})

/** Asks for options of a filter instead of rows. */
const searchedOptions = z.object({
  field: z.string(),
  search: z.optional(z.nullable(searchText)),
  page: z.optional(z.nullable(z.int().check(z.gte(1), z.lte(1_000)))),
  limit: z.optional(z.nullable(z.int().check(z.gte(1), z.lte(100)))),
})

/** How the total is found, whether it is all that is asked for, and a number that the response repeats. */
const totals = {
  count: z.optional(z.nullable(z.enum(['exact', 'auto', 'none']))),
  count_only: z.optional(z.nullable(z.boolean())),
  request_seq: z.optional(z.nullable(z.int().check(z.gte(0)))),
}

/** A saved view that fills in the keys that the body does not have. */
const savedView = { view: z.optional(z.nullable(uuid)), view_revision: z.optional(z.nullable(z.int())) }

/** The parts of a page beside its items. */
const pageParts = z.array(z.enum(['raw', 'version', 'matches', 'selection']))

/** A page of any table; each table has a schema of its own, which names its filters and sorts. */
export const query = z.looseObject({
  ...selecting,
  sorts: z.optional(sorts),
  page: z.optional(z.int().check(z.positive())),
  perPage: z.optional(z.int().check(z.positive())),
  cursor: z.optional(z.nullable(z.string())),
  aggregates: z.optional(aggregates),
  facets: z.optional(z.array(z.string()).check(z.maxLength(10))),
  group_by: z.optional(groupBy),
  groups_page: z.optional(groupsPage),
  options: z.optional(z.nullable(searchedOptions)),
  explain: z.optional(z.union([z.boolean(), z.literal('auto'), z.object({ row_id: rowId }), z.null()])),
  row_actions: rowActions,
  ...shape,
  include: z.optional(z.nullable(pageParts)),
  ...totals,
  ...savedView,
  params: scope,
})

/** The page on which the effects of a change show; none without `include`. */
export const effectsPage = {
  ...selecting,
  ...savedView,
  include: z.optional(z.nullable(z.array(z.enum(['effects', 'raw', 'version', 'matches'])))),
  columns: shape.columns,
  row_actions: rowActions,
}

/** The rows of an action of any table, and the fields of its form beside them. */
export const selection = z.looseObject({
  ...effectsPage,
  selected_ids: z.optional(ids.check(z.maxLength(10_000))),
  select_all: z.optional(z.nullable(z.boolean())),
  excluded_ids: z.optional(ids.check(z.maxLength(10_000))),
  selection_token: z.optional(z.nullable(z.string())),
  tolerance: z.optional(z.int().check(z.gte(0), z.lte(100))),
  ...planning,
  sorts: z.optional(sorts),
  ...rowsGuard,
  csv_separator: z.optional(z.nullable(z.enum([',', ';']))),
  csv_raw: z.optional(z.nullable(z.boolean())),
  /** Makes a workbook that can be edited and sent back. */
  round_trip: z.optional(z.nullable(z.boolean())),
  emails: z.optional(z.nullable(z.array(z.email()).check(z.maxLength(10)))),
  params: scope,
})

/**
 * The fields of an action's form; without a form, nothing. `selected_ids` may name other rows than the path for actions
 * that several rows allow.
 */
export const rowActionBody = z.looseObject({
  selected_ids: z.optional(ids.check(z.maxLength(1_000))),
  ...rowsGuard,
  /**
   * The `_version` of the item; the action is refused if the row has changed since. The header `If-Match` says the
   * same.
   */
  expected_version: z.optional(z.nullable(z.string())),
  ...effectsPage,
  params: scope,
})

/** The rows, and the fields of the action's form beside them. */
export const rowBulkBody = z.looseObject({
  selected_ids: z.optional(ids.check(z.minLength(1), z.maxLength(1_000))),
  ...planning,
  ...rowsGuard,
  /** The `_version` of items by their ids; rows that have changed since are refused. */
  versions: z.optional(z.nullable(z.record(z.string(), z.string()))),
  ...effectsPage,
  params: scope,
})

export const undoBody = z.object({ ...effectsPage, params: scope })

/** `search` is what `_matches` are of. */
const refetch = { row_actions: rowActions, ...shape, search: z.optional(z.nullable(search)), params: scope }

export const rowRefetchBody = z.looseObject(refetch)

export const rowIdsBody = z.looseObject({
  row_ids: ids.check(z.maxLength(1_000)),
  ...refetch,
})

/** For how many days from now; without it as long as links in mails do. */
export const extendBody = z.object({ days: z.optional(z.int().check(z.gte(1), z.lte(maxFileDays))) })

/** Without `ids` all of them are marked as read; then the body must be empty. */
export const readBody = z.object({ ids: z.optional(z.array(z.int()).check(z.maxLength(1_000))) })

const viewSettings = {
  visibility: z.optional(z.enum(['private', 'shared'])),
  /** A new default of the caller replaces the one before. */
  is_default: z.optional(z.boolean()),
}

const viewName = z.string().check(z.minLength(1), z.maxLength(100))

const { group: _, ...lasting } = selecting

export const viewQuery = z.object({
  ...lasting,
  sorts: z.optional(sorts),
  columns: z.optional(z.array(z.string())),
  per_page: z.optional(z.int().check(z.positive())),
  aggregates: z.optional(aggregates),
  group_by: z.optional(groupBy),
})

/** A query of a table under a name. */
export const newView = z.object({ name: viewName, ...viewSettings, query: viewQuery, params: scope })

/** The settings to change. With `revision`, the view must still have it. */
export const viewChanges = z.object({
  name: z.optional(viewName),
  ...viewSettings,
  query: z.optional(viewQuery),
  revision: z.optional(z.int()),
  params: scope,
})
