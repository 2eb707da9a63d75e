import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda'
import { errorResponse } from '../http/envelope.ts'
import { type PostOutcome, postTo } from '../push/post-to-connection.ts'
import { maxMessageBytes } from '../push/push-message.ts'

/** An event of API Gateway's WebSocket API. Only `$connect` has the query and the headers of its client. */
export interface SocketEvent extends APIGatewayProxyWebsocketEventV2 {
  /** Names as the client wrote them. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null
}

const maxReplyMs = 3_000

/** Posts a text to the connection that sent an event. Never rejects. */
export async function replyTo(
  { requestContext }: SocketEvent,
  socketEndpoint: string,
  text: string,
): Promise<PostOutcome> {
  const post = await postTo(socketEndpoint)
  return post(requestContext.connectionId, text, AbortSignal.timeout(maxReplyMs))
}

type Data = Readonly<Record<string, unknown>>

/** Returns the text of an `error` event, in the shape of every failure; `about` names the message that failed. */
export function formatErrorEvent(error: unknown, { requestContext }: SocketEvent, about: Data = {}): string {
  return formatFailure(JSON.parse(errorResponse(error, 'en', requestContext.requestId).body ?? '{}'), about)
}

const maxTextLength = 1_000

/** Returns the text of an `error` event. One that repeats too much of the message that failed has its texts cut, and no `fields`. */
export function formatFailure(failure: Data, about: Data): string {
  const text = JSON.stringify({ event: 'error', ...failure, ...about })
  if (Buffer.byteLength(text) <= maxMessageBytes) return text
  const cut = (value: unknown) => String(value).slice(0, maxTextLength)
  const { success, errors, message, code, request_id } = failure
  const texts = { errors: [errors].flat().slice(0, 2).map(cut), error: cut(message), message: cut(message) }
  return JSON.stringify({ event: 'error', success, ...texts, code, request_id, ...about })
}
