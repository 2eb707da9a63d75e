import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { fieldFault, listOptions } from '../errors/field-fault.ts'
import { validationFailed } from '../errors/request-error.ts'
import { parseWith } from '../errors/schema-faults.ts'
import { readBody } from '../http/incoming.ts'
import { respondAndLog } from '../http/observed.ts'
import { processService, type Service } from '../http/service.ts'
import { countTotal } from '../operations/count-total.ts'
import { mountRoutes } from '../routes.ts'
import type { Registry } from '../table/registry.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import type { SocketHandler } from './socket-handlers.ts'
import { formatErrorEvent, replyTo, type SocketEvent } from './socket-reply.ts'
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
    const { outcome } = await replyTo(event, config.SOCKET_ENDPOINT, await answer(count, config, event))
    if (outcome !== 'delivered')
      log('warn', 'a total did not reach its socket; the client requests it with count_only', { outcome })
    return { statusCode: 200 }
  }
}

async function answer(count: ReturnType<typeof tableEndpoint>, config: Config, event: SocketEvent): Promise<string> {
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
  const { body, isBase64Encoded, requestContext } = event
  const { event: _, ...message } = readBody({ body: body ?? '', headers: {}, isBase64Encoded })
  const { table, token, guard = config.GUARDS[0], ln, query } = parseWith(countMessage, message, [])
  if ((query.request_seq ?? undefined) === undefined)
    throw validationFailed({ 'query.request_seq': [fieldFault('required')] })
  const route = mountRoutes(config.GUARDS).find((mounted) => mounted.guard === guard && mounted.route.name === endpoint)
  if (route === undefined) throw validationFailed({ guard: [listOptions(config.GUARDS)] })
  const path = route.routeKey.slice('POST '.length).replace('{tableName}', encodeURIComponent(table))
  const identity: unknown = Reflect.get(requestContext, 'identity')
  const { sourceIp = '', userAgent = '' } = Object(identity) as { sourceIp?: string; userAgent?: string }
  const { requestId, domainName, stage, apiId, requestTimeEpoch, requestTime } = requestContext
  return {
    sequence: query.request_seq,
    request: {
      ...{ version: '2.0', routeKey: route.routeKey, rawPath: path, rawQueryString: '', isBase64Encoded: false },
      headers: { authorization: `Bearer ${token}`, ...(ln !== undefined && { ln }) },
      pathParameters: { tableName: table },
      body: JSON.stringify(query),
      requestContext: {
        ...{ accountId: '', apiId, stage, domainName, domainPrefix: '', requestId, routeKey: route.routeKey },
        ...{ time: requestTime, timeEpoch: requestTimeEpoch },
        http: { method: 'POST', path, protocol: 'HTTP/1.1', sourceIp, userAgent },
      },
    },
  }
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
  return JSON.stringify({
    ...{ event: 'error', success, ...data, request_seq: sequence },
    ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }),
  })
}
