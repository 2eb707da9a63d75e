import { applyImport, bulkTableAction, createImport, showImport, tableEndpoints, wakeWatchersAfter } from '#lib'
import { registry } from '#tables'

/**
 * POST bulk-table-action/{tableName}/{action}: an action of the toolbar. POST imports/{tableName}, GET and POST
 * imports/{tableName}/{id}: files that were exported and are sent back.
 */
export const handler = tableEndpoints(registry, [
  { name: 'bulkTableAction', run: wakeWatchersAfter(bulkTableAction) },
  { name: 'createImport', run: createImport },
  { name: 'showImport', run: showImport },
  { name: 'applyImport', run: wakeWatchersAfter(applyImport) },
])
