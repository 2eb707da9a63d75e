import * as z from 'zod/mini'
import { fieldFault } from '../errors/field-fault.ts'
import { parseWith } from '../errors/parse-with.ts'
import { validationFailed } from '../errors/request-error.ts'
import { processService, type Service } from '../http/service.ts'
import { queryTable } from '../operations/query-table.ts'
import { ownValue, type Payload, type TableRequest } from '../operations/table-request.ts'
import { selectionKeys, viewKeys } from '../table/action-key.ts'
import type { Registry } from '../table/registry.ts'
import { createQuestionEvent, findAsker } from './socket-question.ts'
import { formatResponse, type QuestionHandler, replyToMessage } from './socket-reply.ts'
import { tableEndpoint } from './table-endpoint.ts'

const endpoint = 'queryTableData'

const countMessage = z.object({
  table: z.string(),
  token: z.optional(z.string()),
  guard: z.optional(z.string()),
  ln: z.optional(z.string()),
  query: z.looseObject({ request_seq: z.unknown() }),
})

/**
 * `count`: counts the rows of a query and replies with `query.total`. The message passes every check of a request to
 * query-table, and counts as one.
 */
export const socketCount =
  (registry: Registry, service: () => Service = processService): QuestionHandler =>
  (event, message) => {
    const running = service()
    return replyToMessage(running, event, {
      name: 'socketCount',
      undelivered: 'a total did not reach its socket; the client requests it with count_only',
      write: async () => {
        const question = parseWith(countMessage, message, [])
        const { request_seq } = question.query
        if ((request_seq ?? undefined) === undefined)
          throw validationFailed({ 'query.request_seq': [fieldFault('required')] })
        const count = tableEndpoint(
          registry,
          { name: endpoint, run: countTotal, authenticate: findAsker(event, question) },
          service,
        )
        const response = await count(createQuestionEvent(running.config, event, question))
        // A failure has `request_seq`, so that a client can tell which question failed.
        return formatResponse(response, { request_seq }, formatTotal)
      },
    })
  }

function formatTotal(data: Readonly<Record<string, unknown>>): string {
  const { query_hash: id, request_seq: seq } = data
  return JSON.stringify({ event: 'query.total', channel: 'query', id, seq, data })
}

const countedKeys = ['filters', 'params', 'request_seq', ...selectionKeys, ...viewKeys]

/** Clears the parts of a saved view that only a page has. */
const uncountedParts = { sorts: [], columns: [], aggregates: [], group_by: [] }

/** Counts the rows that a query selects. The keys that say nothing of which rows these are do not count. */
async function countTotal(request: TableRequest): Promise<Payload> {
  const asked = countedKeys.flatMap((key) => {
    const value = ownValue(request.body, key)
    return value === undefined ? [] : [[key, value] as const]
  })
  const body = { ...uncountedParts, ...Object.fromEntries(asked), count_only: true }
  const { pagination, request_seq, query_hash, warnings } = await queryTable({ ...request, body })
  const { total, total_kind } = pagination
  const table = request.table.name
  return { table, total, total_kind, request_seq, query_hash, ...(warnings !== undefined && { warnings }) }
}
