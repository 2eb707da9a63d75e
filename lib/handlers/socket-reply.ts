import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda'
import { errorResponse } from '../http/envelope.ts'
import { type PostOutcome, postTo } from '../push/post-to-connection.ts'

/** An event of API Gateway's WebSocket API. Only `$connect` brings what its client sent along with the request. */
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

/** Returns the text of an `error` event, in the shape of every failure, with what `more` adds. */
export function formatErrorEvent(error: unknown, { requestContext }: SocketEvent, more: object = {}): string {
  const failure: unknown = JSON.parse(errorResponse(error, 'en', requestContext.requestId).body ?? '{}')
  return JSON.stringify({ event: 'error', ...Object(failure), ...more })
}
