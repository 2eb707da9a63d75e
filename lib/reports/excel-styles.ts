import type { CellStyle } from './excel-file.ts'
import type { ReportColumn } from './report-column.ts'

export type CellKind = 'text' | 'number' | 'boolean'

/** How a text is laid out beside the alignment of its column. */
export interface TextLayout {
  /** On several lines inside of its column. */
  readonly wrapped: boolean
  /** From right to left, whatever its first letter is. */
  readonly rightToLeft: boolean
}

/** How the cells of a sheet look. Whoever writes a sheet makes them once: every cell refers to them. */
export interface SheetStyles {
  /** A text in a column of some kind. It stays text even when somebody edits the cell. */
  readonly text: (kind: CellKind, layout?: TextLayout) => CellStyle
  readonly link: CellStyle
  readonly number: (format: string) => CellStyle
  /** Above the cells of such a column, aligned as they are. */
  readonly header: (kind: CellKind) => CellStyle
  /** Beside a text or a number. */
  readonly label: CellStyle
}

const font = { name: 'Calibri', size: 11, family: 2 } as const
const boldFont = { ...font, bold: true } as const
const linkFont = { ...font, underline: true, color: { argb: 'FF0563C1' } } as const
const headerFill = { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFE3E9F2' } } as const

export function sheetStyles(rightToLeft: boolean): SheetStyles {
  const [start, end] = rightToLeft ? (['right', 'left'] as const) : (['left', 'right'] as const)
  const top = { vertical: 'top' } as const
  // The indent keeps a text apart from the end of the column before.
  const alignments = {
    text: { horizontal: start, indent: 1, ...top },
    number: { horizontal: end, ...top },
    boolean: { horizontal: 'center', ...top },
  } as const
  const own = rightToLeft ? ({ readingOrder: 'rtl' } as const) : {}
  return {
    text: (kind, layout) => ({
      numFmt: '@',
      alignment: {
        ...alignments[kind],
        ...(layout?.wrapped && { wrapText: true }),
        ...(layout?.rightToLeft && { readingOrder: 'rtl' }),
      },
    }),
    link: { numFmt: '@', font: linkFont, alignment: alignments.text },
    number: (numFmt) => ({ numFmt, alignment: alignments.number }),
    header: (kind) => ({ numFmt: '@', font: boldFont, fill: headerFill, alignment: { ...alignments[kind], ...own } }),
    label: { numFmt: '@', font: boldFont, alignment: { ...alignments.text, ...own } },
  }
}

/** What most cells of a column are. */
export function cellKind({ column: { type }, numberFormat }: ReportColumn): CellKind {
  if (type === 'boolean' || type === 'number') return type
  return type === 'date' && isDateFormat(numberFormat) ? 'number' : 'text'
}

/** Whether a spreadsheet shows numbers of this format as dates. */
export const isDateFormat = (numberFormat: string): boolean => /[yhsd]/.test(numberFormat)
