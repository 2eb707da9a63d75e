import { once } from 'node:events'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Style, stream, Worksheet } from 'exceljs'

export type CellStyle = Partial<Style>

export interface SheetOptions {
  readonly name: string
  readonly rightToLeft: boolean
  /** Shown at the top while the rest is scrolled, and of each page that is printed. */
  readonly frozenRows: number
  readonly orientation: 'landscape' | 'portrait'
  /** In characters. */
  readonly widths: readonly number[]
  /** The styles of cells that have no value. */
  readonly emptyStyles?: readonly CellStyle[]
  /** Columns behind those that are not shown. Default: 0. */
  readonly hiddenColumns?: number
  /** Keeps the sheet out of sight. */
  readonly isHidden?: boolean
}

/** A sheet that is written from its first row to its last. */
export interface Sheet {
  /** Adds a row below those added so, each cell in the style at its place. Must not be used after `addXml`. */
  readonly add: (cells: readonly (string | number | null)[], styles: readonly CellStyle[]) => void
  /** Adds whole rows as SpreadsheetML, below at least one that was added by `add`. */
  readonly addXml: (rows: string) => void
  /** Makes a cell of `addXml` lead to an address. Returns false where the sheet has as many links as it may have. */
  readonly addLink: (cell: string, address: string) => boolean
  /** Waits until most of what was added has left memory. Rejects if the output was closed. */
  readonly waitForDrain: () => Promise<void>
  /** `filter` puts the buttons of a filter over these first rows and columns. */
  readonly end: (filter?: { readonly rows: number; readonly columns: number }) => void
}

/** A workbook under way; its sheets are written one after the other. */
export interface Workbook {
  readonly addSheet: (options: SheetOptions) => Sheet
  /** The number of a style as cells of `addXml` refer to it. */
  readonly styleId: (style: CellStyle) => number
}

/** The properties of the file. */
export interface WorkbookProperties {
  readonly title: string
  readonly creator: string
}

/**
 * Writes a workbook into `out` and ends it. Rejects with the first failure, of `work` or of `out`, which it then
 * destroys.
 */
export async function writeWorkbook<T>(
  out: Writable,
  properties: WorkbookProperties,
  signal: AbortSignal | undefined,
  work: (workbook: Workbook) => Promise<T>,
): Promise<T> {
  // The library never notices that its stream has failed, so it gets one of ours, whose end is watched.
  const body = new PassThrough()
  const delivered = pipeline(body, out, signal === undefined ? {} : { signal })
  // `body` is not closed by an `out` that was destroyed before.
  delivered.catch(() => body.destroy())
  const written = writeBody(body, properties, work).catch((error) => {
    body.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  })
  const [delivery, writing] = await Promise.allSettled([delivered, written])
  if (delivery.status === 'rejected') throw delivery.reason
  if (writing.status === 'rejected') throw writing.reason
  return writing.value
}

async function writeBody<T>(
  body: PassThrough,
  { title, creator }: WorkbookProperties,
  work: (workbook: Workbook) => Promise<T>,
): Promise<T> {
  const closed = once(body, 'close').then(() => Promise.reject(noReceiver()))
  closed.catch(() => {})
  const { default: WorkbookWriter } = await import('exceljs/lib/stream/xlsx/workbook-writer.js')
  const writer = new WorkbookWriter({ stream: body, useStyles: true, useSharedStrings: false })
  Object.assign(writer, { title, creator, lastModifiedBy: creator })
  const { styles } = writer as unknown as WriterParts
  const result = await work({
    addSheet: (options) => openSheet(writer, body, options),
    styleId: (style) => styles.addStyleModel(style),
  })
  await Promise.race([writer.commit(), closed])
  return result
}

const noReceiver = (): Error => new Error('the receiver of the report file was closed before the end')

