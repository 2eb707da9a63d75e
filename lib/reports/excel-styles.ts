import type { CellStyle } from './excel-file.ts'
import type { ReportColumn } from './report-column.ts'

export type CellKind = 'text' | 'number' | 'boolean'

/** How the cells of a sheet look. Whoever writes a sheet makes them once: every cell refers to them. */
export interface SheetStyles {
  /** Text stays text even when somebody edits the cell. */
  readonly text: CellStyle
  readonly number: (format: string) => CellStyle
  readonly boolean: CellStyle
  /** Above the cells of such a column, aligned as they are. */
  readonly header: (kind: CellKind) => CellStyle
  /** Beside a text or a number. */
  readonly label: CellStyle
}

const boldFont = { bold: true, name: 'Calibri', size: 11, family: 2 } as const
const headerFill = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFE3E9F2' } } as const

export function sheetStyles(rightToLeft: boolean): SheetStyles {
  const [start, end] = rightToLeft ? (['right', 'left'] as const) : (['left', 'right'] as const)
  // The indent keeps a text apart from the end of the column before.
  const alignments = {
    text: { horizontal: start, indent: 1 },
    number: { horizontal: end },
    boolean: { horizontal: 'center' },
  } as const
  const text = { numFmt: '@', alignment: alignments.text } as const
  return {
    text,
    number: (numFmt) => ({ numFmt, alignment: alignments.number }),
    boolean: { alignment: alignments.boolean },
    header: (kind) => ({ numFmt: '@', font: boldFont, fill: headerFill, alignment: alignments[kind] }),
    label: { ...text, font: boldFont },
  }
}

/** What most cells of a column are. */
export function cellKind({ column: { type }, numberFormat }: ReportColumn): CellKind {
  if (type === 'boolean' || type === 'number') return type
  return type === 'date' && isDateFormat(numberFormat) ? 'number' : 'text'
}

/** Whether a spreadsheet shows numbers of this format as dates. */
export const isDateFormat = (numberFormat: string): boolean => /[yhsd]/.test(numberFormat)
