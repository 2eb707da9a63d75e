import { loadTable, tableEndpoint } from '#lib'
import { registry } from '#tables'

/** GET load-table/{tableName}/{withData?}: the structure of a table, with its first page on request. */
export const handler = tableEndpoint(registry, { name: 'loadTable', run: loadTable })
