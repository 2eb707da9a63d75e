import { once } from 'node:events'
import { PassThrough, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import type { Style, stream, Worksheet } from 'exceljs'
import WorkbookWriter from 'exceljs/lib/stream/xlsx/workbook-writer.js'
import type { ReportCell } from './report-column.ts'

export type CellStyle = Partial<Style>

export interface SheetOptions {
  readonly name: string
  readonly rightToLeft: boolean
  /** Shown at the top while the rest is scrolled, and of each page that is printed. */
  readonly frozenRows: number
  readonly orientation: 'landscape' | 'portrait'
  /** In characters. */
  readonly widths: readonly number[]
}

/** A sheet that is written from its first row to its last. */
export interface Sheet {
  /** Adds a row below those added so, each cell in the style at its place. Not to be used after `addXml`. */
  readonly add: (cells: readonly ReportCell[], styles: readonly CellStyle[]) => void
  /** Adds whole rows as SpreadsheetML, below at least one that was added by `add`. */
  readonly addXml: (rows: string) => void
  /** Waits until most of what was added has left memory. Rejects when there is nobody left to take it. */
  readonly drained: () => Promise<void>
  /** `filter` puts the buttons of a filter over these first rows and columns. */
  readonly end: (filter?: { readonly rows: number; readonly columns: number }) => void
}

/** A workbook under way; its sheets are written one after the other. */
export interface Workbook {
  readonly addSheet: (options: SheetOptions) => Sheet
  /** The number of a style as cells of `addXml` refer to it. */
  readonly styleId: (style: CellStyle) => number
}

/** What a spreadsheet shows as the properties of the file. */
export interface WorkbookProperties {
  readonly title: string
  readonly creator: string
}

/** Writes a workbook into `out` and ends it. Rejects with the first failure, of `work` or of `out`, which it then destroys. */
export async function writeWorkbook<T>(
  out: Writable,
  properties: WorkbookProperties,
  signal: AbortSignal | undefined,
  work: (workbook: Workbook) => Promise<T>,
): Promise<T> {
  // The library never notices that its stream has failed, so it gets one of ours, whose end is watched.
  const body = new PassThrough()
  const delivered = pipeline(body, out, signal === undefined ? {} : { signal })
  // Where `out` was gone from the start, `body` does not hear of it.
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

const noReceiver = (): Error => new Error('the report has no receiver any more')

function openSheet(writer: stream.xlsx.WorkbookWriter, body: PassThrough, options: SheetOptions): Sheet {
  const { name, rightToLeft, frozenRows, orientation, widths } = options
  const view = frozenRows > 0 ? ({ state: 'frozen', ySplit: frozenRows } as const) : ({ state: 'normal' } as const)
  const sheet = writer.addWorksheet(name, {
    views: [{ ...view, rightToLeft }],
    pageSetup: {
      ...{ orientation, paperSize: a4, margins: pageMargins, fitToPage: true, fitToWidth: 1, fitToHeight: anyNumber },
      ...(frozenRows > 0 && { printTitlesRow: `1:${frozenRows}` }),
    },
    headerFooter: { oddFooter: '&C&P / &N' },
  })
  sheet.columns = widths.map((width) => ({ width }))
  const { write, waiting } = streamOf(sheet)
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
    drained: async () => {
      await setImmediate()
      while (waiting() > mostWaiting && !body.destroyed) await sleep(1)
      if (body.destroyed) throw noReceiver()
    },
    end: (filter) => {
      if (filter !== undefined) {
        sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: filter.rows, column: filter.columns } }
      }
      sheet.commit()
    },
  }
}

const a4 = 9
/** In inches. */
const pageMargins = { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 }
/** Of pages below each other. */
const anyNumber = 0

/** Bytes of XML. */
const mostWaiting = 256 * 1_024

/** Parts of the library that its types leave out; `streamOf` fails where a version has them no more. */
interface WriterParts {
  readonly styles: { readonly addStyleModel: (style: CellStyle) => number }
}

interface SheetParts {
  readonly stream: {
    readonly write: (text: string) => unknown
    /** Behind these, uncompressed XML piles up without a word to whoever writes. */
    readonly pipes: readonly { readonly _writableState: { readonly length: number } }[]
  }
}

function streamOf(sheet: Worksheet) {
  const { stream: sink } = sheet as unknown as SheetParts
  const queue = sink.pipes[0]?._writableState
  if (typeof queue?.length !== 'number') throw new Error('this version of exceljs keeps its sheets in another way')
  return { write: (text: string): void => void sink.write(text), waiting: (): number => queue.length }
}
