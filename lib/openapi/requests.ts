import * as z from 'zod/mini'
import { maxFileDays } from '../config.ts'
import { aggregateFunctions, groupUnits } from '../wire/vocabulary.ts'
import { operator, rowId, uuid } from './wire-values.ts'

const scope = z.nullish(z.record(z.string(), z.unknown()))

const ids = z.array(rowId)

/** Leaves out of items what the structure says of every row. */
const rowActions = z.nullish(z.literal('keys'))

/** A whole number from `min`, also as text. */
const createWhole = (min: number) => z.union([z.int().check(z.gte(min)), z.string().check(z.regex(/^\d+$/))])

const rowsGuard = { expected_count: z.nullish(createWhole(0)), dry_run: z.nullish(z.boolean()) }

/** Plans the action. */
const planning = { plan: z.nullish(z.boolean()) }

const filter = z.looseObject({ field: z.string(), operator: z.nullish(operator), value: z.optional(z.unknown()) })

export const filters = z.union([z.array(filter), z.record(z.string(), z.unknown())])

export const filterGroup: z.ZodMiniType = z.union(
  (['all', 'any', 'none'] as const).map((kind) =>
    z.looseObject({ [kind]: z.array(z.union([z.lazy(() => filterGroup), filter])).check(z.minLength(1)) }),
  ),
)

const searchText = z.string().check(z.maxLength(1_000))

export const search = z.union([searchText, z.object({ q: searchText, columns: z.optional(z.array(z.string())) })])

const selecting = {
  filters: z.nullish(filters),
  filter_groups: z.nullish(filterGroup),
  time_zone: z.nullish(z.string()),
  search: z.nullish(search),
  group: z.nullish(z.string()),
}

const direction = z.enum(['asc', 'desc'])

export const sorts = z.union([
  z.array(
    z.looseObject({
      field: z.string(),
      direction: z.nullish(direction),
      nulls: z.nullish(z.enum(['first', 'last'])),
    }),
  ),
  z.record(z.string(), direction),
])

export const columnTotal = z.object({ field: z.string(), fn: z.enum(aggregateFunctions) })

const aggregates = z.array(columnTotal).check(z.maxLength(20))

/** The parts of items: further members, and the only columns. */
const shape = {
  include: z.nullish(z.array(z.enum(['raw', 'version', 'matches']))),
  columns: z.nullish(z.array(z.string()).check(z.maxLength(1_000))),
}

export const groupKey = z.object({
  field: z.string(),
  bucket: z.optional(z.union([z.enum(groupUnits), z.object({ width: z.union([z.number(), z.string()]) }), z.null()])),
})

const groupBy = z.array(groupKey).check(z.maxLength(3))

const groupsPage = z.object({
  limit: z.nullish(z.int().check(z.gte(1), z.lte(1_000))),
  after: z.nullish(z.string()),
})

/** Asks for options of a filter instead of rows. */
const searchedOptions = z.object({
  field: z.string(),
  search: z.nullish(searchText),
  page: z.nullish(z.int().check(z.gte(1), z.lte(1_000))),
  limit: z.nullish(z.int().check(z.gte(1), z.lte(100))),
})

/** How the total is found, whether it is all that is asked for, and a number that the response repeats. */
const totals = {
  count: z.nullish(z.enum(['exact', 'auto', 'none'])),
  count_only: z.nullish(z.boolean()),
  request_seq: z.nullish(z.int().check(z.gte(0))),
}

export const cleared = z.array(z.unknown()).check(z.maxLength(0), z.describe('Beside `view`: clears that of the view'))

/** A saved view that fills in the keys that the body does not have. */
const savedView = {
  filter_groups: z.nullish(z.union([filterGroup, cleared])),
  search: z.nullish(z.union([search, cleared])),
  view: z.nullish(uuid),
  view_revision: z.nullish(z.int()),
}

/** The parts of a page beside its items. */
const pageParts = z.array(z.enum(['raw', 'version', 'matches', 'selection']))

