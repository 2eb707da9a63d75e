import { rowBulkTableAction, tableEndpoints, undoChange, wakeWatchersAfter } from '#lib'
import { registry } from '#tables'

/**
 * POST row-bulk-table-action/{tableName}/{action}: the same row action on several rows. POST undo/{tableName}/{change}:
 * takes a change back.
 */
export const handler = tableEndpoints(registry, [
  { name: 'rowBulkTableAction', run: wakeWatchersAfter(rowBulkTableAction) },
  { name: 'undoChange', run: wakeWatchersAfter(undoChange) },
])
