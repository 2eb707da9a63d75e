import { loadTable } from '../operations/load-table.ts'
import { multiRowRefetch } from '../operations/multi-row-refetch.ts'
import { queryTable } from '../operations/query-table.ts'
import { isReply, type Reply } from '../operations/reply.ts'
import { rowBulkTableAction } from '../operations/row-bulk-table-action.ts'
import { rowRefetch } from '../operations/row-refetch.ts'
import type { Payload, TableRequest } from '../operations/table-request.ts'
import type { EndpointName } from '../routes.ts'
import { jsonObject, jsonTextValue } from '../rows/json-text.ts'
import { encodePathId } from '../rows/row-id.ts'

/** A response as it was given, and the body that asked for it. */
export interface ExampleResponse {
  readonly body?: Readonly<Record<string, unknown>>
  readonly response: unknown
}

export type ExampleResponses = Readonly<Partial<Record<EndpointName, ExampleResponse>>>

type MayAsk = (name: EndpointName) => Promise<boolean>

/**
 * Calls the endpoints of one table that change nothing, and that `mayAsk` allows, in the name of this caller. The first
 * call that fails is the last: a document without examples is better than none. Endpoints whose response could hold a
 * link that works without a token are not called.
 */
export async function collectExampleResponses(request: () => TableRequest, mayAsk: MayAsk): Promise<ExampleResponses> {
  const examples: Partial<Record<EndpointName, ExampleResponse>> = {}
  try {
    for await (const [name, example] of collectExamples(request(), mayAsk)) examples[name] = example
  } catch {
    // The endpoint itself reports the failure to its callers.
  }
  return examples
}

type NamedExample = readonly [name: EndpointName, example: ExampleResponse]

async function* collectExamples(request: TableRequest, mayAsk: MayAsk): AsyncGenerator<NamedExample> {
  yield ['loadTable', { response: toJson(await loadTable({ ...request, path: {}, body: {} })) }]
  if (!(await mayAsk('queryTableData'))) return
  const body = { sorts: [], filters: [], page: 1, perPage: 1 }
  const page = toJson(await queryTable({ ...request, body }))
  yield ['queryTableData', { body, response: page }]
  const id = firstId(page)
  if (id !== undefined) yield* collectRowExamples(request, id, mayAsk)
}

async function* collectRowExamples(
  request: TableRequest,
  id: string | number,
  mayAsk: MayAsk,
): AsyncGenerator<NamedExample> {
  if (await mayAsk('rowRefetch')) {
    const row = await rowRefetch({ ...request, path: { rowId: encodePathId(String(id)) }, body: {} })
    yield ['rowRefetch', { body: {}, response: toJson(row) }]
  }
  if (await mayAsk('multiRowRefetch')) {
    const rows = { row_ids: [id] }
    yield ['multiRowRefetch', { body: rows, response: toJson(await multiRowRefetch({ ...request, body: rows })) }]
  }
  if (!(await mayAsk('rowBulkTableAction'))) return
  const body = { selected_ids: [id], dry_run: true }
  const { rowActions } = request.view
  // A failure would be written down as one of the caller's, so nothing is asked that misses a form.
  const several = rowActions.find(({ definition: { bulk, form } }) => bulk !== undefined && form === undefined)
  if (several !== undefined) {
    const response = toJson(await rowBulkTableAction({ ...request, path: { action: several.key }, body }))
    yield ['rowBulkTableAction', { body, response }]
  }
}

/** A response as a client reads it. */
function toJson(response: Payload | Reply): unknown {
  const text = isReply(response) ? String(response.body) : jsonTextValue(jsonObject({ success: true, ...response }))
  return JSON.parse(text)
}

function firstId(page: unknown): string | number | undefined {
  const { items } = page as { readonly items?: readonly { readonly id: string | number }[] }
  return items?.[0]?.id
}
