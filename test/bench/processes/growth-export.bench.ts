import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { ReportFormat } from '../../../lib/reports/report-plan.ts'
import { writeReport } from '../../../lib/reports/write-report.ts'
import { exportDatabase, tableReport } from '../export-request.ts'
import { createGrowthRegistry } from '../growth-tables.ts'

/** The time, the peak memory and the file of one export. */
export interface GrowthExport {
  readonly ms: number
  readonly megabytes: number
  readonly bytes: number
}

// Exports a whole table in a process of its own: <database> <table> <format> <file>.
const [databaseUrl = '', name = '', format = 'csv', path = ''] = process.argv.slice(2)
const database = exportDatabase(databaseUrl)
const request = tableReport(createGrowthRegistry().tables.get(name), format as ReportFormat, {})
const began = performance.now()
await writeReport(database, request, createWriteStream(path))
const ms = performance.now() - began
await database.close()
const result: GrowthExport = { ms, megabytes: process.resourceUsage().maxRSS / 1_024, bytes: (await stat(path)).size }
console.log(JSON.stringify(result))
