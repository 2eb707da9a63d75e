import type { CompiledColumn } from './compiled-table.ts'
import type { Source } from './source.ts'

/** A column whose cells show the values of the database. */
export type RawColumn = CompiledColumn & { readonly source: Source }

/** Returns whether cells show the values of the database: what a function makes of them may hide some. */
export const isRaw = (column: CompiledColumn): column is RawColumn =>
  column.source !== undefined && !('format' in column.definition && column.definition.format !== undefined)

/** Returns whether a column holds numbers; of a computed value its type tells it. */
export const isNumber = ({ type, source: { kind } }: RawColumn): boolean =>
  kind === 'integer' || kind === 'decimal' || (kind === 'unknown' && type === 'number')

/** Returns whether a column holds dates or moments. */
export const isDate = ({ source: { kind } }: RawColumn): boolean =>
  kind === 'date' || kind === 'timestamp' || kind === 'instant'

/** Returns whether the author chose how the dates of a column are written, which may hide a part of them. */
export const hasPattern = ({ definition }: CompiledColumn): boolean =>
  'pattern' in definition && definition.pattern !== undefined
