import { createWriteStream } from 'node:fs'
import postgres from 'postgres'
import { writeReport } from '../../../lib/reports/write-report.ts'
import { exportDatabase, flightsReport } from '../export-request.ts'

export type Exporter = 'excel' | 'csv' | 'limit' | 'usual' | 'copy'

/** The time of one export and the peak resident memory of its process. */
export interface ExportSample {
  readonly ms: number
  readonly megabytes: number
}

const [exporter = '', databaseUrl = '', warmUpUntil = '', until = '', path = ''] = process.argv.slice(2)

async function runExport(day: string): Promise<void> {
  const out = createWriteStream(path)
  if (exporter === 'excel' || exporter === 'csv') {
    const database = exportDatabase(databaseUrl)
    await writeReport(database, flightsReport(exporter, day), out)
    await database.close()
    return
  }
  // Not loaded for our own side, whose memory is measured.
  const { copyCsv, handMadeSheet, usualWorkbook } = await import('../export-opponents.ts')
  const opponents = { limit: handMadeSheet, usual: usualWorkbook, copy: copyCsv }
  const sql = postgres(databaseUrl, { max: 1, fetch_types: false, connection: { TimeZone: 'UTC' } })
  await opponents[exporter as keyof typeof opponents](sql, day, out)
  await sql.end()
}

// One export in a process of its own: first a small one that is not counted, then the one that is.
if (warmUpUntil !== '') await runExport(warmUpUntil)
const began = performance.now()
await runExport(until)
const sample: ExportSample = {
  ms: performance.now() - began,
  megabytes: process.resourceUsage().maxRSS / 1_024,
}
console.log(JSON.stringify(sample))
