import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { fieldFault } from '../errors/field-fault.ts'
import { parseWith } from '../errors/parse-with.ts'
import { validationFailed } from '../errors/request-error.ts'
import { readBody } from '../http/incoming.ts'
import { respondAndLog } from '../http/respond-and-log.ts'
import { processService, type Service } from '../http/service.ts'
import { queryTable } from '../operations/query-table.ts'
import { ownValue, type Payload, type TableRequest } from '../operations/table-request.ts'
import { selectionKeys, viewKeys } from '../table/action-key.ts'
import type { Registry } from '../table/registry.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import type { SocketHandler } from './socket-handlers.ts'
import { createQuestionEvent } from './socket-question.ts'
import { formatErrorEvent, formatFailure, replyTo, type SocketEvent } from './socket-reply.ts'
import { tableEndpoint } from './table-endpoint.ts'

const endpoint = 'queryTableData'

const countMessage = z.object({
  table: z.string(),
  token: z.string(),
  guard: z.optional(z.string()),
  ln: z.optional(z.string()),
  query: z.looseObject({ request_seq: z.unknown() }),
})

/**
 * `count`: counts the rows of a query and replies with `query.total`. The message passes every check of a request to query-table, by
 * the token that it brings, and counts as a request of its caller.
 */
export const socketCount = (registry: Registry, service: () => Service = processService): SocketHandler => {
  const count = tableEndpoint(registry, { name: endpoint, run: countTotal }, service)
  return async (event) => {
    const { config } = service()
    if (config.SOCKET_ENDPOINT === undefined) return { statusCode: 200 }
    const { outcome } = await replyTo(event, config.SOCKET_ENDPOINT, await respond(count, config, event))
    if (outcome !== 'delivered')
      log('warn', 'a total did not reach its socket; the client requests it with count_only', { outcome })
    return { statusCode: 200 }
  }
}

async function respond(count: ReturnType<typeof tableEndpoint>, config: Config, event: SocketEvent): Promise<string> {
  let asked: QuestionEvent
  try {
    asked = readQuestion(config, event)
  } catch (error) {
    const invocation = beginInvocation('socketCount', event.requestContext.requestId)
    await respondAndLog({ invocation, language: () => 'en' }, () => Promise.reject(error))
    return formatErrorEvent(error, event)
  }
  return formatReply(asked.sequence, await count(asked.request))
}

interface QuestionEvent {
  readonly sequence: unknown
  /** The same question as an HTTP request. */
  readonly request: APIGatewayProxyEventV2
}

function readQuestion(config: Config, event: SocketEvent): QuestionEvent {
  const { body, isBase64Encoded } = event
  const { event: _, ...message } = readBody({ body: body ?? '', headers: {}, isBase64Encoded })
  const { table, token, guard, ln, query } = parseWith(countMessage, message, [])
  if ((query.request_seq ?? undefined) === undefined)
    throw validationFailed({ 'query.request_seq': [fieldFault('required')] })
  const asked = createQuestionEvent(config, event, { table, token, guard, ln, query })
  return { sequence: query.request_seq, request: asked }
}

/** A failure has `request_seq`, so that a client can tell which question failed, and the seconds of a `Retry-After`. */
function formatReply(
  sequence: unknown,
  { statusCode, headers, body = '{}' }: APIGatewayProxyStructuredResultV2,
): string {
  const { success, ...data } = JSON.parse(body)
  if (statusCode === 200) {
    const { query_hash: id, request_seq: seq } = data
    return JSON.stringify({ event: 'query.total', channel: 'query', id, seq, data })
  }
  const retryAfter = headers?.['retry-after']
  const again = retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }
  return formatFailure({ success, ...data }, { request_seq: sequence, ...again })
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
