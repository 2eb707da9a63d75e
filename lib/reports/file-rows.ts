import type { ShownCell } from './row-token.ts'

/** A cell of a file that was sent back. */
export interface FileCell {
  readonly value: ShownCell
  /** The text of a CSV file before `withoutEscape` changed it; absent where it changed nothing. */
  readonly written?: string
  /** Whether a program shows its number as a date or a time. */
  readonly isDate?: boolean
  /** Whether a program shows its number as a hundred times as much and a percent sign. */
  readonly isPercent?: boolean
  /** Whether a formula computes the value, or fails to. */
  readonly isFormula: boolean
}

/** A row of a file that was sent back. */
export interface FileRow {
  /** The number that programs show beside the row. */
  readonly number: number
  readonly isHidden: boolean
  /** The number of its cells with the empty ones; absent in a workbook, whose cells have places. */
  readonly width?: number
  /** The cells that are not empty, by the index of their column. */
  readonly cells: ReadonlyMap<number, FileCell>
}

/** Cells that are merged, by the indexes of their columns and the numbers of their rows. */
export interface MergedRange {
  readonly columns: readonly [first: number, last: number]
  readonly rows: readonly [first: number, last: number]
}

/** One sheet of a file that was sent back. */
export interface FileSheet {
  readonly name: string
  /** Can be read once. */
  readonly rows: () => AsyncIterable<FileRow>
  /** Complete once the rows have been read. */
  readonly merged: readonly MergedRange[]
}

/** A file that was sent back. */
export interface SentFile {
  readonly kind: 'excel' | 'csv'
  readonly sheets: readonly FileSheet[]
  /** Whether numbers of days begin in 1904. */
  readonly isFrom1904: boolean
}
