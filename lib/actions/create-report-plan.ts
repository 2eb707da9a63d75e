import { actionFault } from '../errors/action-fault.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { allReadable, validationFailed } from '../errors/request-error.ts'
import type { Language } from '../i18n/language.ts'
import type { Plan } from '../query/plan.ts'
import { type CsvFormat, type CsvSeparator, csvSeparators } from '../reports/csv-text.ts'
import type { ReportPlan } from '../reports/report-plan.ts'
import type { ExportFormat } from '../table/action-definition.ts'
import { hasEditing } from '../table/has-editing.ts'
import type { OpenedTable } from '../table/open-table.ts'
import { ownValue, type UnknownBody } from '../table/unknown-body.ts'
import { countExcludedRows, countPickedRows, readColumns } from './bulk-selection.ts'

/** The report that a body asks for. Throws `validation_failed` for columns that this caller does not have. */
export function createReportPlan(
  opened: OpenedTable,
  plan: Plan,
  format: ExportFormat,
  body: Readonly<Record<string, unknown>>,
  { requestedAt = new Date(), secret }: ReportRequest,
): ReportPlan {
  const { view, context } = opened
  const columns = readColumns(view, body)
  const selected = countPickedRows(body)
  const excluded = countExcludedRows(body)
  const { email, subject } = context.identity
  const isRoundTrip = readRoundTrip(opened, format, body)
  return {
    ...opened,
    plan,
    format,
    requestedAt,
    ...(isRoundTrip && { roundTrip: { secret } }),
    ...(columns !== undefined && { columns }),
    ...(selected !== undefined && { selected }),
    ...(excluded !== undefined && { excluded }),
    csv: readCsvFormat(body, context.language),
    requestedBy: email ?? subject,
  }
}

/** The request that a report is made for. */
interface ReportRequest {
  readonly requestedAt?: Date
  /** Seals what must not be altered in a file. */
  readonly secret: string
}

/** Whether a body asks for a workbook that can be sent back. Throws `validation_failed` where none can be made. */
export function readRoundTrip({ view }: Pick<OpenedTable, 'view'>, format: ExportFormat, body: UnknownBody): boolean {
  const asked = ownValue(body, 'round_trip') ?? undefined
  if (asked === undefined || asked === false) return false
  if (asked !== true) throw validationFailed({ round_trip: [fieldFault('not_a_boolean')] })
  if (format !== 'excel') throw validationFailed({ round_trip: [actionFault('only_for_workbooks')] })
  if (!hasEditing(view)) throw validationFailed({ round_trip: [actionFault('nothing_editable')] })
  return true
}

/** The list separators that spreadsheets of these languages expect. */
const separators: Readonly<Record<Language, CsvSeparator>> = { en: ',', ar: ';' }

/** Reads how a CSV file is to be written. Throws `validation_failed` for what cannot be read. */
export function readCsvFormat(body: UnknownBody, language: Language): CsvFormat {
  const own = (key: string) => ownValue(body, key) ?? undefined
  const [separator, raw] = allReadable([() => readSeparator(own('csv_separator')), () => readRaw(own('csv_raw'))])
  return { separator: separator ?? separators[language], raw }
}

function readSeparator(value: unknown): CsvSeparator | undefined {
  if (value === undefined) return undefined
  const separator = csvSeparators.find((one) => one === value)
  if (separator === undefined) throw validationFailed({ csv_separator: [actionFault('not_a_separator')] })
  return separator
}

function readRaw(value: unknown): boolean {
  if (value === undefined) return false
  if (typeof value !== 'boolean') throw validationFailed({ csv_raw: [fieldFault('not_a_boolean')] })
  return value
}
