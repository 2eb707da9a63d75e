import { rowBulkTableAction, tableEndpoint } from '#lib'
import { registry } from '#tables'

/** POST row-bulk-table-action/{tableName}/{action}: the same row action on several rows. */
export const handler = tableEndpoint(registry, { name: 'rowBulkTableAction', run: rowBulkTableAction })
