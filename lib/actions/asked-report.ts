import type { Plan } from '../query/plan.ts'
import type { ReportRequest } from '../reports/report-request.ts'
import type { ExportFormat } from '../table/action-definition.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { pickedRows, readColumns } from './bulk-selection.ts'
import { readCsvFormat } from './csv-format.ts'

/** The report that a body asks for. Throws `validation_failed` for columns that this caller does not have. */
export function askedReport(
  opened: OpenedTable,
  plan: Plan,
  format: ExportFormat,
  body: Readonly<Record<string, unknown>>,
  requestedAt = new Date(),
): ReportRequest {
  const { view, context } = opened
  const [columns, selected] = [readColumns(view, body), pickedRows(body)]
  const { email, subject } = context.identity
  return {
    ...opened,
    ...{ plan, format, requestedAt },
    ...(columns !== undefined && { columns }),
    ...(selected !== undefined && { selected }),
    csv: readCsvFormat(body, context.language),
    requestedBy: email ?? subject,
  }
}
