import { registry } from '#tables'
import { createDatabase } from '../../lib/db/database.ts'
import { planRows } from '../../lib/query/plan.ts'
import type { ReportFormat, ReportPlan } from '../../lib/reports/report-plan.ts'
import type { CompiledTable } from '../../lib/table/compiled-table.ts'
import { openTestTable } from '../support/requests/open-table.ts'

/** A report over the rows of a query, in the table's default order, as the table shows them in English. */
export function tableReport(table: CompiledTable | undefined, format: ReportFormat, query: object): ReportPlan {
  if (table === undefined) throw new Error('there is no such table')
  const opened = openTestTable(table, { identity: { subject: 'bench', claims: {} } })
  const plan = planRows(opened.view, query, opened.context.timeZone)
  return { ...opened, plan, format, requestedAt: new Date(), requestedBy: 'bench' }
}

/** A report over the flights up to a day. */
export const flightsReport = (format: ReportFormat, until: string): ReportPlan =>
  tableReport(registry.tables.get('flights'), format, { filters: { date_to: until } })

/** A database of one connection, with time for a whole report on a busy machine. */
export const exportDatabase = (databaseUrl: string) =>
  createDatabase({
    DATABASE_URL: databaseUrl,
    DATABASE_CONNECTIONS: 1,
    DATABASE_CONNECT_TIMEOUT_MS: 5_000,
    DATABASE_STATEMENT_TIMEOUT_MS: 25_000,
    DATABASE_DEADLINE_MS: 28_000,
    DATABASE_TLS: 'off',
  })
