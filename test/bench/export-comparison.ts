import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import { streamXlsxRows } from 'hucre'
import { countExportRows, type Extent, exportIn, type MeasureExport } from './export-runs.ts'
import type { Bench } from './figure.ts'
import type { ExportSample } from './processes/export.bench.ts'
import { interleave, median, ratio } from './rounds.ts'

const writers = {
  excel: 'Table Control',
  limit: 'sheet XML by hand',
  usual: 'exceljs as usually written',
} as const

type Writer = keyof typeof writers

/** One writer's time and memory for a workbook of so many rows. */
export interface ExportFigure {
  readonly writer: string
  readonly rows: number
  readonly seconds: number
  readonly rowsPerSecond: number
  readonly peakMegabytes: number
  /** The rate beside that of the XML by hand, in the same rounds. */
  readonly ofLimit: number
}

type Cells = readonly string[]

const dayMs = 86_400_000
/** The day before the first one that spreadsheets count. */
const dayZero = Date.UTC(1899, 11, 30)

function toCell(value: unknown): string {
  if (value instanceof Date) return ((value.getTime() - dayZero) / dayMs).toFixed(5)
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(5) : String(value ?? '')
}

async function readWorkbook(path: string): Promise<readonly Cells[]> {
  const rows: Cells[] = []
  for await (const { values } of streamXlsxRows(await readFile(path))) rows.push(values.map(toCell))
  return rows
}

async function readSheet(path: string): Promise<readonly Cells[]> {
  const xml = inflateRawSync(await readFile(path)).toString()
  return [...xml.matchAll(/<row r="\d+">(.*?)<\/row>/g)].map(([, row = '']) =>
    [...row.matchAll(/<c [^>]*?(t="str")?><v>(.*?)<\/v>/g)].map(([, isText, value]) =>
      toCell(isText === undefined ? Number(value) : value),
    ),
  )
}

const departure = /^\d+\.\d{5}$/

/** Returns the rows of data: each starts with a moment, which no heading does. A moment on midnight has no fraction. */
const dataRows = (rows: readonly Cells[]): readonly Cells[] =>
  rows
    .filter(([first = '']) => departure.test(first) || /^\d{5}$/.test(first))
    .map(([first = '', ...rest]) => [Number(first).toFixed(4), ...rest])

/** Fails unless the three writers put the same rows into their sheets. */
async function assertSameRows(measureExport: MeasureExport, path: string, expected: number): Promise<void> {
  const read = async (writer: Writer) => {
    await measureExport(writer, 'tiny', '')
    return dataRows(await (writer === 'limit' ? readSheet(path) : readWorkbook(path)))
  }
  const own = await read('excel')
  assert.equal(own.length, expected)
  for (const writer of ['limit', 'usual'] as const) {
    assert.deepEqual(await read(writer), own, `${writers[writer]} has other rows`)
  }
}

async function measure(
  measureExport: MeasureExport,
  rounds: number,
  extent: Extent,
  rows: number,
): Promise<readonly ExportFigure[]> {
  // Every export warms up its own process.
  const variants = {
    excel: () => measureExport('excel', extent, 'tiny'),
    limit: () => measureExport('limit', extent, 'tiny'),
    usual: () => measureExport('usual', extent, 'tiny'),
  }
  const samples = await interleave<Writer, ExportSample>(rounds, variants, 0)
  const list = (writer: Writer, key: keyof ExportSample) => samples[writer].map((sample) => sample[key])
  return Object.entries(writers).map(([key, name]) => {
    const writer = key as Writer
    const ms = median(list(writer, 'ms'))
    return {
      writer: name,
      rows,
      seconds: ms / 1_000,
      rowsPerSecond: (rows / ms) * 1_000,
      peakMegabytes: median(list(writer, 'megabytes')),
      ofLimit: ratio(list('limit', 'ms'), list(writer, 'ms')),
    }
  })
}

/** Measures reports of about 100,000 and, unless `quick`, about 1,000,000 rows, after their rows were compared. */
export async function compareExports({ databaseUrl, report }: Bench, quick: boolean): Promise<readonly ExportFigure[]> {
  const rows = await countExportRows(databaseUrl)
  const { path, measureExport, remove } = exportIn(databaseUrl)
  try {
    await assertSameRows(measureExport, path, rows.tiny)
    report(`exports of ${rows.small} rows`)
    const small = await measure(measureExport, quick ? 1 : 3, 'small', rows.small)
    if (quick) return small
    report(`exports of ${rows.large} rows`)
    return [...small, ...(await measure(measureExport, 1, 'large', rows.large))]
  } finally {
    remove()
  }
}
