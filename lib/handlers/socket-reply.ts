import type { APIGatewayProxyStructuredResultV2, APIGatewayProxyWebsocketEventV2 } from 'aws-lambda'
import { errorResponse } from '../http/envelope.ts'
import { respondAndLog } from '../http/respond-and-log.ts'
import type { Service } from '../http/service.ts'
import { type PostOutcome, postTo } from '../push/post-to-connection.ts'
import { deliver } from '../push/push.ts'
import { maxMessageBytes } from '../push/push-message.ts'
import { beginInvocation } from '../telemetry/invocation.ts'
import { log } from '../telemetry/log.ts'

/** An event of API Gateway's WebSocket API. Only `$connect` has the query and the headers of its client. */
export interface SocketEvent extends APIGatewayProxyWebsocketEventV2 {
  /** Names as the client wrote them. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null
}

const maxReplyMs = 3_000

/** Posts a text to the connection that sent an event, and again while the gateway is busy. Never rejects. */
export async function replyTo(
  { requestContext }: SocketEvent,
  socketEndpoint: string,
  text: string,
): Promise<PostOutcome> {
  const { connectionId } = requestContext
  return deliver(await postTo(socketEndpoint), { connectionId, opening: false }, text, AbortSignal.timeout(maxReplyMs))
}

type Data = Readonly<Record<string, unknown>>

/** Returns the text of an `error` event, in the shape of every failure; `about` names the message that failed. */
function formatErrorEvent(error: unknown, { requestContext }: SocketEvent, about: Data = {}): string {
  return formatFailure(JSON.parse(errorResponse(error, 'en', requestContext.requestId).body ?? '{}'), about)
}

const maxTextLength = 1_000

/**
 * Returns the text of an `error` event. One that repeats too much of the message that failed has its texts cut, and no
 * `fields`.
 */
function formatFailure(failure: Data, about: Data): string {
  const text = JSON.stringify({ event: 'error', ...failure, ...about })
  if (Buffer.byteLength(text) <= maxMessageBytes) return text
  const cut = (value: unknown) => String(value).slice(0, maxTextLength)
  const { success, errors, message, code, request_id } = failure
  const texts = { errors: [errors].flat().slice(0, 2).map(cut), error: cut(message), message: cut(message) }
  return JSON.stringify({ event: 'error', success, ...texts, code, request_id, ...about })
}

/**
 * Formats a success with `format`. A failure has `about`, which names its message, and the seconds of a `Retry-After`.
 */
export function formatResponse(
  { statusCode, headers, body = '{}' }: APIGatewayProxyStructuredResultV2,
  about: Data,
  format: (data: Data) => string,
): string {
  const { success, ...data } = JSON.parse(body)
  if (statusCode === 200) return format(data)
  const retryAfter = headers?.['retry-after']
  const again = retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }
  return formatFailure({ success, ...data }, { ...about, ...again })
}

/** Answers a message that names it; `message` has the keys beside its name. */
export type QuestionHandler = (event: SocketEvent, message: Data) => Promise<APIGatewayProxyStructuredResultV2>

interface MessageReply {
  /** The name of the invocation if `write` rejects. */
  readonly name: string
  /** The text of the log for a reply that does not arrive. */
  readonly undelivered: string
  readonly write: () => Promise<string>
  /** Names the message in the event of an error. */
  readonly about?: Data
}

/** Sends what `write` returns, or the error with which it rejects. */
export async function replyToMessage({ config }: Service, event: SocketEvent, reply: MessageReply) {
  if (config.SOCKET_ENDPOINT === undefined) return { statusCode: 200 }
  const { outcome } = await replyTo(event, config.SOCKET_ENDPOINT, await writeReply(event, reply))
  if (outcome !== 'delivered') log('warn', reply.undelivered, { outcome })
  return { statusCode: 200 }
}

async function writeReply(event: SocketEvent, { name, write, about }: MessageReply): Promise<string> {
  try {
    return await write()
  } catch (error) {
    const invocation = beginInvocation(name, event.requestContext.requestId)
    await respondAndLog({ invocation, language: () => 'en' }, () => Promise.reject(error))
    return formatErrorEvent(error, event, about)
  }
}
