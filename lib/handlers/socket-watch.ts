import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { parseWith } from '../errors/parse-with.ts'
import { readBody } from '../http/incoming.ts'
import { respondAndLog } from '../http/respond-and-log.ts'
import { processService, type Service } from '../http/service.ts'
import { watchRows } from '../operations/watch-rows.ts'
import { maxMessageBytes } from '../push/push-message.ts'
import { endSubscription, type SubscriptionName } from '../push/subscriptions.ts'
import type { Registry } from '../table/registry.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'
import type { SocketHandler } from './socket-handlers.ts'
import { createQuestionEvent } from './socket-question.ts'
import { formatErrorEvent, formatFailure, replyTo, type SocketEvent } from './socket-reply.ts'
import { tableEndpoint } from './table-endpoint.ts'

const subscriptionId = z.string().check(z.minLength(1), z.maxLength(64))

const subscribeMessage = z.strictObject({
  id: subscriptionId,
  table: z.string(),
  token: z.string(),
  guard: z.optional(z.string()),
  ln: z.optional(z.string()),
  query: z.record(z.string(), z.unknown()),
})

const unsubscribeMessage = z.strictObject({ id: subscriptionId })

/**
 * `subscribe`: replies with the page that a query shows, and has its changes sent from then on. The message passes every check of a
 * request to query-table, by the token that it brings, and counts as a request of its caller.
 */
export const socketSubscribe =
  (registry: Registry, service: () => Service = processService): SocketHandler =>
  (event) =>
    respond(service, event, 'socketSubscribe', async ({ config }, message) => {
      const { id, ...question } = parseWith(subscribeMessage, message, [])
      const { connectionId } = event.requestContext
      const run = tableEndpoint(
        registry,
        { name: 'queryTableData', run: (request) => watchRows(request, { connectionId, id }) },
        service,
      )
      const response = await run(createQuestionEvent(config, event, question))
      return formatReply(response, id, (data) => formatSubscribed(id, data))
    })

/** Formats a success with `format`. A failure has the seconds of a `Retry-After`. */
function formatReply(
  { statusCode, headers, body = '{}' }: APIGatewayProxyStructuredResultV2,
  id: string,
  format: (data: Readonly<Record<string, unknown>>) => string,
): string {
  const { success, ...data } = JSON.parse(body)
  if (statusCode === 200) return format(data)
  const retryAfter = headers?.['retry-after']
  const again = retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }
  return formatFailure({ success, ...data }, { id, ...again })
}

/** A page that is too large for a message is left out: the client asks query-table for it. */
function formatSubscribed(id: string, data: Readonly<Record<string, unknown>>): string {
  const about = { event: 'rows.subscribed', channel: `rows:${id}`, id, seq: 0 }
  const text = JSON.stringify({ ...about, data })
  if (Buffer.byteLength(text) <= maxMessageBytes) return text
  const { items: _, ...rest } = data
  return JSON.stringify({ ...about, data: { ...rest, stale: true } })
}

/**
 * `unsubscribe`: ends a subscription of this connection. Counts as a request of the caller who opened the socket only if there is
 * no such subscription.
 */
export const socketUnsubscribe =
  (service: () => Service = processService): SocketHandler =>
  (event) =>
    respond(service, event, 'socketUnsubscribe', async (running, message) => {
      const { id } = parseWith(unsubscribeMessage, message, [])
      const { connectionId, requestId } = event.requestContext
      const invocation = beginInvocation('socketUnsubscribe', requestId)
      const response = await respondAndLog({ invocation, language: () => 'en' }, async () => {
        const seq = await unsubscribe(running, { connectionId, id })
        return { statusCode: 200, body: JSON.stringify({ seq }) }
      })
      return formatReply(response, id, ({ seq }) =>
        JSON.stringify({ event: 'rows.unsubscribed', channel: `rows:${id}`, id, seq, data: {} }),
      )
    })

/** Returns the number of the last message. */
async function unsubscribe({ database, limiter }: Service, name: SubscriptionName): Promise<number> {
  const { subject, seq } = await endSubscription(database, name)
  const limit = await limiter
  if (seq !== undefined || subject === undefined || limit === undefined) return seq ?? 0
  return limit(subject, false, async () => 0)
}

type Reply = (
  service: Service & { readonly config: Config },
  message: Readonly<Record<string, unknown>>,
) => Promise<string>

/** Replies to a message with what `reply` writes, or with the error that it throws. */
async function respond(service: () => Service, event: SocketEvent, name: string, reply: Reply) {
  const running = service()
  const { SOCKET_ENDPOINT } = running.config
  if (SOCKET_ENDPOINT === undefined) return { statusCode: 200 }
  const { outcome } = await replyTo(event, SOCKET_ENDPOINT, await write(running, event, name, reply))
  if (outcome !== 'delivered')
    log('warn', 'a reply to subscribe or unsubscribe did not arrive; the client may subscribe again', { outcome })
  return { statusCode: 200 }
}

async function write(service: Service, event: SocketEvent, name: string, reply: Reply): Promise<string> {
  let id: unknown
  try {
    const { body, isBase64Encoded } = event
    const { event: _, ...message } = readBody({ body: body ?? '', headers: {}, isBase64Encoded })
    id = message['id']
    return await reply(service, message)
  } catch (error) {
    const invocation = beginInvocation(name, event.requestContext.requestId)
    await respondAndLog({ invocation, language: () => 'en' }, () => Promise.reject(error))
    const known = subscriptionId.safeParse(id)
    return formatErrorEvent(error, event, known.success ? { id: known.data } : {})
  }
}

/** The messages that ask about the rows of a table, by their `event`. The first is for any other. */
export function socketQuestions(handlers: Readonly<Record<string, SocketHandler>>): SocketHandler {
  const [first] = Object.values(handlers)
  return (event) => {
    const handler = Object.hasOwn(handlers, event.requestContext.routeKey)
      ? handlers[event.requestContext.routeKey]
      : first
    if (handler === undefined) throw new Error('a function of a WebSocket needs a handler')
    return handler(event)
  }
}
