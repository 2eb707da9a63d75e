import { rowTableAction, tableEndpoint, wakeWatchersAfter } from '#lib'
import { registry } from '#tables'

/** POST row-table-action/{tableName}/{action}/{id}: an action on one row. */
export const handler = tableEndpoint(registry, { name: 'rowTableAction', run: wakeWatchersAfter(rowTableAction) })
