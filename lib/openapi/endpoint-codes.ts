import type { ErrorCode } from '../errors/catalogue.ts'
import type { EndpointName } from '../routes.ts'

const any: readonly ErrorCode[] = ['invalid_body', 'body_too_large', 'internal_error', 'unavailable', 'timed_out']
const caller: readonly ErrorCode[] = [...any, 'unauthenticated']
const table: readonly ErrorCode[] = [
  ...caller,
  'forbidden',
  'table_not_found',
  'validation_failed',
  'response_too_large',
]
const action: readonly ErrorCode[] = [
  ...table,
  'action_not_defined',
  'action_not_applicable',
  'action_failed',
  'row_busy',
  'conflicting_data',
  'idempotency_key_reused',
  'idempotency_in_progress',
  'outcome_unknown',
]

/** The codes of the catalogue with which an endpoint may fail. */
export const endpointCodes: Readonly<Record<EndpointName, readonly ErrorCode[]>> = {
  loadTable: table,
  listTables: [...caller, 'forbidden'],
  openApi: [...caller, 'forbidden', 'response_too_large'],
  queryTableData: table,
  rowRefetch: [...table, 'row_not_found'],
  multiRowRefetch: table,
  rowTableAction: [...action, 'row_not_found', 'unexpected_count'],
  rowBulkTableAction: [...action, 'row_not_found', 'unexpected_count'],
  bulkTableAction: [
    ...action,
    'unexpected_count',
    'selection_too_large',
    'export_too_large',
    'recipient_not_allowed',
    'mail_off',
    'too_many_jobs',
  ],
  jobStatus: [...caller, 'forbidden', 'job_not_found', 'validation_failed'],
  cancelJob: [...caller, 'forbidden', 'job_not_found', 'outcome_unknown'],
  listNotifications: [...caller, 'forbidden', 'validation_failed'],
  readNotifications: [...caller, 'forbidden', 'validation_failed', 'outcome_unknown'],
  socketTicket: [...caller, 'forbidden', 'route_not_found', 'outcome_unknown'],
  download: [...any, 'download_not_found'],
  revokeDownload: [...caller, 'forbidden', 'download_not_found', 'outcome_unknown'],
  extendDownload: [
    ...caller,
    'forbidden',
    'validation_failed',
    'table_not_found',
    'action_not_defined',
    'download_not_found',
    'outcome_unknown',
  ],
  listDownloads: [...caller, 'forbidden', 'validation_failed'],
}

/** Endpoints whose actions may refuse with codes of their own (422). */
export const endpointsOfActions: ReadonlySet<EndpointName> = new Set([
  'rowTableAction',
  'rowBulkTableAction',
  'bulkTableAction',
])