function openSheet(writer: stream.xlsx.WorkbookWriter, body: PassThrough, options: SheetOptions): Sheet {
  const { name, rightToLeft, frozenRows, orientation, widths, emptyStyles = [] } = options
  const { hiddenColumns = 0, isHidden = false } = options
  const view = frozenRows > 0 ? ({ state: 'frozen', ySplit: frozenRows } as const) : ({ state: 'normal' } as const)
  const sheet = writer.addWorksheet(name, {
    ...(isHidden && { state: 'hidden' }),
    views: [{ ...view, rightToLeft }],
    pageSetup: {
      orientation,
      paperSize: a4,
      margins: pageMargins,
      ...pageFit(widths, orientation),
      ...(frozenRows > 0 && { printTitlesRow: `1:${frozenRows}` }),
    },
    headerFooter: { oddFooter: '&C&P / &N' },
  })
  sheet.columns = [
    ...widths.map((width, index) => ({
      width: width === unwrittenWidth ? width + 0.1 : width,
      style: emptyStyles[index] ?? {},
    })),
    ...Array.from({ length: hiddenColumns }, () => ({ width: hiddenWidth, hidden: true })),
  ]
  const { write, waiting } = findStream(sheet)
  const links = findLinks(sheet)
  return {
    add: (cells, styles) => {
      const row = sheet.addRow([])
      for (const [index, value] of cells.entries()) {
        if (value === null) continue
        const cell = row.getCell(index + 1)
        cell.value = value
        cell.style = styles[index] ?? {}
      }
      row.commit()
    },
    addXml: write,
    addLink: (address, target) => {
      if (links.length >= maxLinks) return false
      links.addHyperlink({ address, target })
      return true
    },
    waitForDrain: async () => {
      await setImmediate()
      while (waiting() > maxWaitingBytes && !body.destroyed) await sleep(1)
      if (body.destroyed) throw noReceiver()
    },
    end: (filter) => {
      if (filter !== undefined) {
        sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: filter.rows, column: filter.columns } }
        ignoreTextNumbers(sheet, write, `A1:${columnLetters(filter.columns - 1)}${filter.rows}`)
      }
      sheet.commit()
    },
  }
}

/** The library leaves this width out as a default, which no spreadsheet has. */
const unwrittenWidth = 9
const hiddenWidth = 10
/** Excel takes no more of a sheet; they are kept in memory until its end. */
const maxLinks = 65_530

/** Widths of columns that a page of A4 has room for at full size. */
const pageWidths = { landscape: 140, portrait: 95 } as const
/** In percent: smaller print is not legible. */
const minScale = 60
const wideScale = 75

/**
 * Fits the columns to the width of a page while they stay legible. A wider sheet goes on over several pages, each of
 * which repeats the first column.
 */
function pageFit(widths: readonly number[], orientation: SheetOptions['orientation']) {
  const total = widths.reduce((sum, width) => sum + width, 0)
  if ((100 * pageWidths[orientation]) / total >= minScale) {
    return { fitToPage: true, fitToWidth: 1, fitToHeight: unlimited } as const
  }
  return { fitToPage: false, scale: wideScale, pageOrder: 'overThenDown', printTitlesColumn: 'A:A' } as const
}

const a4 = 9
/** In inches. */
const pageMargins = { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 }
/** The number of pages below each other. */
const unlimited = 0

const maxWaitingBytes = 256 * 1_024

/** Parts of the library that its types leave out; `findStream` fails where a version has them no more. */
interface WriterParts {
  readonly styles: { readonly addStyleModel: (style: CellStyle) => number }
}

interface SheetParts {
  readonly stream: {
    readonly write: (text: string) => unknown
    /** Streams behind which uncompressed XML piles up unnoticed. */
    readonly pipes: readonly { readonly _writableState: { readonly length: number } }[]
  }
}

interface LinkParts {
  readonly _sheetRelsWriter: {
    readonly length: number
    readonly addHyperlink: (link: { readonly address: string; readonly target: string }) => void
  }
}

function findLinks(sheet: Worksheet): LinkParts['_sheetRelsWriter'] {
  const { _sheetRelsWriter: links } = sheet as unknown as LinkParts
  if (typeof links?.addHyperlink !== 'function') throw createVersionError()
  return links
}

interface EndParts {
  _writeCloseWorksheet: () => void
}

/** Texts such as 00123 get no mark of a mistake. The library knows no such element, which stands last in a sheet. */
function ignoreTextNumbers(sheet: Worksheet, write: (text: string) => void, cells: string): void {
  const parts = sheet as unknown as EndParts
  if (typeof parts._writeCloseWorksheet !== 'function') throw createVersionError()
  parts._writeCloseWorksheet = () =>
    write(`<ignoredErrors><ignoredError sqref="${cells}" numberStoredAsText="1"/></ignoredErrors></worksheet>`)
}

const createVersionError = (): Error =>
  new Error(
    'this version of exceljs has other internals; adapt lib/reports/excel-file.ts to it or install the version before',
  )

function findStream(sheet: Worksheet) {
  const { stream: sink } = sheet as unknown as SheetParts
  const queue = sink.pipes[0]?._writableState
  if (typeof queue?.length !== 'number') throw createVersionError()
  return { write: (text: string): void => void sink.write(text), waiting: (): number => queue.length }
}

/** The letters of a column, of which the first has the index 0. */
export const columnLetters = (index: number): string =>
  (index < 26 ? '' : columnLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))
