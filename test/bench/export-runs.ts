import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { runScript } from './process.ts'
import type { Exporter, ExportSample } from './processes/export.bench.ts'

const script = new URL('./processes/export.bench.ts', import.meta.url)

/** The last days of the flights that make a report of about so many rows. */
export const days = {
  tiny: '2001-01-01',
  warmUp: '2001-01-02',
  small: '2001-01-06',
  middle: '2001-01-18',
  large: '2001-03-02',
  all: '2001-12-31',
}

export type Extent = keyof typeof days

/** Exports in a fresh process, so that memory is that of one export alone. The file lasts until the next one. */
export function exportIn(databaseUrl: string) {
  const path = join(tmpdir(), `table-control-export-${process.pid}`)
  const measureExport = (exporter: Exporter, extent: Extent, warmUp: Extent | '', flags: readonly string[] = []) => {
    const args = [exporter, databaseUrl, warmUp === '' ? '' : days[warmUp], days[extent], path]
    return runScript<ExportSample>(script, args, { flags })
  }
  return { path, measureExport, remove: () => rmSync(path, { force: true }) }
}

export type MeasureExport = ReturnType<typeof exportIn>['measureExport']

/** Counts the rows of each report. */
export async function countExportRows(databaseUrl: string): Promise<Readonly<Record<Extent, number>>> {
  const sql = postgres(databaseUrl, { max: 1 })
  const counts = await Promise.all(
    Object.entries(days).map(async ([extent, day]) => {
      const [row] = await sql`select count(*) as n from flights where date < ${day}::date + 1`
      return [extent, Number(row?.['n'])]
    }),
  )
  await sql.end()
  return Object.fromEntries(counts)
}
