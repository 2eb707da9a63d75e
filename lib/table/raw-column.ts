import { isFormatted } from './column-definition.ts'
import type { CompiledColumn } from './compiled-table.ts'
import type { Source } from './source.ts'
import { isTemporal } from './value-kind.ts'

/** A column whose cells show the values of the database. */
export type RawColumn = CompiledColumn & { readonly source: Source }

/** Returns whether cells show the values of the database: what a function makes of them may hide some. */
export const isRaw = (column: CompiledColumn): column is RawColumn =>
  column.source !== undefined && !isFormatted(column.definition)

/** Returns whether a column holds numbers; of a computed value its type tells it. */
export const isNumber = ({ type, source: { kind } }: RawColumn): boolean =>
  kind === 'integer' || kind === 'decimal' || (kind === 'unknown' && type === 'number')

/** Returns whether a column holds dates or moments; of a computed value its type tells it. */
export const isDate = ({ type, source: { kind } }: RawColumn): boolean =>
  isTemporal(kind) || (kind === 'unknown' && type === 'date')

/** Returns the source of a column's dates, in which a computed value has the kind that its decoder tells. */
export const dateSource = ({ source }: RawColumn): Source =>
  source.kind === 'unknown' ? { ...source, kind: source.isInstant ? 'instant' : 'timestamp' } : source

/**
 * Returns whether the values of a source may be listed: one of its columns shows as much as `shows` says, or it has
 * none.
 */
export function isListable(
  columns: readonly CompiledColumn[],
  source: Source,
  shows: (column: CompiledColumn) => boolean,
): boolean {
  const own = listShowing(columns, source)
  return own.length === 0 || own.some(shows)
}

/** The columns that show a source. */
export const listShowing = (columns: readonly CompiledColumn[], source: Source): readonly CompiledColumn[] =>
  columns.filter((column) => column.source?.value === source.value)

/** Returns whether cells show whole values: neither a function nor a pattern hides a part. */
export const isWhole = (column: CompiledColumn): boolean => isRaw(column) && !hasPattern(column)

/** Returns whether the author chose how the dates of a column are written, which may hide a part of them. */
export const hasPattern = ({ definition }: CompiledColumn): boolean =>
  'pattern' in definition && definition.pattern !== undefined
