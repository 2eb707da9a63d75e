import { readRows } from '../rows/asked-row.ts'
import { jsonList } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { count } from '../telemetry/invocation.ts'
import { loadItemShape } from './item-actions.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

const maxRows = 1_000

/** Fresh data for many rows, in the order of `row_ids`; `missing` names those that are gone or out of scope. */
export async function multiRowRefetch(request: TableRequest): Promise<Payload> {
  const { database, body, table } = request
  const rows = readRows(table.key, ownValue(body, 'row_ids'), 'row_ids', 0, maxRows)
  const readShape = await loadItemShape(request)
  const opened = { ...request, ...readShape() }
  const items = await readItems(
    database,
    opened,
    rows.map(({ id }) => id),
  )
  count(request.invocation, 'Rows', items.length)
  return {
    items: jsonList(items.filter((item) => item !== undefined)),
    missing: rows.filter((_, index) => items[index] === undefined).map(({ id }) => id),
  }
}
