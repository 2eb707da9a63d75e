import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from '../run/patience.ts'

/** A message as a client reads it. */
export interface ReceivedMessage {
  readonly event: string
  readonly channel: string
  readonly id: string | number
  readonly seq: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read into messages whose shape is what they assert
  readonly data: any
}

export interface PushClient {
  readonly socket: WebSocket
  /** Everything that came so far. */
  readonly messages: readonly ReceivedMessage[]
  /** The messages, as soon as there are so many; rejects when they do not come. */
  readonly received: (count: number) => Promise<readonly ReceivedMessage[]>
  readonly close: () => Promise<void>
}

export interface PushClientOptions {
  readonly protocols?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** Opens a WebSocket, which is closed after the test. Rejects with the HTTP status as a text when it is refused. */
export async function openPushClient(
  url: string,
  { protocols = [], headers = {} }: PushClientOptions = {},
): Promise<PushClient> {
  const socket = new WebSocket(url, [...protocols], { headers: { ...headers } })
  const messages: ReceivedMessage[] = []
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('unexpected-response', (request, { statusCode }) => {
      request.destroy()
      reject(new Error(`refused: ${statusCode}`))
    })
    socket.on('error', reject)
  })
  const close = () => {
    socket.close()
    return closed
  }
  onTestFinished(close)
  return { socket, messages, received: (count) => untilThere(messages, count), close }
}

async function untilThere(messages: readonly ReceivedMessage[], count: number): Promise<readonly ReceivedMessage[]> {
  const countArrived = async () => (messages.length < count ? undefined : messages)
  return eventually(countArrived, () => `${messages.length} of ${count} messages came`)
}
