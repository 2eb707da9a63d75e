import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { planRows } from '../../../lib/query/plan.ts'
import type { ReportFormat } from '../../../lib/reports/report-plan.ts'
import { writeReport } from '../../../lib/reports/write-report.ts'
import { openTestTable } from '../../support/requests/open-table.ts'
import { exportDatabase } from '../export-request.ts'
import { createGrowthRegistry } from '../growth-tables.ts'

/** The time, the peak memory and the file of one export. */
export interface GrowthExport {
  readonly ms: number
  readonly megabytes: number
  readonly bytes: number
}

// Exports a whole table in a process of its own: <database> <table> <format> <file>.
const [databaseUrl = '', name = '', format = 'csv', path = ''] = process.argv.slice(2)
const table = createGrowthRegistry().tables.get(name)
if (table === undefined) throw new Error(`there is no table ${name}`)
const opened = openTestTable(table, { identity: { subject: 'bench', claims: {} } })
const plan = planRows(opened.view, {}, opened.context.timeZone)
const database = exportDatabase(databaseUrl)
const request = { ...opened, plan, format: format as ReportFormat, requestedAt: new Date(), requestedBy: 'bench' }
const began = performance.now()
await writeReport(database, request, createWriteStream(path))
const ms = performance.now() - began
await database.close()
const result: GrowthExport = { ms, megabytes: process.resourceUsage().maxRSS / 1_024, bytes: (await stat(path)).size }
console.log(JSON.stringify(result))
