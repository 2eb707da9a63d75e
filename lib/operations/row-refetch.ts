import { RequestError } from '../errors/request-error.ts'
import { jsonObject } from '../rows/json-text.ts'
import { readItems } from '../rows/read-items.ts'
import { readPathId } from '../rows/row-id.ts'
import { loadItemShape } from './item-actions.ts'
import type { Payload, TableRequest } from './table-request.ts'

/** Fresh data for one row; a row that is gone and one outside the caller's scope are answered alike. */
export async function rowRefetch(request: TableRequest): Promise<Payload> {
  const readShape = await loadItemShape(request)
  const opened = { ...request, ...readShape() }
  const [row] = await readItems(request.database, opened, [readPathId(request.path['rowId'] ?? '')])
  if (row === undefined) throw new RequestError('row_not_found')
  return { data: jsonObject({ row }) }
}
