import { queryTable, tableEndpoint } from '#lib'
import { registry } from '#tables'

/** POST query-table/{tableName}: one page of rows, filtered, sorted and formatted. */
export const handler = tableEndpoint(registry, { name: 'queryTableData', run: queryTable })
