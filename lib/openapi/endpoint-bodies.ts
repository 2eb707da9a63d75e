import { reportMediaType } from '../reports/report-file.ts'
import type { EndpointName } from '../routes.ts'
import { bulkBodies, rowActionBodies, rowBulkBodies } from './action-bodies.ts'
import type { NamedTable } from './described-table.ts'
import { type JsonSchema, oneOfMany, ref } from './json-schema.ts'
import type { WireSchema } from './wire-schemas.ts'

/** What an endpoint takes and answers; `tables` are those of its guard. */
interface Bodies {
  /** Left out: no body. */
  readonly request?: (tables: readonly NamedTable[]) => JsonSchema
  readonly answer: (tables: readonly NamedTable[]) => JsonSchema
}

const wire = (name: WireSchema) => () => ref(name)

/** The schema of each table, or of any table where there is none to describe. */
const ofTables = (suffix: string, otherwise: WireSchema) => (tables: readonly NamedTable[]) =>
  oneOfMany(tables.length === 0 ? [ref(otherwise)] : tables.map(({ name }) => ref(`${name}.${suffix}`)))

const ofActions =
  (bodies: (tables: readonly NamedTable[]) => readonly JsonSchema[]) => (tables: readonly NamedTable[]) =>
    oneOfMany(distinct(bodies(tables)))

const distinct = (schemas: readonly JsonSchema[]): readonly JsonSchema[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
]

/** Requests and answers by endpoint. */
export const endpointBodies: Readonly<Record<EndpointName, Bodies>> = {
  loadTable: { answer: ofTables('Structure', 'Structure') },
  listTables: { answer: wire('TableList') },
  openApi: { answer: wire('Document') },
  queryTableData: { request: ofTables('Query', 'ScopeBody'), answer: ofTables('Page', 'Page') },
  rowRefetch: { request: wire('ScopeBody'), answer: ofTables('RefetchedRow', 'RefetchedRow') },
  multiRowRefetch: { request: wire('RowIdsBody'), answer: ofTables('RefetchedRows', 'RefetchedRows') },
  rowTableAction: { request: ofActions(rowActionBodies), answer: ofTables('RowActionAnswer', 'RowActionAnswer') },
  rowBulkTableAction: { request: ofActions(rowBulkBodies), answer: ofTables('SeveralRows', 'SeveralRows') },
  bulkTableAction: { request: ofActions(bulkBodies), answer: wire('BulkAnswer') },
  jobStatus: { answer: wire('JobAnswer') },
  cancelJob: { answer: wire('JobAnswer') },
  listNotifications: { answer: wire('NotificationList') },
  readNotifications: { request: wire('ReadBody'), answer: wire('ReadNotifications') },
  socketTicket: { answer: wire('SocketTicket') },
  download: { answer: wire('Done') },
  revokeDownload: { answer: wire('Done') },
}

/** The types of the files that a bulk action may answer in place of JSON. */
export const fileTypes = Object.values(reportMediaType).map((type) => type.split(';')[0] ?? type)
