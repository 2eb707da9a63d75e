import { bulkTableAction, tableEndpoint } from '#lib'
import { registry } from '#tables'

/** POST bulk-table-action/{tableName}/{action}: an action of the toolbar. */
export const handler = tableEndpoint(registry, { name: 'bulkTableAction', run: bulkTableAction })