/** A page of any table; each table has a schema of its own, which names its filters and sorts. */
export const query = z.looseObject({
  ...selecting,
  sorts: z.nullish(sorts),
  page: z.nullish(createWhole(1)),
  perPage: z.nullish(createWhole(1)),
  cursor: z.nullish(z.string()),
  aggregates: z.nullish(aggregates),
  facets: z.nullish(z.array(z.string()).check(z.maxLength(10))),
  group_by: z.nullish(groupBy),
  groups_page: z.nullish(groupsPage),
  options: z.nullish(searchedOptions),
  explain: z.optional(z.union([z.boolean(), z.literal('auto'), z.object({ row_id: rowId }), z.null()])),
  row_actions: rowActions,
  ...shape,
  include: z.nullish(pageParts),
  ...totals,
  ...savedView,
  params: scope,
})

/** The page on which the effects of a change show; none without `include`. */
export const effectsPage = {
  ...selecting,
  ...savedView,
  include: z.nullish(z.array(z.enum(['effects', 'raw', 'version', 'matches']))),
  columns: shape.columns,
  row_actions: rowActions,
}

/** The keys that decide which rows an action changes: none of them may be null. */
const narrowing = {
  filters: z.optional(filters),
  filter_groups: z.optional(z.union([filterGroup, cleared])),
  search: z.optional(z.union([search, cleared])),
  group: z.optional(z.string()),
  view: z.optional(uuid),
}

/** The rows of an action of any table, and the fields of its form beside them. */
export const selection = z.looseObject({
  ...effectsPage,
  selected_ids: z.optional(ids.check(z.maxLength(10_000))),
  select_all: z.nullish(z.boolean()),
  excluded_ids: z.optional(ids.check(z.maxLength(10_000))),
  ...narrowing,
  selection_token: z.nullish(z.string()),
  tolerance: z.nullish(z.int().check(z.gte(0), z.lte(100))),
  ...planning,
  plan_id: z.nullish(uuid),
  sorts: z.nullish(sorts),
  ...rowsGuard,
  csv_separator: z.nullish(z.enum([',', ';'])),
  csv_raw: z.nullish(z.boolean()),
  /** Makes a workbook that can be edited and sent back. */
  round_trip: z.nullish(z.boolean()),
  emails: z.nullish(z.array(z.email()).check(z.maxLength(10))),
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
  expected_version: z.nullish(z.string()),
  ...effectsPage,
  params: scope,
})

/** The rows, and the fields of the action's form beside them. */
export const rowBulkBody = z.looseObject({
  selected_ids: ids.check(z.minLength(1), z.maxLength(1_000)),
  ...planning,
  ...rowsGuard,
  /** The `_version` of items by their ids; rows that have changed since are refused. */
  versions: z.nullish(z.record(z.string(), z.string())),
  ...effectsPage,
  params: scope,
})

/** Applies a plan, which has the rows and the fields of the form. */
export const planBody = z.strictObject({
  plan_id: uuid,
  include: effectsPage.include,
  columns: shape.columns,
  row_actions: rowActions,
  params: scope,
})

export const undoBody = z
  .strictObject({ ...effectsPage, params: scope })
  .check(z.describe('The keys of a page stand beside `include`'))

/** `search` is what `_matches` are of. */
const refetch = { row_actions: rowActions, ...shape, search: z.nullish(search), params: scope }

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

export const viewQuery = z.strictObject({
  ...lasting,
  sorts: z.nullish(sorts),
  columns: z.nullish(z.array(z.string())),
  per_page: z.nullish(createWhole(1)),
  aggregates: z.nullish(aggregates),
  group_by: z.nullish(groupBy),
})

/** A query of a table under a name. */
export const newView = z.strictObject({ name: viewName, ...viewSettings, query: viewQuery, params: scope })

/** The settings to change. With `revision`, the view must still have it. */
export const viewChanges = z.strictObject({
  name: z.optional(viewName),
  ...viewSettings,
  query: z.optional(viewQuery),
  revision: z.optional(z.int()),
  params: scope,
})
