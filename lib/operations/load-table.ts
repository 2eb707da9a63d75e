import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { loadBindings } from '../rows/bindings.ts'
import { describeStructure } from '../table/structure.ts'
import { rowActionsKey } from './item-actions.ts'
import { queryTable } from './query-table.ts'
import { ownValue, type Payload, type TableRequest } from './table-request.ts'

const spellings: ReadonlyMap<string | undefined, boolean> = new Map([
  [undefined, false],
  ['', false],
  ['false', false],
  ['0', false],
  ['true', true],
  ['1', true],
])

/** The structure of a table, with its first page of rows when `withData` is true. */
export async function loadTable(request: TableRequest): Promise<Payload> {
  const { view, context, database, path } = request
  const withData = spellings.get(path['withData'])
  if (withData === undefined) throw validationFailed({ withData: [fieldFault('not_with_data')] })
  if (!withData) return describeStructure(view, context, await loadBindings(view, database, {}, context))
  const { items, bindings, pagination } = await queryTable({ ...request, body: pageBody(request) })
  return { ...(await describeStructure(view, context, bindings)), data: items, bindings, pagination }
}

/** The keys of the query or the body that shape the first page. */
function pageBody({ query, body }: TableRequest): TableRequest['body'] {
  const written = new URLSearchParams(query).get(rowActionsKey)
  return { [rowActionsKey]: ownValue(body, rowActionsKey) ?? written?.replace(/^"(.*)"$/, '$1') }
}
