import { rowHistory, rowRefetch, tableEndpoints } from '#lib'
import { registry } from '#tables'

/**
 * POST row-refetch/{tableName}/{rowId}: fresh data for one row. GET history/{tableName}/{id}: the changes of its cells.
 */
export const handler = tableEndpoints(registry, [
  { name: 'rowRefetch', run: rowRefetch },
  { name: 'rowHistory', run: rowHistory },
])
