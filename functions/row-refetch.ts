import { rowRefetch, tableEndpoint } from '#lib'
import { registry } from '#tables'

/** POST row-refetch/{tableName}/{rowId}: fresh data for one row. */
export const handler = tableEndpoint(registry, { name: 'rowRefetch', run: rowRefetch })
