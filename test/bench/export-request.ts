import { registry } from '#tables'
import { createDatabase } from '../../lib/db/database.ts'
import { planRows } from '../../lib/query/plan.ts'
import type { ReportFormat, ReportPlan } from '../../lib/reports/report-plan.ts'
import { openTestTable } from '../support/requests/open-table.ts'

/** A report over the flights up to a day, in the table's default order, as the table shows them in English. */
export function flightsReport(format: ReportFormat, until: string): ReportPlan {
  const table = registry.tables.get('flights')
  if (table === undefined) throw new Error('there is no table of flights')
  const opened = openTestTable(table, { identity: { subject: 'bench', claims: {} } })
  const plan = planRows(opened.view, { filters: { date_to: until } }, opened.context.timeZone)
  return { ...opened, plan, format, requestedAt: new Date(), requestedBy: 'bench' }
}

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
