import * as z from 'zod/mini'
import { filterTypes, valueTypes, wireColumnTypes } from '../wire/vocabulary.ts'
import { onSuccess, operator, rowBulkOnSuccess, urls } from './wire-values.ts'

const style = z.enum(['success', 'danger', 'info', 'warning'])

const textValues = z.record(z.string(), z.object({ showValue: z.string(), style: z.optional(style) }))

const booleanValues = z.object({
  trueBool: style,
  falseBool: style,
  trueLabel: z.string(),
  falseLabel: z.string(),
})

/** The former name of a part, the day since when it is deprecated, and the day from which it may be gone. */
const formerly = z.optional(z.object({ name: z.string(), since: z.string(), sunset: z.string() }))

/** A column of the structure; only some types have the keys after `loadIf`. */
export const column = z.object({
  /** How a client draws a cell. */
  type: z.enum(wireColumnTypes),
  /** The type of a cell's value. */
  value_type: z.enum(valueTypes),
  label: z.string(),
  name: z.nullable(z.string()),
  data_src: z.string(),
  sortable: z.boolean(),
  /** Whether `search` looks for words in it; absent where it does not. */
  searchable: z.optional(z.literal(true)),
  showable: z.boolean(),
  minWidth: z.string(),
  showInMobileApp: z.boolean(),
  loadIf: z.literal(true),
  values_formating: z.optional(z.union([booleanValues, textValues])),
  format: z.optional(z.string()),
  decimals: z.optional(z.nullable(z.number())),
  linkStyle: z.optional(z.enum(['text', 'button'])),
  linkText: z.optional(z.string()),
  linkColor: z.optional(z.nullable(z.string())),
  showCopyBtn: z.optional(z.boolean()),
  /** The order of its texts: `natural` or a locale. Default: that of the database. */
  collation: z.optional(z.string()),
  /** JSON Schema of the values that `update_cells` takes for its cells; absent where the caller cannot edit them. */
  editable: z.optional(z.record(z.string(), z.unknown())),
  formerly,
})

/** The URLs of `update_cells`: of one row, whose `path_id` takes the place of `{id}`, and of several. */
export const editing = z.object({ url_template: urls, bulk_url: urls })

/** A filter of the structure; a date filter is two of them. */
export const filter = z.object({
  type: z.enum(filterTypes),
  filter_name: z.string(),
  label: z.string(),
  loadIf: z.literal(true),
  group_src: z.optional(z.string()),
  pair_with: z.optional(z.string()),
  /** In `filters`: one that `advancedFilters` has as well. */
  advanced: z.optional(z.literal(true)),
  min: z.optional(z.number()),
  max: z.optional(z.number()),
  formerly,
  props: z.object({
    operators: z.array(operator).check(z.minLength(1)),
    /** Both sides are compared without case, diacritics and tashkeel, as searches compare. */
    fold: z.optional(z.literal(true)),
    select_options: z.optional(z.record(z.string(), z.string())),
    options: z.optional(z.array(z.object({ value: z.string(), label: z.string() }))),
    default_selected: z.optional(z.enum(['all', '1', '0'])),
    is_from: z.optional(z.boolean()),
    /** The options are found by `options` of query-table. */
    searchable: z.optional(z.literal(true)),
  }),
})

const action = {
  action_key: z.string(),
  label: z.string(),
  button: z.object({ label: z.string(), btnClasses: z.array(z.string()) }),
  method: z.literal('post'),
  action: urls,
  onSuccess,
  need_confirmation: z.boolean(),
  confirmation: z.optional(z.string()),
  payload_keys: z.array(z.string()),
  showInWeb: z.boolean(),
  showInMobileApp: z.boolean(),
  /** JSON Schema of the fields to ask for. */
  form: z.optional(z.record(z.string(), z.unknown())),
}

const rowActionShape = {
  ...action,
  action_type: z.enum(['normal', 'toggle', 'redirect', 'external_redirect', 'copy', 'custom_control']),
  applicableAsBulkAction: z.boolean(),
  onBulkSuccess: z.optional(rowBulkOnSuccess),
  bulk_actions_url: z.optional(urls),
}

/** A row action of the structure: `path_id` of an item takes the place of `{id}` in `url_template`. */
export const rowAction = z.object({ ...rowActionShape, url_template: urls, formerly })

/** A bulk action of the structure. */
export const bulkAction = z.object({
  ...action,
  formerly,
  action_response: z.enum(['instant', 'email', 'notification', 'websocket']),
  /** Its file can be edited and sent back, where the body says `round_trip`. */
  round_trip: z.optional(z.literal(true)),
})

/** A row action of an item: its URLs end with the row, and each type has a value of its own. */
const varyingShape = {
  toggle_current_value: z.optional(z.boolean()),
  redirect_routes: z.optional(urls),
  copy_value: z.optional(z.string()),
  /** The row does not allow the action now, and `reason` says why; absent where it does. */
  enabled: z.optional(z.literal(false)),
  reason: z.optional(z.string()),
}

export const itemAction = z.object({ ...rowActionShape, ...varyingShape })

/** The same with `row_actions: "keys"`: what the structure does not say of every row. */
export const itemActionKeys = z.object(varyingShape)
