import { countExportRows, type Extent, exportIn, type MeasureExport } from '../export-runs.ts'
import { atLeast, atMost, type Figure, type Question } from '../figure.ts'
import type { Exporter, ExportSample } from '../processes/export.bench.ts'
import { interleave, median, ratio } from '../rounds.ts'

const rounds = 3

const perSecond = (rows: number, samples: readonly ExportSample[]): string =>
  `${Math.round(rows / median(samples.map(({ ms }) => ms)))}k rows/s`

const times = (mine: readonly ExportSample[], others: readonly ExportSample[]): number =>
  ratio(
    others.map(({ ms }) => ms),
    mine.map(({ ms }) => ms),
  )

async function speed(measureExport: MeasureExport, rows: number): Promise<readonly Figure[]> {
  const samples = await interleave(rounds, {
    excel: () => measureExport('excel', 'middle', 'warmUp'),
    limit: () => measureExport('limit', 'middle', 'warmUp'),
    usual: () => measureExport('usual', 'middle', 'warmUp'),
    csv: () => measureExport('csv', 'middle', 'warmUp'),
    copy: () => measureExport('copy', 'middle', 'warmUp'),
  })
  const { excel, limit, usual, csv, copy } = samples
  const rate = (side: readonly ExportSample[]) => perSecond(rows, side)
  const ofLimit = times(excel, limit)
  const ofUsual = times(excel, usual)
  const ofCopy = times(csv, copy)
  return [
    { name: 'rows of each export', measured: String(rows) },
    atLeast(
      'XLSX, rate beside sheet XML by hand through zlib level 1',
      ofLimit,
      0.45,
      `${ofLimit.toFixed(2)} x (${rate(excel)}, by hand ${rate(limit)})`,
      ' x',
    ),
    atLeast(
      'XLSX, rate beside exceljs as usually written',
      ofUsual,
      2,
      `${ofUsual.toFixed(2)} x (${rate(usual)})`,
      ' x',
    ),
    atLeast(
      'CSV, rate beside COPY … TO STDOUT',
      ofCopy,
      0.6,
      `${ofCopy.toFixed(2)} x (${rate(csv)}, COPY ${rate(copy)})`,
      ' x',
    ),
  ]
}

const smallHeap = ['--max-old-space-size=96']

async function memory(
  measureExport: MeasureExport,
  rows: Readonly<Record<Extent, number>>,
): Promise<readonly Figure[]> {
  const peak = async (exporter: Exporter, extent: Extent, flags: readonly string[] = []) =>
    (await measureExport(exporter, extent, '', flags)).megabytes
  const figures: Figure[] = []
  for (const exporter of ['excel', 'csv'] as const) {
    const small = await peak(exporter, 'small')
    const all = await peak(exporter, 'all')
    const growth = all / small
    figures.push(
      atMost(
        `${exporter === 'excel' ? 'XLSX' : 'CSV'}, peak memory at ${rows.all} rows beside that at ${rows.small}`,
        growth,
        1.25,
        `${growth.toFixed(2)} x (${all.toFixed(0)} MB, ${small.toFixed(0)} MB)`,
        ' x',
      ),
    )
  }
  const tight = await measureExport('excel', 'large', '', smallHeap)
  figures.push({
    name: `XLSX of ${rows.large} rows with a heap of 96 MB`,
    measured: `done in ${(tight.ms / 1_000).toFixed(0)} s, peak ${tight.megabytes.toFixed(0)} MB`,
    target: 'done',
    met: true,
  })
  return figures
}

/** Measures the time and memory of an export by its number of rows. */
export const exportsOfRows: Question = {
  id: 'exports',
  asks: 'What does a report over flights cost in time and memory?',
  method: `Each export in a process of its own that writes a file, after a small one that is not counted; ${rounds} rounds, alternating; the nine columns of the table, two relations joined, from the default order. The limit reads the same rows by a cursor of the driver and writes the XML of the sheet by hand; exceljs as usually written has a style for each column and shared strings. Memory is the greatest resident size of a process that made one export.`,
  measure: async ({ databaseUrl, report }) => {
    const rows = await countExportRows(databaseUrl)
    const { measureExport, remove } = exportIn(databaseUrl)
    try {
      report('speed')
      const fast = await speed(measureExport, rows.middle)
      report('memory')
      return [...fast, ...(await memory(measureExport, rows))]
    } finally {
      remove()
    }
  },
}
