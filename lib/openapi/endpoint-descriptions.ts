import type { EndpointName } from '../routes.ts'

/** Descriptions of the endpoints, beside their summaries. */
export const endpointDescriptions: Readonly<Record<EndpointName, string>> = {
  loadTable: 'Columns, filters, actions with their URLs, and sorts, as this caller may see them.',
  listTables: 'Tables that refuse the caller are absent.',
  openApi: 'The document describes what this caller may know on this guard, and nothing else.',
  queryTableData:
    'Filters are joined by AND. A page beyond the end has no items. Send `next_cursor` as `cursor` to read on.',
  rowRefetch: 'A row outside the scope of the caller is answered like one that does not exist.',
  multiRowRefetch: 'Items come in the order of `row_ids`; `missing` lists ids that are gone or out of scope.',
  rowTableAction:
    'The body holds the fields of the form of the action, if it has one. `onSuccess` says what to do next.',
  rowBulkTableAction: 'Runs a row action that allows several rows, with a result for each row.',
  bulkTableAction:
    'Without `selected_ids` the action works on every row that the filters select. The response depends on `action_response`.',
  jobStatus: 'Only jobs of the caller exist here.',
  cancelJob: 'A job that has ended stays as it is.',
  listNotifications: 'Sent with `after`, only newer notifications come.',
  readNotifications: 'Without `ids` all notifications are marked as read.',
  socketTicket: 'The ticket works once, within a minute.',
  download: 'Needs no token: whoever holds the link gets the file until the link expires.',
  revokeDownload: 'Only the requester of a file can revoke its links. Takes the id of a link, or the token of its URL.',
  extendDownload: 'Only the requester of a file can extend its links. A dead link cannot be extended.',
  listDownloads:
    'Each recipient of a mail has a link of their own. Expired links are absent; revoked ones have no URL.',
}
