import { selectionKeys } from '../table/action-key.ts'
import { queryTable } from './query-table.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

const countedKeys = ['filters', 'params', 'request_seq', ...selectionKeys]

/** Counts the rows that a query selects. The keys that say nothing of which rows these are do not count. */
export async function countTotal(request: TableRequest): Promise<Payload> {
  const asked = countedKeys.flatMap((key) => {
    const value = ownValue(request.body, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  const body = { ...Object.fromEntries(asked), count_only: true }
  const { pagination, request_seq, query_hash, warnings } = await queryTable({ ...request, body })
  const { total, total_kind } = pagination
  const table = request.table.name
  return { table, total, total_kind, request_seq, query_hash, ...(warnings !== undefined && { warnings }) }
}
