import { fieldFault } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { loadBindings } from '../rows/bindings.ts'
import { describeStructure } from '../table/structure.ts'
import { queryTable } from './query-table.ts'
import type { Payload, TableRequest } from './table-request.ts'

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
  const { items, bindings, pagination } = await queryTable({ ...request, body: {} })
  return { ...(await describeStructure(view, context, bindings)), data: items, bindings, pagination }
}
