import { multiRowRefetch, tableEndpoint } from '#lib'
import { registry } from '#tables'

/** POST multi-row-refetch/{tableName}: fresh data for several rows. */
export const handler = tableEndpoint(registry, { name: 'multiRowRefetch', run: multiRowRefetch })
