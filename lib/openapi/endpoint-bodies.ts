import { reportMediaType } from '../reports/report-file.ts'
import type { EndpointName } from '../routes.ts'
import { formKeys, hasOpenForm } from '../table/action-entry.ts'
import type { BulkAction, RowAction } from '../table/compiled-table.ts'
import { formName, listRowActions } from './form-schemas.ts'
import { anyOf, type JsonSchema, ref } from './json-schema.ts'
import type { NamedTable } from './named-table.ts'
import { planBody, rowActionBody, rowBulkBody, selection } from './requests.ts'
import type { WireSchema } from './wire-schemas.ts'

/** The request and the response of an endpoint, of one table or of any. */
interface Bodies {
  /** Optional; default no body. */
  readonly request?: (table: NamedTable | undefined) => JsonSchema
  /** Whether a request without a body is always refused. */
  readonly needsBody?: true
  readonly response: (table: NamedTable | undefined) => JsonSchema
}

const wire = (name: WireSchema) => () => ref(name)

/** The schema of the table, which is called like the one of any table. */
const createTableRef = (name: WireSchema) => (table: NamedTable | undefined) =>
  ref(table === undefined ? name : `${table.name}.${name}`)

const createActionBody =
  (bodies: (table: NamedTable) => readonly JsonSchema[], ...otherwise: readonly WireSchema[]) =>
  (table: NamedTable | undefined) =>
    anyOf(table === undefined ? otherwise.map(ref) : bodies(table))

/** Requests and responses by endpoint. */
export const endpointBodies: Readonly<Record<EndpointName, Bodies>> = {
  loadTable: { response: createTableRef('Structure') },
  listTables: { response: wire('TableList') },
  openApi: { response: wire('Document') },
  queryTableData: { request: createTableRef('Query'), response: createTableRef('Page') },
  rowRefetch: { request: wire('RowRefetchBody'), response: createTableRef('RefetchedRow') },
  rowHistory: { response: wire('History') },
  multiRowRefetch: { request: wire('RowIdsBody'), needsBody: true, response: createTableRef('RefetchedRows') },
  rowTableAction: {
    request: createActionBody(rowActionBodies, 'RowActionBody'),
    response: createTableRef('RowActionAnswer'),
  },
  rowBulkTableAction: {
    request: createActionBody(rowBulkBodies, 'RowBulkBody', 'PlanBody'),
    needsBody: true,
    response: createTableRef('SeveralRows'),
  },
  undoChange: { request: wire('UndoBody'), response: createTableRef('SeveralRows') },
  bulkTableAction: { request: createActionBody(bulkBodies, 'Selection'), response: wire('BulkAnswer') },
  createImport: { request: wire('NewImport'), needsBody: true, response: wire('ImportUpload') },
  showImport: { response: wire('ImportAnswer') },
  applyImport: { request: wire('ImportPlanBody'), needsBody: true, response: wire('AppliedImport') },
  jobStatus: { response: wire('JobAnswer') },
  cancelJob: { response: wire('JobAnswer') },
  listNotifications: { response: wire('NotificationList') },
  readNotifications: { request: wire('ReadBody'), response: wire('ReadNotifications') },
  socketTicket: { response: wire('SocketTicket') },
  download: { response: wire('Done') },
  revokeDownload: { response: wire('DownloadAnswer') },
  extendDownload: { request: wire('ExtendBody'), response: wire('DownloadAnswer') },
  listDownloads: { response: wire('DownloadList') },
  listViews: { response: wire('ViewList') },
  saveView: { request: wire('NewView'), needsBody: true, response: wire('ViewAnswer') },
  changeView: { request: wire('ViewChanges'), response: wire('ViewAnswer') },
  removeView: { response: wire('Done') },
}

/** The files that a bulk action may answer in place of JSON, by their types. */
export const fileContents: JsonSchema = Object.fromEntries(
  Object.entries(reportMediaType).map(([format, type]) => [
    type.split(';')[0] ?? type,
    { schema: { type: 'string', ...(format !== 'csv' && { format: 'binary' }) } },
  ]),
)

/** Lists the bodies of the actions of one row: the fields of a form, or nothing. */
function rowActionBodies({ name, view }: NamedTable): readonly JsonSchema[] {
  return [ref('RowActionBody'), ...forms(name, 'rowAction', listRowActions(view), ref('RowActionBody'))]
}

/** Lists the bodies of the row actions that several rows allow, and the one of their plans. */
function rowBulkBodies({ name, view }: NamedTable): readonly JsonSchema[] {
  const several = listRowActions(view).filter(({ definition }) => definition.bulk !== undefined)
  const plain = several.some(({ definition }) => definition.form === undefined) ? [ref('RowBulkBody')] : []
  return [...plain, ref('PlanBody'), ...forms(name, 'rowAction', several, ref('RowBulkBody'))]
}

/** Lists the bodies of the actions of the toolbar: a selection or a plan, and the fields of a form beside it. */
function bulkBodies({ name, view }: NamedTable): readonly JsonSchema[] {
  const plain = view.bulkActions.some(({ definition }) => definition.form === undefined)
  const beside = ref(`${name}.Selection`)
  return [plain ? beside : ref('PlanBody'), ...forms(name, 'bulkAction', view.bulkActions, beside)]
}

function forms(
  table: string,
  kind: 'rowAction' | 'bulkAction',
  actions: readonly (RowAction | BulkAction)[],
  beside: JsonSchema,
): readonly JsonSchema[] {
  return actions.flatMap((action) => {
    const name = formName(table, kind, action)
    if (name === undefined) return []
    if (hasKeyBeside(action)) return [ref(name)]
    return [{ allOf: [beside, ref(name)] }, ...(hasOpenForm(action.definition) ? [ref(name)] : [])]
  })
}

const keysBeside: ReadonlySet<string> = new Set(
  [rowActionBody, rowBulkBody, planBody, selection].flatMap(({ shape }) => Object.keys(shape)),
)

/** Whether a form has a field that is called like a key beside it, which is then the form's. */
export const hasKeyBeside = ({ definition }: RowAction | BulkAction): boolean =>
  formKeys(definition).some((key) => keysBeside.has(key))
