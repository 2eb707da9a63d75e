import * as z from 'zod/mini'
import { parseWith } from '../errors/parse-with.ts'
import { respondAndLog } from '../http/respond-and-log.ts'
import { processService, type Service } from '../http/service.ts'
import { watchRows } from '../operations/watch-rows.ts'
import { maxMessageBytes } from '../push/push-message.ts'
import { endSubscription, type SubscriptionName } from '../push/subscriptions.ts'
import type { Registry } from '../table/registry.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import type { SocketHandler } from './socket-handlers.ts'
import { createQuestionEvent } from './socket-question.ts'
import { formatResponse, replyToMessage, type SocketEvent } from './socket-reply.ts'
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
 * `subscribe`: replies with the page that a query shows, and has its changes sent from then on. The message passes
 * every check of a request to query-table, by the token that it brings, and counts as a request of its caller.
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
      return formatResponse(response, { id }, (data) => formatSubscribed(id, data))
    })

/** A page that is too large for a message is left out: the client asks query-table for it. */
function formatSubscribed(id: string, data: Readonly<Record<string, unknown>>): string {
  const about = { event: 'rows.subscribed', channel: `rows:${id}`, id, seq: 0 }
  const text = JSON.stringify({ ...about, data })
  if (Buffer.byteLength(text) <= maxMessageBytes) return text
  const { items: _, ...rest } = data
  return JSON.stringify({ ...about, data: { ...rest, stale: true } })
}

/**
 * `unsubscribe`: ends a subscription of this connection. Counts as a request of the caller who opened the socket only
 * if there is no such subscription.
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
      return formatResponse(response, { id }, ({ seq }) =>
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

type Write = (service: Service, message: Readonly<Record<string, unknown>>) => Promise<string>

async function respond(service: () => Service, event: SocketEvent, name: string, write: Write) {
  const running = service()
  return replyToMessage(running, event, {
    name,
    undelivered: 'a reply to subscribe or unsubscribe did not arrive; the client may subscribe again',
    write: (message) => write(running, message),
    about: (message) => {
      const known = subscriptionId.safeParse(message['id'])
      return known.success ? { id: known.data } : {}
    },
  })
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
