import type { Plan } from '../query/plan.ts'
import type { ReportRequest } from '../reports/report-request.ts'
import type { ExportFormat } from '../table/action-definition.ts'
import type { ActionTarget } from './action-rows.ts'
import { pickedRows, readColumns } from './bulk-selection.ts'
import { readCsvFormat } from './csv-format.ts'

/** The report that a body asks for. Throws `validation_failed` for columns that this caller does not have. */
export function askedReport(
  { view, scope, context }: Omit<ActionTarget, 'requestId'>,
  plan: Plan,
  format: ExportFormat,
  body: Readonly<Record<string, unknown>>,
  requestedAt = new Date(),
): ReportRequest {
  const [columns, selected] = [readColumns(view, body), pickedRows(body)]
  const { email, subject } = context.identity
  return {
    ...{ view, plan, scope, context, format, requestedAt },
    ...(columns !== undefined && { columns }),
    ...(selected !== undefined && { selected }),
    csv: readCsvFormat(body, context.language),
    requestedBy: email ?? subject,
  }
}
