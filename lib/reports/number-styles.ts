import { drain, type PartHandlers, parsePart } from './parse-part.ts'
import { type Archive, unreadable } from './unpack-file.ts'

/** The numbers of the styles that show a number as something else. */
export interface NumberStyles {
  /** As a date or a time. */
  readonly dateStyles: ReadonlySet<number>
  readonly percentStyles: ReadonlySet<number>
}

/** Reads how the cells of a workbook show numbers. Throws `import_unreadable` for more styles than programs have. */
export async function readNumberStyles(archive: Archive, part: string | undefined): Promise<NumberStyles> {
  const dates = new Set(dateFormats)
  const percents = new Set(percentFormats)
  const dateStyles = new Set<number>()
  const percentStyles = new Set<number>()
  let isOfCells = false
  let count = 0
  const open: PartHandlers['open'] = (tag, { numFmtId, formatCode = '' }) => {
    const id = Number(numFmtId)
    if (tag === 'numFmt' && isDateFormat(formatCode)) dates.add(id)
    if (tag === 'numFmt' && bareFormat(formatCode).includes('%')) percents.add(id)
    if (tag === 'cellXfs') isOfCells = true
    if (tag === 'xf' && isOfCells) {
      if (dates.has(id)) dateStyles.add(count)
      if (percents.has(id)) percentStyles.add(count)
      count += 1
    }
    if (Math.max(count, dates.size, percents.size) > maxStyles) throw unreadable(undefined)
  }
  const close: PartHandlers['close'] = (tag) => {
    if (tag === 'cellXfs') isOfCells = false
  }
  if (part !== undefined) await drain(parsePart(archive, part, { open, close }))
  return { dateStyles, percentStyles }
}

/** Programs have fewer. */
const maxStyles = 65_536
/** Programs take no longer ones. */
const maxFormatLength = 255

const listNumbers = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** The formats of dates and times that a file need not describe: of all languages, then of East Asia, then Thai ones. */
const dateFormats = [
  ...listNumbers(14, 22),
  ...listNumbers(45, 47),
  ...listNumbers(27, 36),
  ...listNumbers(50, 58),
  ...listNumbers(71, 81),
]

const percentFormats = [9, 10, 67, 68]

/** Colours, conditions and texts of a format may have any letters. */
const bareFormat = (code: string): string => code.slice(0, maxFormatLength).replace(/"[^"]*"|\[[^\]]*\]|[\\_*]./g, '')

const isDateFormat = (code: string): boolean => /[ymdhs]/i.test(bareFormat(code))
