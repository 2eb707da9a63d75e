import type { EndpointName, PageName } from './routes.ts'

/**
 * The purpose of each route, for the OpenAPI document and the list of routes. Apart from `routes`, which every function
 * loads.
 */
export const routePurposes: Readonly<Record<EndpointName | PageName, string>> = {
  loadTable: 'The structure of a table, with the first page of rows when withData is true',
  listTables: 'The tables that the caller may load',
  openApi: 'What the caller may ask of which table, as an OpenAPI document',
  queryTableData: 'One page of rows, filtered, sorted and formatted',
  rowRefetch: 'Fresh data for one row',
  rowHistory: 'The changes of the cells of one row, the latest first',
  multiRowRefetch: 'Fresh data for several rows',
  rowTableAction: 'An action on one row',
  rowBulkTableAction: 'The same row action on several rows',
  undoChange: 'Undoes a change of the caller',
  bulkTableAction: 'An action of the toolbar: on selected rows, or on all that the filters select',
  createImport: 'Begins the import of a file that was exported, edited and is sent back',
  showImport: 'How far an import is, and what it would change, cell by cell',
  applyImport: 'Makes the changes of an import, once',
  jobStatus: 'How far a job of the caller is, and its result',
  cancelJob: 'Stops a job of the caller',
  listNotifications: "The caller's notifications, the newest first",
  readNotifications: 'Marks notifications of the caller as read',
  socketTicket: 'A ticket that opens one WebSocket',
  download: 'The file behind a signed link, for each holder of the link',
  revokeDownload: 'Ends a link that the caller requested',
  extendDownload: 'Lets a link that the caller requested work for longer',
  listDownloads: 'The links to files that the caller requested, newest first',
  listViews: 'The saved views of a table',
  saveView: 'Saves a view',
  changeView: 'Changes a view',
  removeView: 'Removes a view',
  explorer: 'A page that draws every table from its structure, for people',
}
