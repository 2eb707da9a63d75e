import type { AnyRowAction } from './compiled-table.ts'
import type { AnyTableDefinition } from './definition.ts'

type AnyColumn = AnyTableDefinition['columns'][string]

/** Returns whether a function of these columns or actions wants rows, and not only the value of its column. */
export const readsWholeRows = (columns: readonly AnyColumn[], rowActions: readonly AnyRowAction[]): boolean =>
  columns.some((column) => 'value' in column || 'load' in column || takesRow(column)) ||
  rowActions.some((action) => 'appliesTo' in action || 'current' in action || 'to' in action || 'copies' in action)

/** A format that declares no second parameter wants its value only, so the row need not be read for it. */
const takesRow = (column: AnyColumn): boolean =>
  'format' in column && column.format !== undefined && column.format.length > 1
