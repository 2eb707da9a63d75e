import { Writable } from 'node:stream'
import { createDatabase } from '../../../lib/db/database.ts'
import { writeReport } from '../../../lib/reports/write-report.ts'
import { parcelReport } from './parcel-reports.ts'

// One report in a process of its own: prints the rows and the greatest resident size in megabytes.
const [url = '', format = 'excel', first = '0', last = '0'] = process.argv.slice(2)
const database = createDatabase({
  DATABASE_URL: url,
  DATABASE_CONNECTIONS: 1,
  DATABASE_CONNECT_TIMEOUT_MS: 5_000,
  DATABASE_STATEMENT_TIMEOUT_MS: 20_000,
  DATABASE_DEADLINE_MS: 25_000,
  DATABASE_TLS: 'off',
})
const request = parcelReport({
  format: format === 'csv' ? 'csv' : 'excel',
  columns: ['id', 'name', 'phone', 'address', 'amount'],
})
const plan = { ...request.plan, conditions: [() => `"parcels"."id" between ${Number(first)} and ${Number(last)}`] }
const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
const { rows } = await writeReport(database, { ...request, plan }, nowhere)
await database.close()
console.log(JSON.stringify({ rows, megabytes: process.resourceUsage().maxRSS / 1_024 }))
