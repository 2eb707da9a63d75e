/** How a client draws a cell. A client draws nothing for a type that it does not know, so this list does not grow. */
export const wireColumnTypes = [
  'text',
  'text_truncate',
  'link',
  'boolean',
  'html',
  'datalist',
  'barcode',
  'actions',
] as const

export type WireColumnType = (typeof wireColumnTypes)[number]

/** The type of a cell's value. */
export const valueTypes = ['text', 'number', 'date', 'datetime', 'boolean', 'url', 'image', 'list'] as const

export type ValueType = (typeof valueTypes)[number]

export type ValueStyle = 'success' | 'danger' | 'info' | 'warning'

/** The value of a cell in an item. */
export type CellValue =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | { readonly value: string; readonly label: string }

export const filterTypes = ['text', 'number', 'select', 'multi_select', 'boolean', 'null', 'date'] as const

export type FilterType = (typeof filterTypes)[number]

export const operators = [
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'like',
  'not like',
  'in',
  'not in',
  'between',
  'not between',
  'starts with',
  'ends with',
  'is null',
  'is not null',
  'within',
] as const

export type Operator = (typeof operators)[number]

/** The functions of `aggregates`, over a column of the selected rows. */
export const aggregateFunctions = [
  'sum',
  'avg',
  'min',
  'max',
  'median',
  'count',
  'count_distinct',
  'count_empty',
] as const

export type AggregateFunction = (typeof aggregateFunctions)[number]

/** The units of the calendar by which dates are grouped. */
export const groupUnits = ['day', 'week', 'month', 'quarter', 'year'] as const

export type GroupUnit = (typeof groupUnits)[number]

/** The client's reaction to an action, as the action's entry declares it. */
export type OnSuccess =
  | 'no_action'
  | 'refetchRow'
  | 'refetchData'
  | 'deleteRow'
  | 'reload'
  | 'DisplayOnModal'
  | 'downloadData'
  | 'OpenModalForm'

/** The client's reaction in a response. A form is opened because of the entry, never because of a response. */
export type ResponseOnSuccess = Exclude<OnSuccess, 'OpenModalForm'>

/** The client's reaction to an action on several rows, whose response has `items` and `removed`. */
export type RowBulkOnSuccess = 'no_action' | 'refetchData' | 'deleteRow' | 'reload'

/** How a bulk action delivers its result. */
export type BulkResponse = 'instant' | 'email' | 'notification' | 'websocket'
